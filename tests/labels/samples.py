# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports with attempts, and audits of them, that the tests of every form share."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from garak_tbsa.labels.audit import audit_scan, judge_range
from garak_tbsa.labels.forms.view import AuditedReport
from garak_tbsa.labels.label_files import read_label_file
from garak_tbsa.labels.matching import match_labels
from garak_tbsa.labels.scan import audited_scan, read_outputs
from garak_tbsa.tbsa.assessment import held_against_rows
from tests.factories import PairFacts, assessment_of, report_rows
from tests.outputs.samples import HOSTILE

PAIRS = (
    PairFacts(probe="dan.One", detector="dan.DAN", passed=12, total=20, mu=0.5),
    PairFacts(probe="dan.Two", detector="dan.DAN", passed=20, total=20, mu=0.5),
    PairFacts(probe="enc.B64", detector="enc.D", passed=20, total=20),
    PairFacts(probe="web.Xss", detector="web.D", passed=18, total=20, tier=2),
    PairFacts(probe="old.Three", detector="old.D", passed=4, total=5, tier=3),
)
"""The detectors' score is 4.1."""

THINNED = PairFacts(probe="web.Gone", detector="web.D", passed=9, total=10, tier=2)
"""A pair of which the report has lost its attempts."""

Given = tuple[str, int, str]
"""Pair's probe, output from 0, answer."""


def uuid_of(probe: str) -> str:
    """Return the uuid of a probe's only attempt."""
    return f"uuid of {probe}"


def rows_of(
    pairs: Sequence[PairFacts], gone: Iterable[PairFacts] = (), **options: Any
) -> list[dict[str, Any]]:
    """Return the rows of a report; first outputs fail, those that are ``gone`` lack."""
    rows = report_rows([*pairs, *gone], **options)
    attempts = [
        {
            "entry_type": "attempt",
            "status": 2,
            "uuid": uuid_of(facts.probe),
            "probe_classname": facts.probe,
            "prompt": "hello",
            "outputs": [f"output {n}" for n in range(facts.total)],
            "detector_results": {
                facts.detector: [
                    float(n < facts.total - facts.passed) for n in range(facts.total)
                ]
            },
        }
        for facts in pairs
    ]
    return [*rows[:3], *attempts, *rows[3:]]


def write_rows(path: Path, rows: Iterable[object]) -> Path:
    """Write rows, lone surrogates as JSON escapes."""
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def label_rows(
    given: Iterable[Given],
    pairs: Sequence[PairFacts] = PAIRS,
    *,
    rater: str = "anna",
    drawn: bool = True,
) -> Iterator[dict[str, Any]]:
    """Return answers as ``garak-tbsa label`` writes them."""
    detectors = {facts.probe: facts.detector for facts in pairs}
    for probe, index, answer in given:
        yield {
            "attempt": uuid_of(probe),
            "output_index": index,
            "detector": detectors[probe],
            "label": answer,
            "rater": rater,
            "note": "",
            "drawn": drawn,
            "time": "2026-11-22T10:00:00+00:00",
        }


def usual_labels() -> list[Given]:
    """Most flags of dan.DAN are wrong, dan.Two has hits that it missed."""
    given = [("dan.One", n, "hit" if n < 1 else "pass") for n in range(6)]
    given += [("dan.One", n, "pass") for n in range(8, 14)]
    given += [("dan.Two", n, "hit" if n < 5 else "pass") for n in range(8)]
    given += [("web.Xss", n, "hit" if n < 2 else "pass") for n in range(10)]
    given += [("enc.B64", 0, "skip"), ("old.Three", 0, "hit")]
    return given


def write_labels(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write answers, one a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def audited_of(
    report: Path,
    pairs: Sequence[PairFacts],
    files: Sequence[Path],
    *,
    fail_under: float | None = None,
) -> AuditedReport:
    """Audit a report with files of labels."""
    assessment = assessment_of(str(report), pairs)
    outputs = read_outputs(str(report), assessment.report.settings.eval_threshold)
    matched = match_labels([read_label_file(str(path)) for path in files], outputs)
    scan = audited_scan(assessment.graded, outputs).answered(matched.said)
    audit = audit_scan(scan, matched, outputs.lengths, draws=500)
    verdict = None
    if fail_under is not None:
        verdict = judge_range(held_against_rows(assessment), audit, fail_under)
    return AuditedReport(
        assessment=assessment,
        audit=audit,
        label_files=tuple(map(str, files)),
        verdict=verdict,
    )


def mixed(folder: Path, *, fail_under: float | None = 4.5) -> AuditedReport:
    """An audit with something to say in every section."""
    pairs = [*PAIRS, THINNED]
    report = write_rows(folder / "mixed.report.jsonl", rows_of(PAIRS, [THINNED]))
    first = write_labels(folder / "anna.labels.jsonl", label_rows(usual_labels()))
    second = [("dan.One", 0, "hit"), ("dan.One", 1, "pass"), ("dan.One", 2, "hit")]
    third = [("dan.One", 2, "pass"), ("web.Xss", 11, "pass"), ("web.Xss", 99, "hit")]
    files = [
        first,
        write_labels(folder / "bob.jsonl", label_rows(second, rater="bob")),
        write_labels(folder / "cy.jsonl", label_rows(third, rater="cy", drawn=False)),
    ]
    return audited_of(report, pairs, files, fail_under=fail_under)


def settled(folder: Path) -> AuditedReport:
    """Everything labelled, as the detectors said; nothing changes, nothing is next."""
    report = write_rows(folder / "settled.report.jsonl", rows_of(PAIRS[:1]))
    given = [("dan.One", n, "hit" if n < 8 else "pass") for n in range(20)]
    labels = write_labels(folder / "settled.jsonl", label_rows(given))
    return audited_of(report, PAIRS[:1], [labels])


def hostile(folder: Path) -> AuditedReport:
    """Hostile text wherever a report or a file of labels has text of its own."""
    pairs = [
        PairFacts(
            probe=f"p{i}.{text}", detector=f"d{i}.{text}", passed=i, total=14, mu=0.5
        )
        for i, text in enumerate(HOSTILE)
    ]
    gone = [PairFacts(probe=f"gone.{HOSTILE[0]}", detector=HOSTILE[1])]
    text = " ".join(HOSTILE)
    rows = rows_of(pairs, gone, setup={"plugins.target_name": text})
    rows[-1]["meta"] |= {"target_name": text, "run_uuid": text, "start_time": text}
    report = write_rows(folder / "hostile.report.jsonl", rows)
    given = [(facts.probe, n, "pass") for facts in pairs[3:] for n in range(5)]
    labels = [*label_rows(given, pairs, rater=text)]
    labels += [{**labels[0], "attempt": text, "detector": text, "drawn": False}]
    labels += [{**labels[0], "detector": text}, {**labels[0], "label": text}]
    file = write_labels(folder / "hostile.jsonl", labels)
    return audited_of(report, [*pairs, *gone], [file], fail_under=5)
