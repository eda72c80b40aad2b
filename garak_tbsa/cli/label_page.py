# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa label --page``: outputs to label in a browser, in one file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.cli.scan_to_label import ScanToLabel
from garak_tbsa.errors import UsageError
from garak_tbsa.files import STANDARD_OUTPUT, is_stream, write_whole
from garak_tbsa.label_audit.label_page import page_text
from garak_tbsa.label_audit.questions import planned_questions
from garak_tbsa.label_audit.texts import Texts
from garak_tbsa.tasks.scoring import scoring_files
from garak_tbsa.terminal import write_error, write_line

OUTPUTS_OF_PAGE = 150
"""Worth an hour or two; they bring the error of the score under 0.2."""


def require_one_report(options: argparse.Namespace, reports: Sequence[str]) -> None:
    """Refuse what a page cannot be made of.

    Raises
    ------
    UsageError
        Several reports, one that is read once, or ``--labels``.
    """
    if len(reports) > 1:
        raise UsageError(
            f"--page {options.page}: is for one report, and {len(reports)} are given;"
            " make a page for each"
        )
    for report in reports:
        if report == STANDARD_OUTPUT or is_stream(report):
            raise UsageError(
                f"{report}: a page needs it read more than once; give a report's path"
            )
    if options.labels is not None:
        raise UsageError(
            f"--labels {options.labels}: is for the terminal; a page keeps answers in"
            " the browser, where earlier ones can be imported"
        )
    claim_outputs(
        {"--page": options.page},
        [*reports, *scoring_files(options)],
    )


def write_page(scan: ScanToLabel, options: argparse.Namespace) -> None:
    """Write the page, and say what to do with it.

    Raises
    ------
    OutputError
        It cannot be written.
    ReportError
        The report was removed or changed while it was read.
    """
    questions = planned_questions(scan.task, {}, options.count or OUTPUTS_OF_PAGE)
    page = page_text(
        scan.path,
        scan.run,
        scan.task,
        questions,
        Texts(scan.path, scan.limits),
        options.rater or "",
    )
    write_whole(options.page, page)
    if is_stream(options.page):
        return
    outputs = "1 output" if len(questions) == 1 else f"{len(questions)} outputs"
    write_line(f"{options.page}: {outputs} to label; open it in a browser, then")
    write_line(f"   garak-tbsa audit {scan.path} --labels EXPORTED-FILE")
    if options.count and len(questions) < options.count:
        write_error(f"{options.page}: the report has no more outputs to label")
