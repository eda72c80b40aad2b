# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where garak's files are: reports in folders, what lies beside one, a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files.opening import ADDRESS
from garak_tbsa.garak_files.source import reason_of
from garak_tbsa.garak_files.stores import answer_of
from garak_tbsa.unavailable import Unavailable

PACKED = (".gz", ".zst")
REPORT = ".report.jsonl"
PAGE = ".report.html"
HIT_LOG = ".hitlog.jsonl"
LABELS = ".labels.jsonl"
NO_REPORTS = ("hitlog", "labels")
"""In the names of what garak and ``label`` write beside a report."""

METRICS_FOLDERS = ("detectors_eval", "detectors-eval")
"""Below ``garak/data``: of garak 0.17, and of 0.14 to 0.16."""

METRICS_FILE = "detector_metrics_summary.json"

# Python 3.10 has no TOML parser
_NAME = re.compile(
    r"""^\[project\][ \t]*\n(?:(?!\[).*\n)*?name\s*=\s*["']garak["']""", re.MULTILINE
)
_MOST_CHARACTERS = 1 << 20


def _unpacked(name: str) -> str:
    for ending in PACKED:
        name = name.removesuffix(ending)
    return name


def is_report(name: str) -> bool:
    """Whether a file in a folder is taken for a report, by its name.

    ``<prefix>.report.jsonl`` as garak names it, whatever the prefix, and ``.jsonl``
    with ``report`` in the name, except hit logs and labels; compressed or not.
    """
    unpacked = _unpacked(name)
    return unpacked.endswith(REPORT) or (
        unpacked.endswith(".jsonl")
        and "report" in unpacked
        and not any(word in unpacked for word in NO_REPORTS)
    )


def find_reports(
    paths: Iterable[str],
    *,
    tell: Callable[[str], None] = lambda _: None,
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
            below = None if is_report(path) else _below_address(path)
        elif os.path.isdir(path):
            below = list(_below_folder(path, tell))
        elif must_exist and not os.path.exists(path):
            raise ReportError(
                path, "does not exist", "name a folder of reports, or reports"
            )
        else:
            below = None
        if below == []:
            raise ReportError(
                path,
                "is a folder without a garak report in it (*.report.jsonl, or"
                " *report*.jsonl)",
                "name a folder of reports, or a report by its own name",
            )
        found += [path] if below is None else below
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


def _below_folder(path: str, tell: Callable[[str], None]) -> Iterator[str]:
    for name in sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
        if is_report(name)
    ):
        if os.path.exists(name) and not os.path.isfile(name):
            tell(
                f"{name}: is a folder, pipe or device, it was left out; name it"
                " by itself to read it"
            )
        else:
            yield name


def _below_address(address: str) -> list[str] | None:
    """Reports below an address; None where it is no folder."""
    try:
        from fsspec.core import url_to_fs

        store, folder = answer_of(url_to_fs, address)
        if not answer_of(store.isdir, folder):
            return None
        return [
            store.unstrip_protocol(name)
            for name in sorted(answer_of(store.find, folder))
            if is_report(name.rpartition("/")[2])
        ]
    except Exception as error:
        # each fsspec backend raises its own family of errors
        raise ReportError(
            address,
            f"cannot be listed ({reason_of(error)})",
            "check the address, its credentials, and that fsspec's package for it is"
            " installed",
        ) from error


def beside(report: str, ending: str) -> str | None:
    """Return the path of a file beside a report, None where there is none.

    Parameters
    ----------
    report : str
        Its path. Beside standard input or an address nothing is looked for.
    ending : str
        :data:`PAGE` or :data:`HIT_LOG`.
    """
    unpacked = _unpacked(report)
    if ADDRESS in report or not unpacked.endswith(REPORT):
        return None
    path = unpacked.removesuffix(REPORT) + ending
    return path if os.path.isfile(path) else None


def labels_path(report: str) -> str:
    """Return where labels of a report are kept: ``scan.labels.jsonl`` beside it."""
    name = _unpacked(report)
    for ending in (".jsonl", ".report"):
        name = name.removesuffix(ending)
    return name + LABELS


def is_checkout(folder: str) -> bool:
    """Whether ``folder`` has garak's package, its data, and a project named garak."""
    package = os.path.join(folder, "garak")
    if not os.path.isfile(os.path.join(package, "__init__.py")):
        return False
    if not os.path.isdir(os.path.join(package, "data")):
        return False
    try:
        with open(
            os.path.join(folder, "pyproject.toml"), encoding="utf-8", errors="replace"
        ) as handle:
            return _NAME.search(handle.read(_MOST_CHARACTERS)) is not None
    except OSError:
        return False


def metrics_file_of(checkout: str) -> str | Unavailable:
    """Where a checkout keeps its detector metrics, the file itself there or not."""
    for name in METRICS_FOLDERS:
        folder = os.path.join(checkout, "garak", "data", name)
        if os.path.isdir(folder):
            return os.path.join(folder, METRICS_FILE)
    known = " nor ".join(f"garak/data/{name}" for name in METRICS_FOLDERS)
    return Unavailable(reason=f"it has neither {known}")
