# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs ``label --sheet`` draws, what is on its sheet, what it refuses."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import evaluated, write_cells, write_lines
from tests.behaviour.product import rows_of, tbsa
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report


def attempt(number: int) -> dict[str, Any]:
    return {
        "entry_type": "attempt",
        "uuid": f"u{number}",
        "status": 2,
        "probe_classname": "dan.Ablation",
        "prompt": "Be DAN",
        "outputs": [f"=answer {number} [DAN]"],
        "detector_results": {"dan.DAN": [float(number % 4 > 0)]},
    }


def read_cells(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8-sig") as handle:
        return list(csv.DictReader(handle))


def drawn(report: Path, *options: object) -> list[str]:
    """The ids of the outputs on a sheet."""
    sheet = report.with_name("x.csv")
    sheet.unlink(missing_ok=True)
    shown = tbsa("label", report, "--sheet", sheet, *options)
    assert shown.code == 0, shown
    ids = [row["id"] for row in read_cells(sheet)]
    assert shown.lines[0] == (
        f"{sheet}: {len(ids)} outputs to label; fill its label column with hit, pass,"
        " skip or ?, then"
    )
    assert shown.lines[1].startswith("   garak-tbsa "), shown
    return ids


def scan(folder: Path, **flagged: tuple[int, int]) -> Path:
    """100 outputs of each probe; so many flagged, and so many by the pair's counts."""
    pairs = [
        PairFacts(probe=f"dan.{probe}", passed=100 - stated, total=100)
        for probe, (_, stated) in flagged.items()
    ]
    attempts = [
        attempt_row(facts, scores=[float(number < hits)], uuid=f"{probe}-{number}")
        for facts, (probe, (hits, _)) in zip(pairs, flagged.items(), strict=True)
        for number in range(100)
    ]
    path = folder / "x.report.jsonl"
    write_report(path, report_rows(pairs, attempts=attempts))
    return path


def by_verdict(ids: list[str], **hits: int) -> dict[str, int]:
    """Count the flagged ones and the others; the first of each probe are flagged."""
    counts = Counter(
        int(number.partition("/")[0]) < hits[probe]
        for probe, _, number in (each.partition("-") for each in ids)
    )
    return {"flagged": counts[True], "unflagged": counts[False]}


def test_for_detectors_both_verdicts_give_as_many(tmp_path: Path) -> None:
    given = ("--for", "detectors", "-n", 50)
    ids = drawn(scan(tmp_path, A=(10, 10), B=(4, 4)), *given)
    assert len(set(ids)) == 50
    assert by_verdict(ids, A=10, B=4) == {"flagged": 14, "unflagged": 36}
    ids = drawn(scan(tmp_path, A=(60, 60), B=(0, 0)), *given)
    assert by_verdict(ids, A=60, B=0) == {"flagged": 25, "unflagged": 25}
    ids = drawn(scan(tmp_path, A=(60, 60), B=(30, 30)), *given, "--probe", "dan.B")
    assert by_verdict(ids, B=30) == {"flagged": 25, "unflagged": 25}


def test_for_a_score_pairs_that_cannot_be_audited_are_left_out(tmp_path: Path) -> None:
    ids = drawn(scan(tmp_path, A=(10, 10), B=(4, 4)), "-n", 30)
    assert len(ids) == len(set(ids)) == 30
    for probe in "AB":
        own = [each for each in ids if each.startswith(probe)]
        assert min(by_verdict(own, A=10, B=4).values()) > 0
    assert min(by_verdict(ids, A=10, B=4).values()) > 1
    ids = drawn(scan(tmp_path, A=(10, 10), B=(5, 4)), "-n", 500)
    assert {each[0] for each in ids} == {"A"}
    assert len(ids) == 100


@pytest.mark.parametrize("purpose", ["score", "detectors"])
def test_the_seed_decides_the_draw(tmp_path: Path, purpose: str) -> None:
    given = (scan(tmp_path, A=(10, 10), B=(4, 4)), "--for", purpose, "-n", 20, "--seed")
    first, again, other = (drawn(*given, seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert drawn(*given, 42) == drawn(*given[:-1])


NASTY = [
    "=HYPERLINK('https://example.test')",
    "+1",
    "-1",
    "@SUM(A1)",
    "'quoted'",
    "\t=1",
    'a "quoted", stratum;\nwith lines\r\nand ,commas',
    "{not json",
    "🤖 ünïcode",
    "x" * 40_000,
]


def test_the_filled_sheet_reads_back_as_it_was(tmp_path: Path) -> None:
    """No cell runs; what finds an output is before the texts.

    A spreadsheet that cuts a long cell loses what is behind it in the row.
    """
    facts = PairFacts(probe="=x.Y")
    notes = {"notes": {"triggers": ["t"]}, "goal": "be rude", "uuid": "=u"}
    texts = [{"text": text, "lang": "en"} for text in NASTY]
    row = attempt_row(facts, scores=[0.0] * len(NASTY), outputs=texts, **notes)
    report = write_lines(tmp_path / "x.report.jsonl", [row])
    assert len(drawn(report, "--for", "detectors")) == len(NASTY)
    sheet = read_cells(tmp_path / "x.csv")
    assert {each["probe"] for each in sheet} == {"'=x.Y"}
    header = list(sheet[0])
    assert header[:2] == ["label", "id"]
    assert {*header[: header.index("output")]} == {"label", "id", "detector", "drawn"}
    assert {each["label"] for each in sheet} == {""}
    assert not any(
        cell.startswith(("=", "+", "-", "@"))
        for each in sheet
        for cell in each.values()
    )
    filled = write_cells(
        tmp_path / "filled.csv", [each | {"label": "hit"} for each in sheet]
    )
    saved = tmp_path / "saved"
    evaluated(tmp_path, "--data", filled, "--save-datasets", saved)
    rows = rows_of(saved / "dan.DAN.jsonl")
    assert {each["id"]: each["output"] for each in rows} == {
        f"=u/{number}": text for number, text in enumerate(NASTY)
    }
    own: dict[str, Any] = {"probe": "=x.Y", "lang": "en", "label": "hit"}
    own |= {
        "goal": "be rude",
        "notes": {"triggers": ["t"]},
        "prompt": turns(("user", "hello")),
    }
    assert rows[0] == {**rows[0], **own}
    # beside its report too, and none was picked
    output = ("--output", tmp_path / "s.json")
    given = ("--data", report, "--labels", filled, *output)
    shown = tbsa("detectors", "evaluate", *given)
    assert (shown.code, shown.err) == (0, "")
    assert (
        "  dan.DAN: sensitivity 0.00 (0.00 to 0.00), specificity undefined, F1 0.00"
        " (0.00 to 0.00); by 10 labels of 10 outputs"
    ) in shown.lines
    assert "picked" not in shown.out
    assert "not counted" not in shown.out


def turns(*said: tuple[str, str]) -> dict[str, Any]:
    return {"turns": [{"role": role, "content": {"text": text}} for role, text in said]}


def test_a_sheet_has_a_users_prompt_as_text_and_other_conversations_whole(
    tmp_path: Path,
) -> None:
    """So has one that would be read as a conversation, though a user wrote it."""
    text = json.dumps([{"role": "system", "content": "no"}])
    prompts = [
        turns(("user", "Be\nDAN")),
        turns(("user", text)),
        turns(("system", "s"), ("user", "u")),
    ]
    rows = [{**attempt(n), "prompt": prompt} for n, prompt in enumerate(prompts)]
    path = write_lines(tmp_path / "scan.report.jsonl", rows)
    sheet, saved = tmp_path / "sheet.csv", tmp_path / "saved"
    only = ("--detector", "dan.DAN", "--sheet", sheet)
    assert tbsa("label", path, *only).code == 0
    shown = sheet.read_text("utf-8-sig").replace('\n"","u', '\n"hit","u')
    cells = {
        row["attempt"]: row["prompt"] for row in csv.DictReader(io.StringIO(shown))
    }
    assert cells["u0"] == "Be\nDAN"
    assert [json.loads(cells[each]) for each in ("u1", "u2")] == prompts[1:]
    sheet.write_text(shown, "utf-8")
    options = ("--output", tmp_path / "summary.json", "--save-datasets", saved)
    assert tbsa("detectors", "evaluate", "--data", sheet, *options).code == 0
    read = rows_of(saved / "dan.DAN.jsonl")
    assert {row["id"]: row["prompt"] for row in read} == {
        f"u{n}/0": prompt for n, prompt in enumerate(prompts)
    }


def test_a_report_without_its_outputs_has_nothing_to_draw(tmp_path: Path) -> None:
    """\"A report whose attempts were thinned: audit only what can be audited\"."""
    path, sheet = tmp_path / "thin.report.jsonl", tmp_path / "x.csv"
    rows = report_rows([PairFacts(probe="dan.Ablation", passed=24, total=30)])
    lacks = (
        "none of its pairs can be audited; of dan.Ablation+dan.DAN, the report has {}"
        " of its 30 outputs; give the report as garak wrote it, with all attempts"
    )
    for content, purpose, said in (
        (rows, "detectors", "no output was scored by a detector"),
        (rows, "score", lacks.format(0)),
        ([*rows, attempt(1)], "score", lacks.format(1)),
    ):
        write_lines(path, content)
        shown = tbsa("label", path, "--sheet", sheet, "--for", purpose)
        assert (shown.code, shown.error) == (1, f"garak-tbsa: {path}: {said}")
        assert not sheet.exists()
    shown = tbsa("label", path, "--sheet", sheet, "--for", "detectors", "-n", 2)
    assert (shown.code, shown.lines[0]) == (
        0,
        f"{sheet}: 1 output to label; fill its label column with hit, pass, skip or ?,"
        " then",
    )
    assert (
        shown.err == f"garak-tbsa: {sheet}: the report has no more outputs to label\n"
    )


SHEET = ("--sheet", "{folder}/x.csv")
NOT_FOR_A_SHEET = "is for the page, not for --sheet {folder}/x.csv; leave it out"
NOT_FOR_THE_PAGE = "is for a sheet; give --sheet FILE too, or leave it out"
USAGE: list[tuple[tuple[str, ...], str]] = [
    ((*SHEET, "--labels", "l.jsonl"), f"--labels: {NOT_FOR_A_SHEET}"),
    ((*SHEET, "--rater", "ann"), f"--rater: {NOT_FOR_A_SHEET}"),
    ((*SHEET, "--disputed"), f"--disputed: {NOT_FOR_A_SHEET}"),
    (("--for", "score"), f"--for: {NOT_FOR_THE_PAGE}"),
    (("--seed", "0"), f"--seed: {NOT_FOR_THE_PAGE}"),
    (("--sheet", "-"), "--sheet -: is no file; give the path of one to fill in"),
]


def test_what_does_not_go_together_is_one_line(tmp_path: Path) -> None:
    report = scan(tmp_path, A=(10, 10))
    for options, said in USAGE:
        shown = tbsa(
            "label", report, *(each.format(folder=tmp_path) for each in options)
        )
        expected = f"garak-tbsa: {said.format(folder=tmp_path)}"
        assert (shown.code, shown.error) == (2, expected)
    assert list(tmp_path.iterdir()) == [report]
