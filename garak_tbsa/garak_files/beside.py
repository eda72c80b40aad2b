# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What garak writes beside a report, under the same prefix."""

from __future__ import annotations

import os

REPORT_ENDINGS = (".report.jsonl", ".report.jsonl.gz", ".report.jsonl.zst")
PAGE = ".report.html"
HIT_LOG = ".hitlog.jsonl"


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
