# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The options that name labelled data and detectors, and what they stand for."""

from __future__ import annotations

import argparse
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from garak_tbsa.detector_eval.dataset import (
    DatasetOptions,
    DetectorRows,
    LabelledSource,
    check_sources,
    find_sources,
)
from garak_tbsa.detector_eval.formats import ReadOptions
from garak_tbsa.detector_eval.shipped import served_by, shipped_folder
from garak_tbsa.errors import DatasetError, UsageError
from garak_tbsa.garak_api.detector_loading import DetectorSettings
from garak_tbsa.garak_api.detectors import (
    is_detector,
    nearest,
    own_detectors,
    resolve_detectors,
    word_list,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from garak_tbsa.detector_eval.labelled_row import Label

NO_ROWS = "no labelled rows"

_LOOKS_LIKE_DETECTOR = re.compile(r"[a-z][a-z0-9_]*\.[A-Z]\w*")


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The rows that were asked for.

    Attributes
    ----------
    rows : mapping
        Detector -> its rows, sorted by name.
    without_rows : tuple of str
        Detectors that were asked for and have none.
    reading : DatasetOptions
        How the rows are read again.
    """

    rows: Mapping[str, DetectorRows]
    without_rows: tuple[str, ...]
    reading: DatasetOptions


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
        " hf://owner/name#config@split, a saved Hugging Face data set, or a garak"
        " report with --labels (default: the data that comes with this package)",
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
        metavar="FILE",
        help="labels of a garak report's outputs: CSV or JSON Lines with attempt,"
        " output_index, label and, where several are judged, detector",
    )
    data.add_argument(
        "--columns",
        type=pairs,
        default={},
        metavar="OURS=THEIRS,...",
        help="which column is which, e.g. output=response,label=verdict",
    )
    data.add_argument(
        "--label-values",
        type=label_values,
        default={},
        metavar="LABEL=VALUE,...",
        help="other spellings of the labels, e.g. hit=1,pass=0",
    )
    data.add_argument(
        "--encoding", default="utf-8-sig", help="of CSV files (default: utf-8)"
    )


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
        help="options of detectors, or a file of them, as garak's --detector_options",
    )
    garak.add_argument(
        "--offline",
        action="store_true",
        help="let no Hugging Face library try the network (HF_HUB_OFFLINE=1)",
    )


def pairs(text: str) -> dict[str, str]:
    """``a=b,c=d`` as a mapping, for argparse.

    Raises
    ------
    argparse.ArgumentTypeError
        A part is no ``name=value``.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if not name or not value:
            raise argparse.ArgumentTypeError(f"expected name=value, not {part!r}")
        found[name] = value
    return found


def label_values(text: str) -> dict[str, Label]:
    """``hit=1,pass=0`` as value -> label, for argparse.

    Raises
    ------
    argparse.ArgumentTypeError
        A part names neither ``hit`` nor ``pass``, or no value.
    """
    values: dict[str, Label] = {}
    for part in text.split(","):
        label, _, value = part.partition("=")
        if label == "hit" and value:
            values[value] = "hit"
        elif label == "pass" and value:
            values[value] = "pass"
        else:
            raise argparse.ArgumentTypeError(
                f"expected hit=value or pass=value, not {part!r}"
            )
    return values


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


def select_rows(options: argparse.Namespace, *, scratch: str) -> Selection:
    """Find, check and count the rows that the options ask for.

    Parameters
    ----------
    scratch : str
        A folder for temporary files, which must outlive the result.

    Raises
    ------
    GarakTbsaError
        A path, a row, or the name of a detector is wrong.
    """
    named = None if options.detectors is None else resolve_detectors(options.detectors)
    paths = options.data or [shipped_folder()]
    mapping = _served(paths)
    reading = DatasetOptions(
        word_list=word_list,
        read=ReadOptions(columns=options.columns, encoding=options.encoding),
        label_values=options.label_values,
        labels=options.labels,
    )
    sources = find_sources(
        paths,
        known=_names_detector,
        sole_detector=named[0] if named and len(named) == 1 else None,
    )
    if options.labels and not any(source.is_report for source in sources):
        raise UsageError(
            f"--labels {options.labels}: no garak report is among the data; give one"
            " with --data, or leave --labels out"
        )
    found = check_sources(_wanted(sources, named, mapping), reading, scratch=scratch)
    _check_names(found)
    for detector, stem in mapping.items():
        if stem in found and detector not in found:
            found[detector] = found[stem].served_to(detector)
    if named is None:
        _check_imports(found)
    if named is None:
        named = tuple(sorted({*found, *(() if options.data else own_detectors())}))
    return Selection(
        rows={name: found[name] for name in named if name in found},
        without_rows=tuple(name for name in named if name not in found),
        reading=reading,
    )


def _names_detector(stem: str) -> bool:
    """Whether a file's name is meant as a detector's, perhaps mistyped."""
    return is_detector(stem) or _LOOKS_LIKE_DETECTOR.fullmatch(stem) is not None


def _served(paths: Sequence[str]) -> dict[str, str]:
    return {
        detector: stem
        for path in paths
        if os.path.isdir(path)
        for detector, stem in served_by(path).items()
    }


def _wanted(
    sources: Sequence[LabelledSource],
    named: Sequence[str] | None,
    mapping: Mapping[str, str],
) -> list[LabelledSource]:
    """Leave out files of other detectors, so that one detector costs one file."""
    if named is None:
        return list(sources)
    useful = {*named, *(mapping[name] for name in named if name in mapping), None}
    return [source for source in sources if source.detector in useful]


def _check_names(found: Mapping[str, DetectorRows]) -> None:
    for name, rows in found.items():
        if not is_detector(name):
            raise DatasetError(
                f"{rows.parts[0].source.path}: rows for {name!r}, which is no detector"
                f" of the installed garak{nearest(name)}"
            )


def _check_imports(found: Mapping[str, DetectorRows]) -> None:
    """Data from elsewhere must not choose what this process imports."""
    for name, rows in found.items():
        if ":" in name:
            raise DatasetError(
                f"{rows.parts[0].source.path}: rows for {name!r}, which is no detector"
                " of garak's; name it with --detectors if it is to be imported"
            )
