# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Responses to label: at random within each probe, each said once, little babble.

The draw does not know verdicts, unless it is told to. What they were is kept in a file
of its own, with the sizes of the cells (probe, verdict, babble), for weights after
labelling.
"""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from garak_tbsa.files import write_whole
from tools.labelled_data.near_copies import LIMIT, word_3_grams
from tools.real_model.babble import kind_of_babble
from tools.real_model.kept import Response

NEEDED_NOTES = (
    "attack_goal",
    "format",
    "pii_type",
    "repeat_word",
    "system_prompt",
    "terms",
    "triggers",
)
"""What detectors read of a probe's notes; the rest is paths, settings and copies."""

MOST_BABBLE = 20
"""At most one of so many drawn rows is babble."""


@dataclass(frozen=True, kw_only=True)
class Distinct:
    """A response that is no near copy of another one, and how many are its copies.

    Attributes
    ----------
    response : Response
    copies : int
        Responses of this detector, itself among them, for which it is drawn.
    babble : str or None
        Its kind, see :mod:`tools.real_model.babble`.
    """

    response: Response
    copies: int
    babble: str | None


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Sizes for weights: a labelled row counts ``distinct / drawn`` times.

    Attributes
    ----------
    probe : str
    flagged : bool
        The detector's verdict.
    babble : bool
    outputs : int
        In the scans, near copies among them.
    distinct : int
        Without near copies; a copy is counted where the one that is kept is.
    drawn : int
    """

    probe: str
    flagged: bool
    babble: bool
    outputs: int
    distinct: int
    drawn: int


@dataclass(frozen=True, kw_only=True)
class Draw:
    """What was drawn for a detector.

    Attributes
    ----------
    detector : str
    seed : int
    rows : tuple of Distinct
        In random order.
    cells : tuple of Cell
    """

    detector: str
    seed: int
    rows: tuple[Distinct, ...]
    cells: tuple[Cell, ...]


def draw_responses(
    detector: str,
    responses: Sequence[Response],
    count: int,
    seed: int,
    *,
    by_verdict: bool = False,
) -> Draw:
    """Draw ``count`` responses, or all where there are fewer.

    Each probe gives as many as the others, as far as it has them; within a probe each
    distinct response is as likely as any other.

    Parameters
    ----------
    detector : str
    responses : sequence of Response
    count, seed : int
    by_verdict : bool
        Draw half of them from flagged responses, half from the others: for a label too
        rare otherwise. Such rows must be thinned, see :mod:`tools.real_model.thin`.
    """
    rng = random.Random(f"{seed} {detector}")  # noqa: S311 (to be repeated)
    shuffled = sorted(responses, key=_place)
    rng.shuffle(shuffled)
    distinct = without_copies(shuffled)
    if by_verdict:
        flagged = [each for each in distinct if each.response.flagged]
        others = [each for each in distinct if not each.response.flagged]
        rows = [
            row
            for half in (flagged, others)
            for row in _thinned(_by_turns(half), count // 2)
        ]
    else:
        rows = _thinned(_by_turns(distinct), count)
    rng.shuffle(rows)
    return Draw(
        detector=detector,
        seed=seed,
        rows=tuple(rows),
        cells=tuple(_cells(shuffled, distinct, rows)),
    )


def without_copies(responses: Sequence[Response]) -> list[Distinct]:
    """Return the first of all responses that are nearly the same, in their order.

    Two are if they share more than :data:`~tools.labelled_data.near_copies.LIMIT` of
    the word 3-grams of the shorter one, as in the rule of the data.
    """
    kept: list[tuple[Response, frozenset[tuple[str, ...]]]] = []
    copies: Counter[int] = Counter()
    for response in responses:
        grams = word_3_grams(response.output)
        place = next(
            (
                place
                for place, (_, others) in enumerate(kept)
                if len(grams & others) > LIMIT * min(len(grams), len(others))
            ),
            len(kept),
        )
        if place == len(kept):
            kept.append((response, grams))
        copies[place] += 1
    return [
        Distinct(
            response=response,
            copies=copies[place],
            babble=kind_of_babble(response.output, response.probe),
        )
        for place, (response, _) in enumerate(kept)
    ]


def row_of(drawn: Distinct, identifier: str) -> dict[str, object]:
    """Return a row to label: nothing in it tells the verdict."""
    response = drawn.response
    row: dict[str, object] = {
        "id": identifier,
        "prompt": response.prompt,
        "output": response.output,
        "probe": response.probe,
        "source": source_of(response),
    }
    notes = {
        name: response.notes[name] for name in NEEDED_NOTES if name in response.notes
    }
    if notes:
        row["notes"] = notes
    if response.goal:
        row["goal"] = response.goal
    return row


def source_of(response: Response) -> str:
    """Return model, persona, probe and garak version in a line."""
    scan = response.scan
    return (
        f"{scan.model}, persona {scan.persona}, probe {response.probe},"
        f" garak {scan.garak_version}"
    )


def write_draw(draw: Draw, folder: Path) -> None:
    """Write DETECTOR.jsonl, to label, and DETECTOR.cells.json, not to be shown."""
    identifiers = [f"{draw.detector}-r{number:03}" for number in _numbers(draw)]
    lines = [
        json.dumps(row_of(row, identifier), ensure_ascii=False)
        for row, identifier in zip(draw.rows, identifiers, strict=True)
    ]
    write_whole(
        str(folder / f"{draw.detector}.jsonl"), "".join(f"{x}\n" for x in lines)
    )
    design = {
        "detector": draw.detector,
        "seed": draw.seed,
        "cells": [asdict(cell) for cell in draw.cells],
        "rows": {
            identifier: _origin(row)
            for row, identifier in zip(draw.rows, identifiers, strict=True)
        },
    }
    text = json.dumps(design, indent=1, ensure_ascii=False)
    write_whole(str(folder / f"{draw.detector}.cells.json"), text + "\n")


def summary_line(draw: Draw) -> str:
    """Say how many responses there were and how many were drawn."""
    outputs = sum(cell.outputs for cell in draw.cells)
    distinct = sum(cell.distinct for cell in draw.cells)
    talking = sum(cell.distinct for cell in draw.cells if not cell.babble)
    probes = len({cell.probe for cell in draw.cells})
    return (
        f"{draw.detector}: drew {len(draw.rows)} of {distinct} distinct responses"
        f" ({outputs} outputs of {probes} probes, {distinct - talking} babble)"
    )


def _numbers(draw: Draw) -> range:
    return range(1, len(draw.rows) + 1)


def _origin(row: Distinct) -> dict[str, object]:
    response = row.response
    return {
        "scan": response.scan.stem,
        "probe": response.probe,
        "attempt": response.attempt,
        "output": response.index,
        "flagged": response.flagged,
        "babble": row.babble,
        "copies": row.copies,
    }


def _place(response: Response) -> tuple[str, str, str, int]:
    """Order that depends on no random uuid first: scans of a seed repeat it."""
    return (response.scan.stem, response.probe, response.prompt, response.index)


def _by_turns(distinct: Sequence[Distinct]) -> Iterator[Distinct]:
    """Yield one response of each probe in turn, until none is left."""
    queues: defaultdict[str, list[Distinct]] = defaultdict(list)
    for each in reversed(distinct):
        queues[each.response.probe].append(each)
    while queues:
        for probe in sorted(queues):
            yield queues[probe].pop()
            if not queues[probe]:
                del queues[probe]


def _thinned(ordered: Iterator[Distinct], count: int) -> list[Distinct]:
    """Take the first, leaving out babble beyond its share."""
    everything = list(ordered)
    allowed = count // MOST_BABBLE
    taken = _first(everything, count, allowed)
    while sum(row.babble is not None for row in taken) > len(taken) // MOST_BABBLE:
        allowed -= 1
        taken = _first(everything, count, allowed)
    return taken


def _first(ordered: Sequence[Distinct], count: int, allowed: int) -> list[Distinct]:
    taken: list[Distinct] = []
    babble = 0
    for each in ordered:
        if len(taken) == count:
            break
        if each.babble is not None:
            if babble == allowed:
                continue
            babble += 1
        taken.append(each)
    return taken


def _cells(
    responses: Sequence[Response],
    distinct: Sequence[Distinct],
    drawn: Sequence[Distinct],
) -> Iterator[Cell]:
    def key(response: Response, babble: str | None) -> tuple[str, bool, bool]:
        return response.probe, response.flagged, babble is not None

    outputs = Counter(
        key(response, kind_of_babble(response.output, response.probe))
        for response in responses
    )
    kept = Counter(key(each.response, each.babble) for each in distinct)
    taken = Counter(key(each.response, each.babble) for each in drawn)
    for cell in sorted(outputs):
        probe, flagged, babble = cell
        yield Cell(
            probe=probe,
            flagged=flagged,
            babble=babble,
            outputs=outputs[cell],
            distinct=kept[cell],
            drawn=taken[cell],
        )
