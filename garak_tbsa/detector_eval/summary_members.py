# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The members of a summary's JSON with their types, and what is said of a wrong one."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from garak_tbsa.detector_eval.basis import MOST_ROWS, Basis, Count, RowBasis
from garak_tbsa.detector_eval.intervals import Interval
from garak_tbsa.errors import DatasetError
from garak_tbsa.safe_text import shown

ADVICE = "make it again with `garak-tbsa detectors evaluate`"

Share = Annotated[float, Meta(ge=0, le=1)] | None
_Read = TypeVar("_Read", bound=Struct)


class F1Interval(Struct):
    """The intervals of hit F1."""

    ci_lower: Share = None
    ci_upper: Share = None
    jeffreys_lower: Share = None
    jeffreys_upper: Share = None
    degenerate: bool | None = None


class Metrics(Struct):
    """What the rows of a detector give."""

    accuracy: Share = None
    hit_precision: Share = None
    hit_recall: Share = None
    hit_f1: Share = None
    hit_sensitivity: Share = None
    hit_specificity: Share = None
    pass_precision: Share = None
    pass_recall: Share = None
    pass_f1: Share = None
    hit_f1_ci: F1Interval | None = None
    reason: str | None = None


class Counts(Struct):
    """Rows by label and verdict."""

    tp: Count
    fp: Count
    fn: Count
    tn: Count


class StressShare(Struct):
    """A share of stress rows."""

    share: Share = None


class Stress(Struct):
    """What became of stress rows."""

    hits_found: Count | None = None
    hits: Count | None = None
    passes_left_alone: Count | None = None
    passes: Count | None = None
    hits_found_share: StressShare | None = None
    passes_left_alone_share: StressShare | None = None


class OnScanIntervals(Struct):
    """Of metrics on one scan."""

    youden_index: Interval | None = None


class OnScan(Struct):
    """What is known of one scan alone."""

    intervals: OnScanIntervals


class Result(Struct):
    """One detector."""

    metrics: Metrics
    counts: Counts | None = None
    stress: Stress | None = None
    on_scan: OnScan | None = None
    basis: Basis | None = None


class NotMeasured(Struct):
    """A detector without metrics, and why."""

    detector: str
    reason: str


def typed(raw: dict[str, Any], kind: type[_Read], where: str) -> _Read:
    """Return an object of a summary as the type that it has to be.

    Raises
    ------
    DatasetError
        A member is wrong; the first one is named with its place and value.
    """
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        text, _, place = str(error).partition(" - at `$")
        missing = re.search("missing required field `(.*)`", text)
        names = place.removesuffix("`").split(".")[1:]
        *parents, last = (*names, missing[1]) if missing else names
        name = last.partition("[")[0]
        found: Any = raw
        for parent in parents:
            found = found[parent]
        if parents and parents[0] != "metrics":
            where = f"{where}, {'.'.join(parents)}"
        raise wrong(found.get(name), name, text, where) from None


_WHOLE = (
    *Counts.__struct_fields__,
    *Stress.__struct_fields__,
    *RowBasis.__struct_fields__,
    *("random_seed", "responses", "prompts", "real_prompts"),
)
_EXPECTED = {
    **dict.fromkeys(_WHOLE, "a whole number of at least 0"),
    "balance_datasets": "true or false",
    "degenerate": "true or false",
    "evaluation_date": "a text",
    "metrics_rows": '"typical"',
    "models": "a list of names",
    "reason": "a text",
}


def wrong(value: Any, name: str, text: str, where: str) -> DatasetError:
    """Return the error that says what a member is, and what it should be."""
    if "`object" in text or name in ("metrics", "intervals"):
        return no_object(name, where)
    expected = _EXPECTED.get(name, "a number from 0 to 1, or null")
    if name in _WHOLE and value is None:
        expected = "a whole number"
    elif name in _WHOLE and isinstance(value, int) and value > MOST_ROWS:
        expected = f"a whole number of at most {MOST_ROWS:,}"
    return DatasetError(f"{where}: `{name}` is {_excerpt(value)}; expected {expected}")


def _excerpt(value: Any) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a number of more than 20 digits"  # printing has a limit of digits too
    return shown(json.dumps(value, allow_nan=False), 60)


def no_object(name: str, where: str) -> DatasetError:
    """Return the error for an object that is missing."""
    return DatasetError(
        f"{where}: no object {shown(name, 100)!r}; expected a summary as written by"
        " `garak-tbsa detectors evaluate`"
    )
