# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What ``--data`` names -> the files behind it, and what each is."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

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
        for file in _files_at(path, is_published=is_published):
            named = stem_of(file) if known(stem_of(file)) else None
            first, second = (named, sole_detector)
            if file == path or is_published:
                first, second = sole_detector, None if is_published else named
            place = file if "://" in file else os.path.realpath(file)
            if place not in listed:
                listed[place] = LabelledSource(
                    path=file,
                    detector=first or second,
                    is_report=not is_published and _is_report(file),
                )
    found = list(listed.values())
    names = [stem_of(source.path) for source in found]
    if len(set(names)) < len(names):
        names = _distinct_names([source.path for source in found])
    return [
        replace(source, name=name) for source, name in zip(found, names, strict=True)
    ]


def _distinct_names(paths: Sequence[str]) -> list[str]:
    """The paths from where they part, without their endings."""
    stems = [os.path.splitext(path)[0].replace(os.sep, "/") for path in paths]
    parts = [stem.split("/") for stem in stems]
    folders = zip(*(part[:-1] for part in parts), strict=False)
    shared = len(list(takewhile(lambda level: len(set(level)) == 1, folders)))
    return ["/".join(part[shared:]) for part in parts]


def _files_at(path: str, *, is_published: bool) -> Iterator[str]:
    """The path itself, or the files of a folder."""
    if not os.path.isdir(path):
        yield path
        return
    files = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if is_published or folder == path
        if format_of(name) is not None
        # a summary is .json too, so such files count only when they are named
        if is_published or not name.endswith(".json")
    )
    if not files and is_published:
        raise DatasetError(
            f"{path}: no data in this folder; expected .jsonl, .json, .csv, .tsv or"
            " .parquet files"
        )
    if not files:
        raise DatasetError(
            f"{path}: no labelled data in this folder;"
            " expected files such as dan.DAN.jsonl"
        )
    yield from files


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


def folder_of(source: LabelledSource) -> str | None:
    """Where a row's files lie; None for rows that others may have written elsewhere."""
    if source.is_report or format_of(source.path) == "hub":
        return None
    return os.path.dirname(os.path.realpath(source.path))


def keep_standard_input() -> str:
    """Write what comes on standard input to a file, which goes with this process.

    Rows are read more than once.

    Raises
    ------
    DatasetError
        Standard input is closed, fails, or has no room.
    """
    if sys.stdin is None or sys.stdin.closed:
        raise DatasetError("-: standard input is closed; pipe rows or a report into it")
    try:
        folder = tempfile.mkdtemp(prefix="garak-tbsa-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, "standard-input.jsonl")
        with open(path, "wb") as handle:
            shutil.copyfileobj(sys.stdin.buffer, handle, 1 << 20)
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise DatasetError(
            f"-: standard input cannot be kept ({reason}); give the path of a file"
        ) from None
    return path
