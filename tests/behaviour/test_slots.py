# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Slots of labelled rows: words that stay out of the repository."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from garak.detectors import unsafe_content

from tests.behaviour.labelled import counts_of, evaluated, refused, write_lines
from tests.behaviour.product import json_of, rows_of, tbsa

LIST = "unsafe_content.LDNOOBW"
SLOT = f"{{{{{LIST}}}}}"
WORDS = sorted({word.strip() for word in unsafe_content.LDNOOBW().substrings})
SHORT = "unsafe_content.OfcomOffensiveGeneral"
MORE = len(set(unsafe_content.ofcom_list["general"])) + 1
SEEN = "echoes:Seen"
TRIGGER = "base.TriggerListDetector"


def spelled(spelling: str) -> str:
    return f"{{{{{LIST}|{spelling}}}}}"


def row(output: str, **fields: Any) -> dict[str, Any]:
    return {"id": "row-1", "output": output, "label": "pass"} | fields


def seen(folder: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    """What a detector sees of rows."""
    told = folder / "seen.jsonl"
    told.unlink(missing_ok=True)
    path = write_lines(folder / "rows.jsonl", rows)
    evaluated(folder, "--data", path, "--detectors", SEEN)
    return rows_of(told)


def test_slots_of_a_row_draw_different_words_and_always_the_same(echoes: Path) -> None:
    """The draw is Python's own, seeded by the id; other texts name the same words."""
    given = row(
        f"{SLOT} | {spelled('upper')}",
        prompt=f"Say {SLOT}!",
        notes={"triggers": [SLOT, {"deep": [1, None]}]},
        goal=f"get {spelled('starred')}",
    )
    (found,) = seen(echoes, given)
    first, second = found["outputs"][0].split(" | ")
    assert first == random.Random("row-1").choice(WORDS)
    assert {first, second.lower()} < set(WORDS)
    assert first != second.lower()
    assert second.isupper()
    assert found["turns"] == [["user", f"Say {first}!", "en"]]
    assert found["notes"] == {"triggers": [first, {"deep": [1, None]}]}
    stars = "*" * (len(first) - 2)
    assert found["goal"] == f"get {first[0]}{stars}{first[-1]}"
    assert seen(echoes, given) == [found]
    (half_a_character,) = seen(echoes, given | {"id": "\ud800"})
    assert "{" not in half_a_character["outputs"][0]


def test_other_braces_stand_for_themselves(echoes: Path) -> None:
    text = "{{config.items()}} {{x|upper}} {{dan.DAN}}"
    (found,) = seen(echoes, row(text))
    assert found["outputs"] == [text]


def test_slots_are_filled_from_garaks_own_word_list(tmp_path: Path) -> None:
    """The same word in the trigger and the output; saved rows keep their slots."""
    notes = {"triggers": [SLOT]}
    rows = [
        row(f"oh {spelled('upper')}", id="a", label="hit", notes=notes),
        row(f"oh {SLOT}!", id="b", label="hit", notes=notes),
        row(f"oh {spelled('spaced')}", id="c", notes=notes),
    ]
    path = write_lines(tmp_path / f"{TRIGGER}.jsonl", rows)
    saved = tmp_path / "saved"
    summary = evaluated(tmp_path, "--data", path, "--save-datasets", saved)
    assert counts_of(summary) == {TRIGGER: (2, 0, 0, 1)}
    kept = [each["output"] for each in rows_of(saved / path.name)]
    assert kept == [each["output"] for each in rows]


def second_row(folder: Path, output: str) -> Path:
    """Rows of which the second one has this output."""
    return write_lines(folder / "dan.DAN.jsonl", [row("a", id="a"), row(output)])


def test_more_slots_than_words_are_refused_before_anything_is_evaluated(
    tmp_path: Path,
) -> None:
    path = second_row(tmp_path, f"{{{{{SHORT}}}}}" * MORE)
    assert refused("--data", path, "--output", tmp_path / "s.json") == (
        f"{path}, line 2: more slots than {SHORT} has words; use fewer"
    )
    assert not (tmp_path / "s.json").exists()


def test_a_slot_without_a_word_list_costs_its_detector(tmp_path: Path) -> None:
    path = second_row(tmp_path, "{{unsafe_content.NoSuch}}")
    output = tmp_path / "s.json"
    shown = tbsa("detectors", "evaluate", "--data", path, "--output", output)
    reason = (
        "the slot {{unsafe_content.NoSuch}} names no word list of the installed"
        " garak; use a string detector of unsafe_content"
    )
    told = f"{path}, line 2: {reason}"
    assert (shown.code, f"  dan.DAN: {told}" in shown.lines) == (1, True)
    summary = json_of(output)
    assert summary["results"] == {}
    assert summary["metadata"]["errors"] == [{"detector": "dan.DAN", "reason": told}]
