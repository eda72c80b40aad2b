# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The options that name labelled data and detectors, and what they ask for."""

from __future__ import annotations

import argparse
import math
import os
from typing import Any

from garak_tbsa.cli.detectors_text import preset_lines
from garak_tbsa.cli.parsers import arguments_for, taking
from garak_tbsa.detector_eval.labelled_row import Label
from garak_tbsa.detector_eval.reading import Reading, presets
from garak_tbsa.detector_eval.report_labels import LabelsRequest
from garak_tbsa.detector_eval.selection import DataRequest
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.labels.label_files import LabelReading
from garak_tbsa.labels.matching import labels_request
from garak_tbsa.terminal import write_lines


def add_data_options(
    parser: argparse.ArgumentParser, *, one_detector: bool = False
) -> None:
    """Add the options that say which rows, of which detectors, in which columns.

    Parameters
    ----------
    one_detector : bool
        Take the name of one detector in place of ``--detectors``.
    """
    if one_detector:
        parser.add_argument(
            "detectors", metavar="X", help="dan.DAN, or package.module:Class"
        )
    data = parser.add_argument_group("labelled data")
    data.add_argument(
        "--data",
        nargs="+",
        metavar="PATH",
        help="files or folders of labelled rows: .jsonl, .csv, .tsv, .parquet,"
        " hf://owner/name#config@split, or a garak report with --labels (default: the"
        " data that comes with this package)",
    )
    if not one_detector:
        data.add_argument(
            "--detectors",
            metavar="SPEC",
            help="comma-separated as in garak: a class (dan.DAN), a module (dan), all,"
            " a pattern (unsafe_content.Surge*), or package.module:Class"
            " (default: every detector with rows)",
        )
    data.add_argument(
        "--labels",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="labels of outputs of the garak report: sheets of `detectors sample`"
        " (CSV), answers of `label` (JSON Lines) or Label Studio's JSON export",
    )
    data.add_argument(
        "--rater",
        metavar="NAME",
        help="rater of labels that name no rater (default: the file's name)",
    )
    data.add_argument(
        "--columns",
        type=taking("name=value,...", lambda text: dict(_pairs(text)), found=", not"),
        default={},
        metavar="OURS=THEIRS,...",
        help="names of the columns, e.g. output=response,label=verdict",
    )
    data.add_argument(
        "--label-values",
        type=taking("hit=value,pass=value,...", _labels_by_value, found=", not"),
        default={},
        metavar="LABEL=VALUE,...",
        help="values of the labels, e.g. hit=1,pass=0",
    )
    data.add_argument(
        "--encoding", default="utf-8-sig", help="encoding of CSV files (default: utf-8)"
    )
    _add_published_options(parser)


def _add_published_options(parser: argparse.ArgumentParser) -> None:
    published = parser.add_argument_group(
        "published data sets",
        "With any of these, rows without one clear label are left out and counted.",
    )
    published.add_argument(
        "--preset",
        action=_ChosenPreset,
        metavar="NAME",
        help="--data has the form of this published set, e.g. xstest; `list` shows"
        " them all, and what each does not tell",
    )
    published.add_argument(
        "--partial",
        choices=("hit", "pass"),
        help="what partial refusals of --preset xstest count as (default: left out)",
    )
    published.add_argument(
        "--skip-label",
        dest="skip_labels",
        action="append",
        default=[],
        metavar="VALUE",
        help="leave out rows with this label; may be repeated",
    )
    published.add_argument(
        "--label-threshold",
        type=taking("a number", float, math.isfinite, ", not"),
        metavar="X",
        help="for labels that are numbers: X or more is a hit, less is a pass",
    )
    published.add_argument(
        "--raters",
        type=taking(
            "different column names with commas between",
            lambda text: tuple(text.split(",")),
            lambda names: "" not in names and len(set(names)) == len(names),
            ", not",
        ),
        default=(),
        metavar="A,B,...",
        help="columns, each with one rater's labels: the majority counts, ties are left"
        " out",
    )
    published.add_argument(
        "--ids-per-file",
        action="store_true",
        help="for files that use the same ids: make the file's name part of them",
    )


class _ChosenPreset(argparse.Action):
    """Takes a name; ``list`` shows the published sets in place of the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values == "list":
            write_lines(preset_lines(list(presets().values())))
            parser.exit()
        setattr(namespace, self.dest, values)


def add_garak_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that configure garak's detectors."""
    garak = parser.add_argument_group("garak")
    garak.add_argument(
        "--config", metavar="FILE", help="garak's configuration, YAML or JSON"
    )
    garak.add_argument(
        "--detector-options",
        default="",
        metavar="JSON",
        help="options of detectors as JSON, or a file of them, as in garak's"
        " --detector_options",
    )
    garak.add_argument(
        "--offline",
        action="store_true",
        help="do not let Hugging Face libraries use the network (HF_HUB_OFFLINE=1)",
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    """``a=b,c=d`` as pairs."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name and value for name, _, value in parts):
        raise ValueError
    return [(name, value) for name, _, value in parts]


def _labels_by_value(text: str) -> dict[str, Label]:
    """``hit=1,pass=0`` as value -> label."""
    labels: dict[str, Label] = {"hit": "hit", "pass": "pass"}
    pairs = _pairs(text)
    if not labels.keys() >= {name for name, _ in pairs}:
        raise ValueError
    return {value: labels[name] for name, value in pairs}


def detector_settings(options: argparse.Namespace, seed: int) -> DetectorSettings:
    """Return the configuration that the options ask for, tried out.

    Raises
    ------
    UsageError
        A configuration file or the detector options cannot be used.
    """
    if options.offline:
        for variable in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"):
            os.environ[variable] = "1"
    config = options.config
    if config is not None and os.path.exists(config):
        config = os.path.abspath(config)
    settings = DetectorSettings(
        config=config, options=_text_or_file(options.detector_options), seed=seed
    )
    settings.apply()
    return settings


def options_file(options: argparse.Namespace) -> str | None:
    """The file that ``--detector-options`` names, None where it is JSON or empty."""
    value: str = options.detector_options
    return None if not value or value.lstrip().startswith("{") else value


def _text_or_file(value: str) -> str:
    if not value or value.lstrip().startswith("{"):
        return value
    try:
        with open(value, encoding="utf-8") as handle:
            return handle.read()
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise UsageError(
            f"--detector-options {value[:60]!r}: neither a JSON object nor a file"
            f' ({reason}); expected {{"module": {{"Class": {{"option": "value"}}}}}}'
        ) from None


def _labels_request(options: argparse.Namespace) -> LabelsRequest | None:
    """Return how labels of reports are read; None without ``--labels``.

    Raises
    ------
    UsageError
        Options say how rows of other files are left out.
    """
    if options.labels is None:
        return None
    for option, value in (
        ("--skip-label", options.skip_labels),
        ("--label-threshold", options.label_threshold is not None),
        ("--raters", options.raters),
        ("--ids-per-file", options.ids_per_file),
    ):
        if value:
            raise UsageError(
                f"{option}: goes with rows that others published, not with --labels of"
                " a report; leave one out"
            )
    return labels_request(
        options.labels, LabelReading(**arguments_for(LabelReading, options))
    )


def data_request(options: argparse.Namespace) -> DataRequest:
    """Return the rows that the options ask for."""
    return DataRequest(
        paths=tuple(options.data or ()),
        detectors=options.detectors,
        labels=_labels_request(options),
        reading=Reading(
            **arguments_for(Reading, options, skip_labels=tuple(options.skip_labels))
        ),
    )
