# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A report and labels of some of its outputs -> what the labels say of the scan."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from msgspec import Struct

from garak_tbsa.api.arguments import (
    CalibrationName,
    PathLike,
    Paths,
    Tiers,
    path_of,
    paths_of,
    scoring_of,
)
from garak_tbsa.detector_eval.report_labels import Place
from garak_tbsa.errors import NotScorableError, ReportError, UsageError
from garak_tbsa.gates.options import rules_of
from garak_tbsa.hits import Hit, output_of
from garak_tbsa.labels import forms
from garak_tbsa.labels.audit import Audit, audit_scan, disputed_verdicts
from garak_tbsa.labels.label_files import LabelReading, read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import (
    audited_scan,
    read_outputs,
    wanted_attempts,
)
from garak_tbsa.option import Option
from garak_tbsa.outputs.documents import audit as documents
from garak_tbsa.report.attempts import prompt_text
from garak_tbsa.report.places import labels_path
from garak_tbsa.result import FLAG, NUMBER, TEXT, WHOLE, Result, file_name, frame
from garak_tbsa.tbsa.scan import AS_IN_REPORT

if TYPE_CHECKING:
    from pandas import DataFrame

ENDS = {"value": "", "lower": "_lower", "upper": "_upper"}
"""A range's members, and what ends the name of each one's column."""

TABLES: dict[str, type[Struct]] = {
    "pairs": documents.AuditedPair,
    "detectors": documents.Detector,
    "next": documents.Next,
    "disagreements": documents.Disagreement,
}
KINDS = {str: TEXT, int: WHOLE, float: NUMBER, bool: FLAG}

TO_BEGIN = (
    "begin with `garak-tbsa label REPORT`, or write a sheet with `garak-tbsa label"
    " REPORT --sheet FILE`, and give the file with --labels"
)


