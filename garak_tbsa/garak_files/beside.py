# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies beside a report under its prefix: of garak's, and the labels of people."""

from __future__ import annotations

import os
from collections.abc import Iterator

REPORT_ENDINGS = (".report.jsonl", ".report.jsonl.gz", ".report.jsonl.zst")
PAGE = ".report.html"
HIT_LOG = ".hitlog.jsonl"
STRIPPED_FOR_LABELS = (".gz", ".zst", ".jsonl", ".report")
LABELS_ENDING = ".labels.jsonl"


def beside(report: str, ending: str) -> str | None:
    """Return the path of a file beside a report, None where there is none.

    Parameters
    ----------
    report : str
        Its path. Beside standard input or an address nothing is looked for.
    ending : str
        :data:`PAGE` or :data:`HIT_LOG`.
    """
    if "://" in report:
        return None
    for own in REPORT_ENDINGS:
        if report.endswith(own):
            path = report.removesuffix(own) + ending
            return path if os.path.isfile(path) else None
    return None


def labels_path(report: str) -> str:
    """Return where labels of a report are kept: ``scan.labels.jsonl`` beside it."""
    folder, name = os.path.split(report)
    for ending in STRIPPED_FOR_LABELS:
        name = name.removesuffix(ending)
    return os.path.join(folder, name + LABELS_ENDING)


def kept_beside(report: str) -> Iterator[str]:
    """Yield what no output may replace, since it is read or linked to with a report."""
    yield labels_path(report)
    for ending in (PAGE, HIT_LOG):
        path = beside(report, ending)
        if path is not None:
            yield path


def holds_labels(path: str) -> bool:
    """Whether a file has the name of one that ``label`` appends to, and content."""
    real = os.path.realpath(path)
    return (
        real.endswith(LABELS_ENDING)
        and os.path.isfile(real)
        and os.path.getsize(real) > 0
    )
