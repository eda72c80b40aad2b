# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which reports are below a folder, of this machine or of a store."""

from __future__ import annotations

import os

from garak_tbsa.errors import ReportError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ENDING = ".report.jsonl"
PACKED = (".gz", ".zst")
ADDRESS = "://"
NO_REPORTS = (".hitlog.jsonl", ".labels.jsonl")
"""What garak and ``label`` write beside a report, and may have its prefix."""


def is_report(name: str) -> bool:
    """Whether a file is named as garak names its reports, compressed or not."""
    return _unpacked(name).endswith(ENDING)


def may_be_report(name: str) -> bool:
    """Whether a file's name says ``report`` anywhere, and JSON Lines."""
    unpacked = _unpacked(name)
    return (
        unpacked.endswith(".jsonl")
        and "report" in unpacked
        and not unpacked.endswith(NO_REPORTS)
    )


def _unpacked(name: str) -> str:
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name


def untold(_: str) -> None:
    """Tell nobody."""


def find_reports(
    paths: Iterable[str],
    wanted: Callable[[str], bool] = is_report,
    *,
    tell: Callable[[str], None] = untold,
) -> list[str]:
    """Replace each folder among paths by the reports below it, sorted.

    A pipe or device in a folder is left out and told: reading it may never end.

    Parameters
    ----------
    paths : iterable of str
        Reports and folders; a folder may be an fsspec address.
    wanted : callable
        Whether a file in a folder is a report, by its name.
    tell : callable
        Gets a line for each pipe or device that was left out.

    Raises
    ------
    ReportError
        A folder holds no report, or cannot be listed.
    """
    found: list[str] = []
    for path in paths:
        if ADDRESS in path:
            found += [path] if may_be_report(path) else _below_address(path, wanted)
        elif os.path.isdir(path):
            found += _below_folder(path, wanted, tell)
        else:
            found.append(path)
    return found


def _below_folder(
    path: str, wanted: Callable[[str], bool], tell: Callable[[str], None]
) -> list[str]:
    below = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if wanted(name)
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


def _below_address(address: str, wanted: Callable[[str], bool]) -> list[str]:
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
            if wanted(name.rpartition("/")[2])
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
        "is a folder without a *.report.jsonl in it",
        "name a folder of garak reports, or one report",
    )
