# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a file of the shipped data must be as a whole: size, spread, no give-aways."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from garak_tbsa.detector_eval.agreement import Agreement
from garak_tbsa.detector_eval.agreement import agreement_of as alpha_of
from garak_tbsa.detector_eval.rows import LabelledRow
from tools.labelled_data.families import Row, real_rows
from tools.labelled_data.response_shapes import is_babble
from tools.labelled_data.row_rules import Problem
from tools.labelled_data.trivial_features import FOLDS, Glance, trivial_score

LEAST_TYPICAL = 60
LEAST_OF_A_CLASS = 24
LEAST_STRESS = 20
LEAST_LANGUAGES = 5
LEAST_ALPHA, LEAST_ALPHA_OF_ALL = 0.8, 0.95
"""Of a file, and of all rows."""
MOST_SHARED = 0.8
"""Share of word 3-grams above which one of two rows is a near-copy."""
MOST_BABBLE = 20
"""One real row of so many may be babble."""
LEAST_REAL_ROWS = LEAST_REAL_DETECTORS = 25

TRIVIAL_REASONS = "trivial_feature_reasons.json"
"""Detector -> why the failure itself shows in length or punctuation."""
FEW_ROWS_REASONS = "few_rows_reasons.json"
"""Detector -> why there are fewer typical rows than the rule asks for."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, kw_only=True)
class Record:
    """A raw row with its line and id, and the parsed one where its fields allow it."""

    place: str
    raw: Row
    row: LabelledRow | None


def count_problems(records: Sequence[Record], reason: str | None) -> Iterator[Problem]:
    """Enough typical rows, of each class, and stress rows of each class.

    With a written reason there may be fewer typical rows; one of each class still.
    """
    typical, stress = (
        Counter(str(r.raw.get("label")) for r in records if ("why" in r.raw) == is_it)
        for is_it in (False, True)
    )
    few = reason is not None
    for count, least, what in (
        (sum(typical.values()), 2 if few else LEAST_TYPICAL, "typical rows"),
        (typical["hit"], 1 if few else LEAST_OF_A_CLASS, "typical hits"),
        (typical["pass"], 1 if few else LEAST_OF_A_CLASS, "typical passes"),
        (sum(stress.values()), LEAST_STRESS, "stress rows"),
        (stress["hit"], 1, "stress hits"),
        (stress["pass"], 1, "stress passes"),
    ):
        if count < least:
            remedy = (
                f"add {least - count}, or say in {FEW_ROWS_REASONS} why there are no"
                " more"
                if what.startswith("typical")
                else f"write {least - count} more"
            )
            yield Problem(
                "counts", f"{count} {what}, at least {least} expected", remedy
            )


def language_problems(
    records: Sequence[Record], stated: str | None
) -> Iterator[Problem]:
    """As many languages as the detector's ``lang_spec`` claims, if it states any."""
    if stated is None or any("file" in record.raw for record in records):
        return  # a file has no language
    languages = {str(each.raw.get("lang")).split("-")[0].lower() for each in records}
    others = languages - {"en", "none"}
    is_english = stated.strip().lower() == "en"
    if is_english and others:
        yield Problem(
            "languages",
            f"rows in {', '.join(sorted(others))}, but the detector's lang_spec is"
            " English alone",
            "leave them out",
        )
    if not is_english and len(others) < LEAST_LANGUAGES:
        yield Problem(
            "languages",
            f"{len(others)} languages other than English, at least {LEAST_LANGUAGES}"
            f" expected, since the detector's lang_spec is {stated!r}",
            "add rows in further languages, hits and passes",
        )


def agreement_of(rows: Sequence[Row]) -> Agreement | None:
    """Return Krippendorff's alpha of rows' two labels; None where no row has two."""
    labels = (row.get("annotations") for row in rows)
    return alpha_of(each for each in labels if isinstance(each, Mapping))


def agreement_problems(rows: Sequence[Row], least: float) -> Iterator[Problem]:
    """Two raters agree at least so far."""
    agreement = agreement_of(rows)
    if agreement and agreement.alpha is not None and agreement.alpha < least:
        yield Problem(
            "ratings",
            f"two raters agree with an alpha of {agreement.alpha:.2f}, at least"
            f" {least:g} expected",
            "decide in families.json what they read differently, and let both label"
            " the rows again",
        )


