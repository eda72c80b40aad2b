# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors evaluate``, also ``python -m garak.analyze.detector_eval``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any

from garak_tbsa import progress
from garak_tbsa.api.metrics import evaluate, options_file
from garak_tbsa.api.summary_place import (
    OUTSIDE_A_CHECKOUT,
    checkout_note,
    default_output,
    merged,
    merged_lines,
    metrics_before,
    other_garak,
    refused,
)
from garak_tbsa.cli.outputs import claim_outputs, tell_problems
from garak_tbsa.cli.parsers import add_options_of, add_switches, arguments_for, taking
from garak_tbsa.detector_eval.evaluation import Evaluation, saved_places
from garak_tbsa.detector_eval.published import presets
from garak_tbsa.detector_eval.summary import LEAST_OF_A_LABEL, summary_text
from garak_tbsa.earlier_outputs import require_replaceable
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    MetricsRefusedError,
    UsageError,
)
from garak_tbsa.files import is_stream, write_whole
from garak_tbsa.outputs.evaluation import (
    evaluation_lines,
    mistake_lines,
    preset_lines,
)
from garak_tbsa.terminal import terminal_width, write_error, write_lines

BY_HAND = ("columns", "label_values", "preset", "each")
SWITCHES = {
    "--offline": "do not let Hugging Face libraries use the network (HF_HUB_OFFLINE=1)",
    "--force": "replace entries of garak's file also by those of fewer than"
    f" {LEAST_OF_A_LABEL} rows of a label",
    "-v, --verbose": "list rows that each detector gets wrong, results on stress rows,"
    " and why detectors are not ranked",
    "-q, --quiet": "print only errors",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Run garak's detectors on labelled responses and write how well"
        " each distinguishes hits from passes."
    )
    parser.epilog = (
        "Exit codes: 0 done, 1 could not, 2 usage. The summary is written after each"
        " detector, so an interruption leaves those that were finished."
    )
    add_options_of(parser, evaluate, but=BY_HAND, data=None)
    parser.add_argument(
        "--columns",
        type=taking("name=value,...", lambda text: dict(_pairs(text)), found=", not"),
        default={},
        metavar="OURS=THEIRS,...",
        help="names of the columns, e.g. output=response,label=verdict",
    )
    parser.add_argument(
        "--label-values",
        type=taking("hit=value,pass=value,...", _labels_by_value, found=", not"),
        default={},
        metavar="LABEL=VALUE,...",
        help="values of the labels, e.g. hit=1,pass=0; skip=VALUE leaves out rows with"
        " that value, and rows without one clear label",
    )
    parser.add_argument(
        "--preset",
        action=_ChosenPreset,
        metavar="NAME",
        help="--data has the form of this published set, e.g. xstest; `list` shows"
        " them all, and what each does not tell",
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help=f"where to write the summary (default: {OUTSIDE_A_CHECKOUT}; in a checkout"
        " of garak, where garak has its own). The file that garak reads, of a checkout"
        " or in garak's data folder, keeps its other detectors",
    )
    add_switches(parser, SWITCHES)


class _ChosenPreset(argparse.Action):
    """Takes a name; ``list`` shows the published sets in place of the command."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if values == "list":
            write_lines(preset_lines(list(presets().values()), terminal_width()))
            parser.exit()
        setattr(namespace, self.dest, values)


def _pairs(text: str) -> list[tuple[str, str]]:
    """``a=b,c=d`` as pairs."""
    parts = [part.partition("=") for part in text.split(",")]
    if not all(name and value for name, _, value in parts):
        raise ValueError
    return [(name, value) for name, _, value in parts]


def _labels_by_value(text: str) -> dict[str, str]:
    """``hit=1,pass=0`` as value -> what it means."""
    pairs = _pairs(text)
    if not {name for name, _ in pairs} <= {"hit", "pass", "skip"}:
        raise ValueError
    return {value: name for name, value in pairs}


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Data, settings or output cannot be used; nothing half-written stays.
    """
    if options.quiet:
        progress.stop()
    if options.offline:
        os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")
    if options.config is not None and os.path.exists(options.config):
        options.config = os.path.abspath(options.config)
    output = _Output(options)
    try:
        result = evaluate(**arguments_for(evaluate, options, each=output.keep))
    except KeyboardInterrupt:
        output.tell_interrupted()
        raise
    found = result.evaluation
    assert found is not None  # it was made here
    written = output.finish(found)
    if not options.quiet:
        lines = evaluation_lines(
            result.summary, found, verbose=options.verbose, width=terminal_width()
        )
        write_lines(lines)
        if options.verbose:
            write_lines(mistake_lines(found))
        write_lines(written)
    return output.exit_code(found)


