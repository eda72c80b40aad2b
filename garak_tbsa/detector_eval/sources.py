# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``--data`` names -> the files behind it, and what each is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from garak_tbsa.detector_eval.formats import check_regular, format_of
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import is_report


@dataclass(frozen=True, kw_only=True)
class LabelledSource:
    """A file of rows, and whose they are where they do not say."""

    path: str
    detector: str | None
    is_report: bool = False


def find_sources(
    paths: Sequence[str],
    *,
    known: Callable[[str], bool],
    sole_detector: str | None = None,
) -> list[LabelledSource]:
    """List the files behind ``--data``; folders give the files directly in them.

    A file that is named twice, or with its folder, is listed once.

    Parameters
    ----------
    known : callable
        Whether a name is a detector, so that ``dan.DAN.jsonl`` holds its rows.
    sole_detector : str, optional
        Whose rows a file holds that is named itself, rather than found in a folder.

    Raises
    ------
    DatasetError
        A path does not exist, or a folder holds no labelled data.
    """
    listed: dict[str, LabelledSource] = {}
    for path in paths:
        for source in _sources_at(path, known, sole_detector):
            is_local = "://" not in source.path
            place = os.path.realpath(source.path) if is_local else source.path
            listed.setdefault(place, source)
    return list(listed.values())


def _sources_at(
    path: str, known: Callable[[str], bool], sole_detector: str | None
) -> Iterator[LabelledSource]:
    if not os.path.isdir(path) or format_of(path) == "hub":
        yield _source(path, sole_detector or _detector_in_name(path, known))
        return
    # a summary is .json too, so such files count only when they are named
    names = sorted(
        name
        for name in os.listdir(path)
        if format_of(name) is not None and not name.endswith(".json")
    )
    if not names:
        raise DatasetError(
            f"{path}: no labelled data in this folder;"
            " expected files such as dan.DAN.jsonl"
        )
    for name in names:
        file = os.path.join(path, name)
        yield _source(file, _detector_in_name(file, known) or sole_detector)


def _source(path: str, detector: str | None) -> LabelledSource:
    return LabelledSource(path=path, detector=detector, is_report=_is_report(path))


def _is_report(path: str) -> bool:
    """Whether it is a garak report, which may be packed or lie elsewhere."""
    if format_of(path) not in ("jsonl", None):
        return False
    if "://" not in path:
        check_regular(path)
        if not os.path.isfile(path) or not os.path.getsize(path):
            return False  # told when it is read as rows
    return is_report(path)


def stem_of(path: str) -> str:
    """File name without folders and the ending: ``dan.DAN``."""
    return os.path.splitext(os.path.basename(path))[0]


def _detector_in_name(path: str, known: Callable[[str], bool]) -> str | None:
    stem = stem_of(path)
    return stem if known(stem) else None


def folder_of(source: LabelledSource) -> str | None:
    """Where a row's files lie; None for rows that others may have written elsewhere."""
    if source.is_report or format_of(source.path) == "hub":
        return None
    return os.path.dirname(os.path.realpath(source.path))


def keep_standard_input(path: str) -> None:
    """Write what comes on standard input to ``path``: rows are read several times.

    Raises
    ------
    DatasetError
        Standard input is closed, fails, or has no room.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise DatasetError("-: standard input is closed; pipe rows or a report into it")
    try:
        with open(path, "wb") as handle:
            shutil.copyfileobj(sys.stdin.buffer, handle, 1 << 20)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise DatasetError(
            f"-: standard input cannot be kept ({reason}); give the path of a file"
        ) from None
