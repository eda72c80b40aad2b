# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``--data`` names -> the files behind it, and what each is."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from garak_tbsa.detector_eval.formats import check_regular, format_of
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.attempts import is_report


@dataclass(frozen=True, kw_only=True)
class LabelledSource:
    """A file of rows, and whose they are where they do not say.

    ``name`` tells it from the other files: its name without the ending, and as many
    of its folders as they do not share.
    """

    path: str
    detector: str | None
    is_report: bool = False
    name: str = ""


def find_sources(
    paths: Sequence[str],
    *,
    known: Callable[[str], bool],
    sole_detector: str | None = None,
    is_published: bool = False,
) -> list[LabelledSource]:
    """List the files behind ``--data``; folders give the files directly in them.

    A file that is named twice, or with its folder, is listed once.

    Parameters
    ----------
    known : callable
        Whether a name is a detector, so that ``dan.DAN.jsonl`` holds its rows.
    sole_detector : str, optional
        Whose rows a file holds that is named itself, rather than found in a folder.
    is_published : bool
        The files are in a preset's form: all are rows for the sole detector, whatever
        their names and endings, in folders below folders too.

    Raises
    ------
    DatasetError
        A path does not exist, or a folder holds no labelled data.
    """
    listed: dict[str, LabelledSource] = {}
    for path in paths:
        found = _sources_at(path, known, sole_detector)
        if is_published:
            found = _published_at(path, sole_detector)
        for source in found:
            is_local = "://" not in source.path
            place = os.path.realpath(source.path) if is_local else source.path
            listed.setdefault(place, source)
    return _named(list(listed.values()))


def _named(sources: list[LabelledSource]) -> list[LabelledSource]:
    stems = [stem_of(source.path) for source in sources]
    if len(set(stems)) == len(stems):
        names = stems
    else:
        names = _distinct_names([source.path for source in sources])
    return [
        replace(source, name=name) for source, name in zip(sources, names, strict=True)
    ]


def _distinct_names(paths: Sequence[str]) -> list[str]:
    """The paths from where they part, without their endings."""
    stems = [os.path.splitext(path)[0].replace(os.sep, "/") for path in paths]
    parts = [stem.split("/") for stem in stems]
    shared = 0
    for folders in zip(*(part[:-1] for part in parts), strict=False):
        if len(set(folders)) > 1:
            break
        shared += 1
    return ["/".join(part[shared:]) for part in parts]


def _published_at(path: str, detector: str | None) -> Iterator[LabelledSource]:
    if not os.path.isdir(path) or format_of(path) == "hub":
        yield LabelledSource(path=path, detector=detector)
        return
    files = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if format_of(name) is not None
    )
    if not files:
        raise DatasetError(
            f"{path}: no data in this folder; expected .jsonl, .json, .csv, .tsv or"
            " .parquet files"
        )
    for file in files:
        yield LabelledSource(path=file, detector=detector)


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
    if format_of(path) not in ("jsonl", "json", None):
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
