# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that check the published metrics: scanned, labelled, and in none of the files.

The scans have another seed than those of the labelled rows. Of the responses that no
labelled row is a near copy of, some flagged and some unflagged ones are drawn, at
random within each verdict, so that weights by verdict restore the scan.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from garak_tbsa.errors import DatasetError
from garak_tbsa.files import write_whole
from tools.labelled_data.near_copies import LIMIT, word_3_grams
from tools.real_model.draw import Distinct, row_of, without_copies
from tools.real_model.kept import Response

FLAGGED, UNFLAGGED = "flagged", "unflagged"
VERDICTS = (FLAGGED, UNFLAGGED)


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """What was drawn for a detector.

    Attributes
    ----------
    detector : str
    distinct : mapping of str to int
        Responses of the scans by verdict, without babble and near copies.
    rows : tuple of dict
        In random order, with ``verdict`` and without label.
    """

    detector: str
    distinct: Mapping[str, int]
    rows: tuple[dict[str, Any], ...]


def draw_held_out(
    detector: str,
    responses: Sequence[Response],
    labelled: Iterable[str],
    count: int,
    seed: int,
) -> HeldOut:
    """Draw half of ``count`` from each verdict; all where there are fewer.

    Parameters
    ----------
    detector : str
    responses : sequence of Response
        Of all its probes.
    labelled : iterable of str
        Outputs of the labelled rows; near copies of them are left out.
    count, seed : int
    """
    rng = random.Random(f"{seed} {detector} held out")  # noqa: S311 (to be repeated)
    ordered = sorted(
        responses,
        key=lambda each: (each.scan.stem, each.probe, each.prompt, each.index),
    )
    rng.shuffle(ordered)
    known = [word_3_grams(output) for output in labelled]
    new = [
        each
        for each in without_copies(ordered)
        if each.babble is None and not _is_copy(each, known)
    ]
    by_verdict = {
        verdict: [each for each in new if each.response.flagged == flagged]
        for verdict, flagged in ((FLAGGED, True), (UNFLAGGED, False))
    }
    drawn = [
        (verdict, each)
        for verdict, of_verdict in by_verdict.items()
        for each in of_verdict[: count // 2]
    ]
    rng.shuffle(drawn)
    return HeldOut(
        detector=detector,
        distinct={verdict: len(them) for verdict, them in by_verdict.items()},
        rows=tuple(
            {**row_of(each, f"{detector}-h{number:03}"), "verdict": verdict}
            for number, (verdict, each) in enumerate(drawn, start=1)
        ),
    )


def _is_copy(each: Distinct, known: Sequence[frozenset[tuple[str, ...]]]) -> bool:
    grams = word_3_grams(each.response.output)
    return any(
        len(grams & others) > LIMIT * min(len(grams), len(others)) for others in known
    )


def write_held_out(drawn: HeldOut, folder: Path) -> None:
    """Write DETECTOR.jsonl: a line with the sizes, then the rows."""
    sizes = {"detector": drawn.detector, "distinct": dict(drawn.distinct)}
    lines = [json.dumps(each, ensure_ascii=False) for each in (sizes, *drawn.rows)]
    write_whole(
        str(folder / f"{drawn.detector}.jsonl"), "".join(f"{x}\n" for x in lines)
    )


def read_held_out(path: Path) -> HeldOut:
    """Read what :func:`write_held_out` wrote, labelled since or not.

    Raises
    ------
    DatasetError
        A line is not as it was written.
    """
    try:
        sizes, *rows = map(json.loads, path.read_text("utf-8").splitlines())
        return HeldOut(
            detector=sizes["detector"],
            distinct={name: int(sizes["distinct"][name]) for name in VERDICTS},
            rows=tuple(map(_with_verdict, rows)),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetError(
            f"{path}: expected held-out rows, found none ({type(error).__name__});"
            " draw them: `python -m tools.real_model held-out`"
        ) from None


def _with_verdict(row: dict[str, Any]) -> dict[str, Any]:
    if row["verdict"] not in VERDICTS:
        raise ValueError(row["verdict"])
    return row
