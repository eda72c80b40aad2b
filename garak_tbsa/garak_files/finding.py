# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which reports are below a folder, of this machine or of a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from garak_tbsa.errors import ReportError

ENDING = ".report.jsonl"
PACKED = (".gz", ".zst")
ADDRESS = "://"
NO_REPORTS = ("hitlog", "labels")
"""In the names of what garak and ``label`` write beside a report."""


def is_report(name: str) -> bool:
    """Whether a file in a folder is taken for a report, by its name.

    ``<prefix>.report.jsonl`` as garak names it, whatever the prefix, and ``.jsonl``
    with ``report`` in the name, except hit logs and labels; compressed or not.
    """
    unpacked = _unpacked(name)
    return unpacked.endswith(ENDING) or (
        unpacked.endswith(".jsonl")
        and "report" in unpacked
        and not any(word in unpacked for word in NO_REPORTS)
    )


def _unpacked(name: str) -> str:
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name


def untold(_: str) -> None:
    """Tell nobody."""


def find_reports(
    paths: Iterable[str],
    *,
    tell: Callable[[str], None] = untold,
    must_exist: bool = False,
) -> list[str]:
    """Replace each folder among paths by the reports below it, sorted.

    A file that is named itself is taken whatever its name.

    A pipe or device in a folder is left out and told: reading it may never end.

    Parameters
    ----------
    paths : iterable of str
        Reports and folders; a folder may be an fsspec address.
    tell : callable
        Gets a line for each pipe or device that was left out.
    must_exist : bool
        Whether a path to nothing is an error here; else whoever reads it says so.

    Raises
    ------
    ReportError
        A folder holds no report, or cannot be listed; a path does not exist.
    """
    found: list[str] = []
    for path in paths:
        if ADDRESS in path:
            found += [path] if is_report(path) else _below_address(path)
        elif os.path.isdir(path):
            found += _below_folder(path, tell)
        elif must_exist and not os.path.exists(path):
            raise ReportError(
                path, "does not exist", "name a folder of reports, or reports"
            )
        else:
            found.append(path)
    return found


def folder_of(paths: Sequence[str]) -> str:
    """Return the folder that all of these paths are in or below; empty for none."""
    if len(paths) == 1 and (ADDRESS in paths[0] or os.path.isdir(paths[0])):
        return paths[0]
    if any(ADDRESS in path for path in paths):
        return ""
    try:
        return os.path.commonpath([os.path.dirname(path) for path in paths])
    except ValueError:
        return ""  # some are absolute


def _below_folder(path: str, tell: Callable[[str], None]) -> list[str]:
    below = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if is_report(name)
    )
    if not below:
        raise _without_report(path)
    found: list[str] = []
    for name in below:
        if os.path.exists(name) and not os.path.isfile(name):
            tell(
                f"{name}: is a folder, pipe or device, it was left out; name it"
                " by itself to read it"
            )
        else:
            found.append(name)
    return found


def _below_address(address: str) -> list[str]:
    """Reports below an address; the address itself where it is no folder."""
    try:
        from fsspec.core import url_to_fs

        store, folder = url_to_fs(address)
        if not store.isdir(folder):
            return [address]
        names = store.find(folder)
        found = [
            store.unstrip_protocol(name)
            for name in sorted(names)
            if is_report(name.rpartition("/")[2])
        ]
    except Exception as error:
        # each fsspec backend raises its own family of errors
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ReportError(
            address,
            f"cannot be listed ({reason})",
            "check the address, its credentials, and that fsspec's package for it is"
            " installed",
        ) from error
    if not found:
        raise _without_report(address)
    return found


def _without_report(path: str) -> ReportError:
    return ReportError(
        path,
        "is a folder without a garak report in it (*.report.jsonl, or *report*.jsonl)",
        "name a folder of reports, or a report by its own name",
    )
