# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa audit``: what labels of a few outputs say of a scan."""

from __future__ import annotations

import argparse

from garak_tbsa.api.audit import NotAuditableError, audit, usable_labels
from garak_tbsa.cli import outputs, parsers
from garak_tbsa.errors import EXIT_DONE, EXIT_GATE_FAILED
from garak_tbsa.labels import forms
from garak_tbsa.labels.audit import answer_text
from garak_tbsa.outputs.registry import AUDIT_FORMATS
from garak_tbsa.terminal import write_line, write_lines


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Say what the score would be if every output were judged as a few"
        " labelled ones were, how good the detectors were on this scan, and what to"
        " label next."
    )
    parser.epilog = "Exit codes: 0 done, 1 could not audit, 2 usage, 3 the gate failed."
    parsers.add_options_of(parser, audit)
    parsers.add_switches(parser, {"-q, --quiet": "print the first line only"})
    outputs.add_form_options(parser, AUDIT_FORMATS)


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises
    ------
    NotScorableError
        No output is labelled, or no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    labels = usable_labels(options.report, options.labels)
    inputs = [options.report, *labels, *parsers.scoring_files(options)]
    paths = outputs.claimed_forms(options, AUDIT_FORMATS, inputs)
    try:
        result = audit(**parsers.arguments_for(audit, options, labels=labels))
    except NotAuditableError as error:
        outputs.tell_problems(error.problems)
        raise
    outputs.tell_problems(result.problems)
    if options.quiet:
        write_line(answer_text(result.scan, result.document.audited))
    else:
        write_lines(forms.text(result))
    outputs.tell_verdict(result.document.infile, result.gate, quiet=options.quiet)
    outputs.write_forms(paths, result)
    if result.gate is not None and not result.gate.passed:
        return EXIT_GATE_FAILED
    return EXIT_DONE