def babble_problems(rows: Sequence[Row]) -> Iterator[Problem]:
    """At most a twentieth of a file's real rows says nothing."""
    real = real_rows(rows)
    babble = [
        str(row["id"])
        for row in real
        if is_babble(str(row["output"]), str(row.get("probe")))
    ]
    if len(babble) * MOST_BABBLE > len(real):
        yield Problem(
            "real rows",
            f"{len(babble)} of {len(real)} real rows are babble ({', '.join(babble)}),"
            f" at most one of {MOST_BABBLE} expected",
            "leave some of them out, and draw others at random",
        )


def real_row_problems(files: Mapping[str, Sequence[Row]]) -> Iterator[Problem]:
    """Enough detectors have enough rows that a real model said."""
    enough = sum(len(real_rows(rows)) >= LEAST_REAL_ROWS for rows in files.values())
    if enough < LEAST_REAL_DETECTORS:
        yield Problem(
            "real rows",
            f"{enough} detectors have {LEAST_REAL_ROWS} rows of a real model, at least"
            f" {LEAST_REAL_DETECTORS} expected",
            "add labelled responses of its scans",
        )


def repeated_rows(records: Sequence[Record]) -> Iterator[tuple[str, Problem]]:
    """Ids are different, and so are responses; with the place of the later row."""
    first: dict[str, str] = {}
    for record in records:
        place = first.setdefault(str(record.raw.get("id")), record.place)
        if place != record.place:
            repeated = f"the id is that of {place} already"
            yield (
                record.place,
                Problem("ids", repeated, "give the row an id of its own"),
            )
    readable = [
        (record.place, word_3_grams(record.row.output or ""))
        for record in records
        if record.row is not None and record.row.file is None
    ]
    for (place, earlier), (later_place, later) in combinations(readable, 2):
        share = len(earlier & later) / min(len(earlier), len(later))
        if share > MOST_SHARED:
            yield (
                later_place,
                Problem(
                    "near-copies",
                    f"shares {share:.2f} of its word 3-grams with {place}, at most"
                    f" {MOST_SHARED} allowed",
                    "rewrite one of them",
                ),
            )


def word_3_grams(text: str) -> frozenset[tuple[str, ...]]:
    """Every three words in a row, regardless of case; of a shorter text, all of it."""
    words = _WORD.findall(text.lower())
    if len(words) < 3:
        return frozenset({tuple(words)})
    return frozenset(zip(words, words[1:], words[2:], strict=False))


def trivial_problems(
    records: Sequence[Record], reason: str | None
) -> Iterator[Problem]:
    """Length and punctuation do not give the classes away, unless a reason says why.

    Typical and stress rows are judged apart. Where a kind has fewer than
    ``LEAST_OF_A_CLASS`` rows of a class, the result must be above the limit by more
    than its standard error: on 15 rows of a class, luck moves it by 0.1.
    """
    rows = [record.row for record in records if record.row is not None]
    for kind in ("typical", "stress"):
        judged = [row for row in rows if row.is_stress == (kind == "stress")]
        hits = [row.label == "hit" for row in judged]
        fewest = min(sum(hits), len(hits) - sum(hits))
        if reason is not None or fewest < FOLDS:
            continue
        score = trivial_score([_glance(row) for row in judged], hits)
        few = fewest < LEAST_OF_A_CLASS
        if score.is_excessive(rows=len(judged) if few else None):
            yield Problem(
                "trivial features",
                f"length and punctuation alone tell the classes of {kind} rows apart"
                f" ({score.classifier}, balanced accuracy"
                f" {score.balanced_accuracy:.2f})",
                "give hits and passes the same spread of lengths and formatting, or say"
                f" in {TRIVIAL_REASONS} why the failure itself is such a feature",
            )


def _glance(row: LabelledRow) -> Glance:
    if row.file is None:
        text = row.output or ""
        return Glance(text=text, size=len(text))
    name, content = os.path.basename(row.file.name), row.file.content
    size = os.path.getsize(row.file.name) if content is None else len(content)
    return Glance(text=name, size=size)
