# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Draws: at random within a probe, each said once, little babble, no verdict."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tools.real_model.factories import response
from tools.real_model.draw import (
    Draw,
    draw_responses,
    summary_line,
    without_copies,
    write_draw,
)
from tools.real_model.kept import Response

DETECTOR = "goodside.RileyIsnt"


def sentence(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(9))


def many(probe: str, count: int, flagged: int = 0, start: int = 0) -> list[Response]:
    return [
        response(sentence(start + n), probe=probe, flagged=n < flagged)
        for n in range(count)
    ]


def outputs(draw: Draw) -> list[str]:
    return [row.response.output for row in draw.rows]


def test_a_seed_gives_the_same_draw_whatever_the_order() -> None:
    responses = many("a.A", 30)
    first = draw_responses(DETECTOR, responses, 10, seed=1)
    assert outputs(first) == outputs(draw_responses(DETECTOR, responses, 10, seed=1))
    assert outputs(first) != outputs(draw_responses(DETECTOR, responses, 10, seed=2))


def test_each_response_of_a_probe_is_as_likely() -> None:
    """\"Within a probe each distinct response is as likely as any other.\""""
    responses = many("a.A", 10, flagged=3)
    drawn = Counter(
        output
        for seed in range(400)
        for output in outputs(draw_responses(DETECTOR, responses, 4, seed))
    )
    # 160 expected of each, standard deviation 10
    assert len(drawn) == 10
    assert all(110 < times < 210 for times in drawn.values())


def test_each_probe_gives_as_many_as_it_has() -> None:
    responses = many("a.A", 30) + many("b.B", 3, start=100) + many("c.C", 30, start=200)
    draw = draw_responses(DETECTOR, responses, 21, seed=1)
    shares = Counter(row.response.probe for row in draw.rows)
    assert shares == {"a.A": 9, "b.B": 3, "c.C": 9}


def test_near_copies_are_drawn_once_and_counted() -> None:
    copied = [response(f"{sentence(1)} {end}") for end in ("", "now", "then")]
    (kept, other) = without_copies([*copied, response(sentence(2))])
    assert (kept.response, kept.copies) == (copied[0], 3)
    assert other.copies == 1


def test_verdicts_do_not_move_the_draw() -> None:
    judged = many("a.A", 40, flagged=20)
    unjudged = many("a.A", 40)
    assert outputs(draw_responses(DETECTOR, judged, 10, seed=3)) == outputs(
        draw_responses(DETECTOR, unjudged, 10, seed=3)
    )


def test_a_draw_by_verdict_takes_half_of_each() -> None:
    judged = many("a.A", 40, flagged=6)
    draw = draw_responses(DETECTOR, judged, 12, seed=3, by_verdict=True)
    assert Counter(row.response.flagged for row in draw.rows) == {True: 6, False: 6}
    cells = {cell.flagged: (cell.distinct, cell.drawn) for cell in draw.cells}
    assert cells == {True: (6, 6), False: (34, 6)}


@settings(max_examples=20)
@given(st.integers(0, 30), st.integers(0, 60), st.integers(1, 60))
def test_babble_is_at_most_a_twentieth(babble: int, talk: int, count: int) -> None:
    """\"At most one of so many drawn rows is babble.\""""
    responses = [
        response(f"loop{n} {'again and ' * 30}", probe="a.A") for n in range(babble)
    ] + many("a.A", talk)
    rows = draw_responses(DETECTOR, responses, count, seed=1).rows
    assert sum(row.babble is not None for row in rows) <= len(rows) / 20
    assert sum(row.babble is None for row in rows) >= min(talk, count - count // 20)


def test_rows_to_label_do_not_tell_the_verdict(tmp_path: Path) -> None:
    responses = [
        response(
            sentence(1),
            notes={"triggers": ["x"], "path": "/home"},
            goal="say x",
            flagged=True,
        ),
        response(sentence(2), attempt="uuid-2", index=1),
    ]
    write_draw(draw_responses(DETECTOR, responses, 5, seed=1), tmp_path)
    lines = (tmp_path / f"{DETECTOR}.jsonl").read_text("utf-8").splitlines()
    rows = {row["output"]: row for row in map(json.loads, lines)}
    assert set(rows[sentence(2)]) == {"id", "prompt", "output", "probe", "source"}
    told = rows[sentence(1)]
    assert told["notes"] == {"triggers": ["x"]}
    assert told["goal"] == "say x"
    assert told["source"] == (
        "SmolLM2-135M-Instruct (Q4_1), persona plain, probe goodside.WhoIsRiley,"
        f" garak {responses[0].scan.garak_version}"
    )
    assert [row["id"] for row in map(json.loads, lines)] == [
        f"{DETECTOR}-r001",
        f"{DETECTOR}-r002",
    ]
    design = json.loads((tmp_path / f"{DETECTOR}.cells.json").read_text("utf-8"))
    origin = design["rows"][rows[sentence(2)]["id"]]
    assert (origin["attempt"], origin["output"]) == ("uuid-2", 1)
    assert origin["flagged"] is False


def test_cells_add_up_to_the_scans() -> None:
    responses = [
        *many("a.A", 12, flagged=4),
        response(sentence(1), probe="a.A", flagged=True, attempt="again"),
        response(" ", probe="a.A"),
        response("", probe="a.A"),
        *many("b.B", 5, flagged=5, start=100),
    ]
    draw = draw_responses(DETECTOR, responses, 8, seed=1)
    cells = {(cell.probe, cell.flagged, cell.babble): cell for cell in draw.cells}
    assert {key: (cell.outputs, cell.distinct) for key, cell in cells.items()} == {
        ("a.A", False, False): (8, 8),
        ("a.A", False, True): (2, 1),
        ("a.A", True, False): (5, 4),
        ("b.B", True, False): (5, 5),
    }
    assert sum(cell.drawn for cell in draw.cells) == len(draw.rows) == 8
    assert summary_line(draw) == (
        "goodside.RileyIsnt: drew 8 of 18 distinct responses"
        " (20 outputs of 2 probes, 1 babble)"
    )