class _Output:
    """Where the summary goes: a file of its own, or one that garak reads.

    Attributes
    ----------
    few : mapping of str to str
        Entries of that file that are not replaced, since too few rows have a score.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.path: str = options.output or default_output()
        self.before = metrics_before(self.path)
        self.found: Evaluation | None = None
        self.few: Mapping[str, str] = {}
        if options.force and self.before is None:
            raise UsageError(
                "--force: has an effect only where --output is a file that garak reads;"
                " leave it out"
            )

    def keep(self, found: Evaluation) -> None:
        """Write what is finished, so that an interruption loses nothing else.

        Raises
        ------
        GarakTbsaError
            Before a detector ran: the output would spoil another file, or a detector
            has too few rows to replace an entry.
        """
        is_first, self.found = self.found is None, found
        self.few = refused(found, self.before)
        if is_first:
            self._claim(found)
        elif found.measured and not is_stream(self.path):
            self._write(found)

    def _claim(self, found: Evaluation) -> None:
        selection, options = found.selection, self.options
        if selection.labels is not None:
            tell_problems(selection.labels.problems, "were not used", "warning: ")
        inputs = (*selection.inputs, options.config)
        claim_outputs(
            {"--output": self.path, **saved_places(selection, found.options)},
            [*inputs, options_file(options.detector_options)],
        )
        if self.before is None:
            require_replaceable("--output", self.path, "summary")
        self._refuse("unchanged")

    def _refuse(self, left: str) -> None:
        if self.few and not self.options.force:
            named = "; ".join(f"the new {name} {why}" for name, why in self.few.items())
            raise MetricsRefusedError(
                f"--output {self.path}: {left}: {named}; label more rows, or replace"
                " with --force"
            )

    def _write(self, found: Evaluation) -> dict[str, Any] | None:
        """Write the file; return what it has, None where nothing of it is new."""
        document = found.document
        if self.before is not None:
            kept = {} if self.options.force else self.few
            if len(found.measured) == len(kept):
                return None
            document = merged(document, self.before, kept)
        write_whole(self.path, summary_text(document))
        return document

    def tell_interrupted(self) -> None:
        """Say what the file has."""
        found = self.found
        if found is not None and found.measured and not is_stream(self.path):
            count = f"{len(found.measured)} of {len(found.selection.rows)}"
            write_error(f"{self.path}: has the detectors that were finished, {count}")

    def finish(self, found: Evaluation) -> list[str]:
        """Write the whole; return what is said of the file."""
        document = self._write(found)
        if document is None:
            return [f"not changed: {self.path}"]
        note = checkout_note(self.path)
        said = [f"written: {self.path}{f' ({note})' if note else ''}"]
        if self.before is not None:
            said += merged_lines(document, self.before)
        if self.options.force:
            said += [f"  by --force: the new {n} {why}" for n, why in self.few.items()]
        warning = other_garak(self.path)
        if warning is not None:
            write_error(f"warning: {warning}")
        return said

    def exit_code(self, found: Evaluation) -> int:
        """Whether there is anything new, and all of it is in the file."""
        if not found.measured:
            why = "metadata.errors says why for each"
            if self.before is not None:
                why = "its metrics are as before"
            write_error(f"{self.path}: no detector could be evaluated; {why}")
            return EXIT_COULD_NOT
        self._refuse("entries are as before")
        return EXIT_DONE
