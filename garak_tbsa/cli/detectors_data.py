# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The options that name labelled data and detectors, and what they ask for."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from garak_tbsa.api.evaluating import data_request
from garak_tbsa.cli.detectors_text import preset_lines
from garak_tbsa.cli.parsers import add_switches, arguments_for, taking
from garak_tbsa.detector_eval.row_form import Meaning, presets, row_form
from garak_tbsa.detector_eval.selection import DataRequest
from garak_tbsa.errors import UsageError, reason_of
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.terminal import write_lines


def add_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which rows, of which detectors, in which columns."""
    data = parser.add_argument_group("labelled data")
    data.add_argument(
        "--data",
        nargs="+",
        default=(),
        metavar="PATH",
        help="files or folders of labelled rows: .jsonl, .csv, .parquet, or a garak"
        " report with --labels (default: the data that comes with this package)",
    )
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
        help="labels of outputs of the garak report: answers (JSON Lines) and sheets"
        " (CSV) of `label`",
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
        help="values of the labels, e.g. hit=1,pass=0; skip=VALUE leaves out rows with"
        " that value, and rows without one clear label",
    )
    data.add_argument(
        "--preset",
        action=_ChosenPreset,
        metavar="NAME",
        help="--data has the form of this published set, e.g. xstest; `list` shows"
        " them all, and what each does not tell",
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
    add_switches(
        garak,
        {
            "--offline": "do not let Hugging Face libraries use the network"
            " (HF_HUB_OFFLINE=1)",
        },
    )


def _pairs(text: str) -> list[tuple[str, str]]:
    """``a=b,c=d`` as pairs."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name and value for name, _, value in parts):
        raise ValueError
    return [(name, value) for name, _, value in parts]


def _labels_by_value(text: str) -> dict[str, Meaning]:
    """``hit=1,pass=0`` as value -> what it means."""
    labels: dict[str, Meaning] = {"hit": "hit", "pass": "pass", "skip": "skip"}
    pairs = _pairs(text)
    if not labels.keys() >= {name for name, _ in pairs}:
        raise ValueError
    return {value: labels[name] for name, value in pairs}


def detector_settings(options: argparse.Namespace) -> DetectorSettings:
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
    given, path = options.detector_options, options_file(options)
    if path is not None:
        try:
            given = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(
                f"--detector-options {path[:60]!r}: neither a JSON object nor a file"
                f" ({reason_of(error)}); expected"
                ' {"module": {"Class": {"option": "value"}}}'
            ) from None
    settings = DetectorSettings(config=config, options=given, seed=options.seed)
    settings.apply()
    return settings


def options_file(options: argparse.Namespace) -> str | None:
    """The file that ``--detector-options`` names, None where it is JSON or empty."""
    value: str = options.detector_options
    return None if not value or value.lstrip().startswith("{") else value


def request_of(options: argparse.Namespace) -> DataRequest:
    """Return the rows that the options ask for."""
    form = arguments_for(row_form, options)
    return data_request(**arguments_for(data_request, options), **form)
