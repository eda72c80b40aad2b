# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where garak's files are: reports in folders, what lies beside one, a checkout."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence

from garak_tbsa.errors import ReportError
from garak_tbsa.report.opening import ADDRESS, answer_of, reason_of
from garak_tbsa.unavailable import Unavailable

REPORT = ".report.jsonl"
PAGE = ".report.html"
HIT_LOG = ".hitlog.jsonl"
LABELS = ".labels.jsonl"
OF_A_REPORT = re.compile(
    r"(?:.*\.report|(?!.*(?:hitlog|labels)).*report.*)\.jsonl(?:\.gz|\.zst)*", re.DOTALL
)
"""Names of files in a folder that are taken for reports.

``<prefix>.report.jsonl`` as garak names it, whatever the prefix, and ``.jsonl`` with
``report`` in the name, except hit logs and labels; compressed or not.
"""

PACKED = re.compile(r"(?:\.gz)?(?:\.zst)?$")
METRICS_FOLDERS = ("detectors_eval", "detectors-eval")
"""Below ``garak/data``: of garak 0.17, and of 0.14 to 0.16."""

METRICS_FILE = "detector_metrics_summary.json"

# Python 3.10 has no TOML parser
_NAME = re.compile(
    r"""^\[project\][ \t]*\n(?:(?!\[).*\n)*?name\s*=\s*["']garak["']""", re.MULTILINE
)
_MOST_CHARACTERS = 1 << 20


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
        below: list[str] | None = None
        if ADDRESS in path:
            below = _below_address(path)
        elif os.path.isdir(path):
            below = _below_folder(path, tell)
        elif must_exist and not os.path.exists(path):
            advice = "name a folder of reports, or reports"
            raise ReportError(path, "does not exist", advice)
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


def _below_folder(path: str, tell: Callable[[str], None]) -> list[str]:
    found = []
    for folder, _, names in os.walk(path):
        for name in filter(OF_A_REPORT.fullmatch, names):
            report = os.path.join(folder, name)
            if os.path.exists(report) and not os.path.isfile(report):
                tell(
                    f"{report}: is a folder, pipe or device, it was left out; name it"
                    " by itself to read it"
                )
            else:
                found.append(report)
    return sorted(found)


def _below_address(address: str) -> list[str] | None:
    """Reports below an address; None where it is no folder."""
    if OF_A_REPORT.fullmatch(address):
        return None
    try:
        from fsspec.core import url_to_fs

        store, folder = answer_of(url_to_fs, address)
        if not answer_of(store.isdir, folder):
            return None
        return [
            store.unstrip_protocol(name)
            for name in sorted(answer_of(store.find, folder))
            if OF_A_REPORT.fullmatch(name.rpartition("/")[2])
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
    unpacked = PACKED.sub("", report)
    if ADDRESS in report or not unpacked.endswith(REPORT):
        return None
    path = unpacked.removesuffix(REPORT) + ending
    return path if os.path.isfile(path) else None


def labels_path(report: str) -> str:
    """Return where labels of a report are kept: ``scan.labels.jsonl`` beside it."""
    name = PACKED.sub("", report).removesuffix(".jsonl").removesuffix(".report")
    return name + LABELS


def metrics_file_of(folder: str) -> str | Unavailable | None:
    """Where a checkout of garak keeps its detector metrics, the file there or not.

    None where the folder is no checkout: garak's package, its data, and a project
    named garak.
    """
    package = os.path.join(folder, "garak")
    data = os.path.join(package, "data")
    if not os.path.isfile(os.path.join(package, "__init__.py")):
        return None
    try:
        project = os.path.join(folder, "pyproject.toml")
        with open(project, encoding="utf-8", errors="replace") as handle:
            is_garak = _NAME.search(handle.read(_MOST_CHARACTERS)) is not None
    except OSError:
        is_garak = False
    if not (is_garak and os.path.isdir(data)):
        return None
    for name in METRICS_FOLDERS:
        if os.path.isdir(os.path.join(data, name)):
            return os.path.join(data, name, METRICS_FILE)
    known = " nor ".join(f"garak/data/{name}" for name in METRICS_FOLDERS)
    return Unavailable(reason=f"it has neither {known}")
