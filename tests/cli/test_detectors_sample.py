# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which outputs ``detectors sample`` draws, its sheets and streams, what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.labelled import evaluated, write_cells, write_lines
from tests.behaviour.product import rows_of, tbsa
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

SAMPLE = ("detectors", "sample")


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


def drawn(report: Path, *options: object) -> tuple[list[str], list[dict[str, str]]]:
    """The ids of the outputs on a sheet, and the rows of the table beside it."""
    sheet, strata = (report.with_name(f"x{kind}.csv") for kind in ("", ".cells"))
    sheet.unlink(missing_ok=True)
    strata.unlink(missing_ok=True)
    shown = tbsa(*SAMPLE, report, "--output", sheet, *options)
    assert shown.code == 0, shown
    assert shown.lines[-1].startswith("  garak-tbsa "), shown
    return [row["id"] for row in read_cells(sheet)], read_cells(strata)


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


def verdicts(strata: list[dict[str, str]]) -> dict[str, int]:
    return {
        verdict: sum(int(x["drawn"]) for x in strata if x["verdict"] == verdict)
        for verdict in ("flagged", "unflagged")
    }


def test_for_detectors_both_verdicts_give_as_many(tmp_path: Path) -> None:
    given = ("--for", "detectors", "-n", 50)
    _, strata = drawn(scan(tmp_path, A=(10, 10), B=(4, 4)), *given)
    assert verdicts(strata) == {"flagged": 14, "unflagged": 36}
    assert sum(int(each["outputs"]) for each in strata) == 200
    _, strata = drawn(scan(tmp_path, A=(60, 60), B=(0, 0)), *given)
    assert verdicts(strata) == {"flagged": 25, "unflagged": 25}


def test_for_a_score_pairs_that_cannot_be_audited_are_left_out(tmp_path: Path) -> None:
    ids, strata = drawn(scan(tmp_path, A=(10, 10), B=(4, 4)), "-n", 30)
    assert len(ids) == len(set(ids)) == 30
    assert [
        (x["probe"], x["detector"], x["verdict"], x["outputs"]) for x in strata
    ] == [
        ("dan.A", "dan.DAN", "flagged", "10"),
        ("dan.A", "dan.DAN", "unflagged", "90"),
        ("dan.B", "dan.DAN", "flagged", "4"),
        ("dan.B", "dan.DAN", "unflagged", "96"),
    ]
    assert min(verdicts(strata).values()) > 1
    ids, strata = drawn(scan(tmp_path, A=(10, 10), B=(5, 4)), "-n", 500)
    assert {each["probe"] for each in strata} == {"dan.A"}
    assert len(ids) == 100


@pytest.mark.parametrize("purpose", ["score", "detectors"])
def test_the_seed_decides_the_draw(tmp_path: Path, purpose: str) -> None:
    given = (scan(tmp_path, A=(10, 10), B=(4, 4)), "--for", purpose, "-n", 20, "--seed")
    first, again, other = (drawn(*given, seed) for seed in (1, 1, 2))
    assert first == again
    assert first[0] != other[0]


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
    _, (stratum,) = drawn(report, "--for", "detectors")
    assert stratum == {
        "probe": "'=x.Y",
        "detector": "dan.DAN",
        "verdict": "unflagged",
        "outputs": "10",
        "drawn": "10",
    }
    sheet = read_cells(tmp_path / "x.csv")
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
        "  dan.DAN: sensitivity 0.00 (0.00 to 0.00), specificity undefined, hit F1 0.00"
        " (0.00 to 0.00); by 10 labels of 10 outputs"
    ) in shown.lines
    assert "picked" not in shown.out
    assert "not counted" not in shown.out


@pytest.mark.parametrize(("report", "count"), [("-", 7), ("file", 1)])
def test_a_report_comes_and_a_sheet_goes_by_the_standard_streams(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], report: str, count: int
) -> None:
    path = write_lines(tmp_path / "scan.report.jsonl", map(attempt, range(40)))
    only = ("--detector", "dan.DAN", "-n", count, "--output", "-")
    given = path if report == "file" else report
    shown = tbsa(*SAMPLE, given, *only, stdin=path.read_bytes())
    assert (shown.code, shown.err) == (0, "")
    assert len(list(csv.DictReader(io.StringIO(capfd.readouterr().out)))) == count
    assert list(tmp_path.iterdir()) == [path]


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
    assert tbsa(*SAMPLE, path, "--detector", "dan.DAN", "--output", sheet).code == 0
    shown = sheet.read_text("utf-8-sig").replace("\n,u", "\nhit,u")
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
    path = tmp_path / "thin.report.jsonl"
    rows = report_rows([PairFacts(probe="dan.Ablation", passed=24, total=30)])
    for content, said in (
        (rows, "no output was scored by a detector"),
        (
            [*rows, attempt(1)],
            "no pair that counts in the score has all of its outputs in the report;"
            " draw with --for detectors",
        ),
    ):
        write_lines(path, content)
        shown = tbsa(*SAMPLE, path)
        assert (shown.code, shown.error) == (1, f"garak-tbsa: {path}: {said}")
    same = tmp_path / "x.csv"
    shown = tbsa(*SAMPLE, path, "--output", same, "--label-studio", same)
    assert (shown.code, "--label-studio" in shown.error) == (2, True)
    assert not same.exists()