class NotAuditableError(NotScorableError):
    """Labels that say nothing of a scan.

    Attributes
    ----------
    problems : tuple of str
        Why labels were not used, one line each.
    """

    def __init__(self, message: str, problems: Sequence[str]) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class AuditResult(Result, Audit):
    """What :func:`garak_tbsa.audit` returns.

    Attributes
    ----------
    document : Audit
        What ``to_json`` writes, as typed values.
    assessment : Scan
        By the detectors.
    scan : AuditedScan
        With the labels.
    matched : ReportLabels
        What the labels say.
    gate : GateVerdict or None
        The outcome of the rules; None without a rule.
    detectors : tuple of DetectorOnScan
        How good each was on this scan, or why that is not known; by name.
    outputs : tuple of Hit
        Those on which labels and detectors disagree.
    """

    @property
    def tbsa(self) -> float:
        """The score by the labels, 1.0-5.0."""
        return self.document.audited.tbsa

    @property
    def interval(self) -> tuple[float, float]:
        """The range of the score by labels, with 95 % probability."""
        return self.document.audited.lower, self.document.audited.upper

    @property
    def by_detectors(self) -> float:
        """The score as the detectors judged, 1.0-5.0."""
        return self.document.tbsa

    @property
    def pairs(self) -> list[documents.AuditedPair]:
        """The pairs that could be audited."""
        return self.document.pairs

    @property
    def next(self) -> list[documents.Next]:
        """What to label next; never show raters its verdicts."""
        return self.document.next

    @property
    def disagreements(self) -> list[documents.Disagreement]:
        """Labelled outputs on which labels and detectors disagree, with their texts."""
        return self.document.disagreements

    @property
    def not_audited(self) -> dict[str, str]:
        """Pair -> why it could not be audited."""
        return {each.pair: each.reason for each in self.document.not_audited}

    @property
    def problems(self) -> tuple[str, ...]:
        """Why labels were not used, one line each."""
        return tuple(self.document.labels.problems)

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa audit -j`` writes."""
        return forms.json_document(self)

    def to_frame(
        self, of: Literal["pairs", "detectors", "next", "disagreements"] = "pairs"
    ) -> DataFrame:
        """Return one row for each pair, detector, kind to label next, or disagreement.

        Parameters
        ----------
        of : {"pairs", "detectors", "next", "disagreements"}

        Raises
        ------
        NotInstalledError
            pandas is not installed.
        """
        columns = dict(_columns(TABLES[of]))
        return frame(map(_flat, self.to_dict()[of]), columns)

    def _summary(self) -> str:
        lower, upper = self.interval
        missing = self.scan.not_audited_text
        return (
            f"TBSA {self.tbsa:.1f} by {self.scan.labels} labels ({lower:.1f} to"
            f" {upper:.1f}), {self.by_detectors:.1f} by detectors,"
            + f" {missing}," * (missing is not None)
            + f" {file_name(self.document.infile)}"
        )

    def _lines(self) -> list[str]:
        return forms.text(self)


def _columns(kind: type[Struct]) -> Iterator[tuple[str, str]]:
    """Yield the columns of a table of such rows, each with its kind."""
    for name, hint in get_type_hints(kind).items():
        if isinstance(hint, type) and issubclass(hint, Struct):
            (_, own), *_ = _columns(hint)
            yield from ((name + end, own) for end in ENDS.values())
        else:
            # of Literal[1, 2] a value, of float | None the first
            first, *_ = (*get_args(hint), hint)
            yield name, KINDS.get(first) or KINDS[type(first)]


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the JSON with each range as three members."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            found |= {f"{name}{end}": value[of] for of, end in ENDS.items()}
        else:
            found[name] = value
    return found


def audit(
    report: PathLike,
    labels: Annotated[
        Paths | None, Option(kind=object, metavar="FILE", several=True)
    ] = None,
    *,
    rater: Annotated[str | None, Option(kind=object, metavar="NAME")] = None,
    detector: Annotated[str | None, Option(kind=object, metavar="NAME")] = None,
    fail_under: float | None = None,
    constant_target: bool = False,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
) -> AuditResult:
    """Say what the score would be if all outputs were judged as labelled ones were.

    Parameters
    ----------
    report : path
        garak's .report.jsonl, also compressed (.gz, .zst).
    labels : path, or iterable of paths, optional
        Answers and sheets of ``label`` (default: the file beside the report that
        ``label`` writes).
    rater : str, optional
        Rater of labels that name no rater.
    detector : str, optional
        Detector of labels that name no detector.
    fail_under : float, optional
        The gate fails if the lower end of the range by labels is under this, 1.0-5.0,
        or a label cannot be used.
    constant_target : bool
        As in :func:`score`.
    calibration, tiers
        As in :func:`score`.

    Returns
    -------
    AuditResult
        ``problems`` has the labels that were not used.

    Raises
    ------
    UsageError
        An argument is none of these.
    NotScorableError
        No output is labelled; as :class:`NotAuditableError`, no pair can be audited.
    GarakTbsaError
        The report or a file of labels cannot be read.
    """
    rules = rules_of({"fail_under": fail_under, "constant_target": constant_target})
    path = path_of("report", report)
    files = usable_labels(path, None if labels is None else paths_of("labels", labels))
    scoring = scoring_of(calibration, tiers)
    assessment = scoring.assess_path(path)
    read, reading = assessment.report, LabelReading(rater=rater)
    given = [read_label_file(each, reading) for each in dict.fromkeys(files)]
    outputs = read_outputs(read.source, read.settings.eval_threshold)
    matched = match_labels(given, outputs, detector)
    scan = audited_scan(assessment.graded, outputs).answered(matched.said)
    problem = None
    if not scan.strata:
        problem = scan.why_none
    elif not scan.answered_outputs:
        left_out = matched.left_out(len(matched.truth))
        reasons = f" ({left_out})" if left_out else ""
        problem = f"none of its outputs is labelled{reasons}; {TO_BEGIN}"
    if problem is not None:
        raise NotAuditableError(f"{read.source}: {problem}", matched.problems)
    found = audit_scan(
        assessment,
        scan,
        matched,
        outputs,
        files=files,
        texts=_texts(
            read.source, {place for place, _ in disputed_verdicts(scan, matched)}
        ),
        rules=rules,
    )
    return AuditResult(
        **{each.name: getattr(found, each.name) for each in fields(found)}
    )


def _texts(report: str, wanted: Set[Place]) -> dict[Place, Hit]:
    """Read the outputs that are shown, with their prompts."""
    attempts = {place.attempt for place in wanted}
    texts: dict[Place, Hit] = {}
    for name, attempt in wanted_attempts(report, attempts) if attempts else ():
        prompt = prompt_text(attempt.prompt)
        for index in range(attempt.output_count):
            if (place := Place(name, index)) in wanted:
                texts[place] = output_of(report, attempt, index, prompt)
    if len(texts) < len(wanted):
        raise ReportError(
            report, "changed while it was read", "audit it when its scan is over"
        )
    return texts


def usable_labels(report: str, labels: Sequence[str] | None) -> list[str]:
    """Return the files of labels of a report: those given, else the one beside it.

    Raises
    ------
    UsageError
        The report is standard input, or is given as its own labels.
    NotScorableError
        None is given, and none is beside it.
    """
    if report == "-":
        raise UsageError(
            "standard input can be read only once, and an audit reads the report"
            " twice; give its path"
        )
    if not labels:
        labels = [labels_path(report)]
        if not os.path.exists(labels[0]):
            raise NotScorableError(
                f"{report}: no --labels given, and no {os.path.basename(labels[0])}"
                f" beside it; {TO_BEGIN}"
            )
    for path in labels:
        both_exist = os.path.exists(path) and os.path.exists(report)
        if both_exist and os.path.samefile(path, report):
            raise UsageError(
                f"--labels {path}: is the report itself; give a file of labels, or"
                " leave out --labels to use the one beside the report"
            )
    return list(labels)
