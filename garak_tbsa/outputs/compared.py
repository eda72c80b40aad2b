# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two compared scans: what all forms show of them, and each form.

Sentences are those of ``comparison_in_words``. Nothing is escaped but by the form that
requires it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from xml.etree.ElementTree import Element

from garak_tbsa import comparison_in_words as words
from garak_tbsa.fallen import ComparedOutputs, FallenOutputs
from garak_tbsa.gates.options import level_in_words
from garak_tbsa.hits import HOSTILE
from garak_tbsa.outputs import junit as xml
from garak_tbsa.outputs.columns import (
    INDENT,
    RULE,
    example_lines,
    folded,
    marked,
    table,
    wrapped,
)
from garak_tbsa.outputs.documents import comparison as documents
from garak_tbsa.outputs.drawings import repeats_drawing
from garak_tbsa.outputs.html_page import filled, scan_facts
from garak_tbsa.outputs.json_text import Document, json_text, told
from garak_tbsa.outputs.markdown import filled_markdown
from garak_tbsa.outputs.said import (
    DISCLAIMER,
    colour_square,
    counts_text,
    pairs_text,
    tbsa_text,
)
from garak_tbsa.outputs.scored import SCHEMA_VERSION, ScoredReport
from garak_tbsa.statistics.compare import (
    BETTER,
    BOTH_WAYS,
    FELL,
    PAIRS,
    ROSE,
    WORSE,
    Cause,
    ComparedPair,
    Comparison,
)
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.unavailable import Unavailable

PAIRS_SHOWN = 20
"""Pairs in a table of Markdown; the JSON has all."""

COLOURS = {WORSE: "g1", BOTH_WAYS: "g2", BETTER: "g4"}

DUE_TO_THESE = "The verdict is due to these."
OTHERS_FELL = "The verdict names none of these, and their falls may be chance."
NONE_FELL = "No pair has a lower grade, and the verdict is due to no fall."
"""What pairs that fell are."""

NO_TEST = "No test: no pair has counts in both reports."


@dataclass(frozen=True, kw_only=True)
class ComparedScans:
    """A comparison with all that its forms say of it.

    Attributes
    ----------
    comparison : Comparison
        Both scans, every pair, every test.
    repeats : tuple of two (RepeatDistribution or Unavailable)
        What a repeat of the first scan, and of the second, would score.
    outputs : FallenOutputs
        Of the pairs that fell; empty where nobody asked for them.
    """

    comparison: Comparison
    repeats: tuple[RepeatDistribution | Unavailable, RepeatDistribution | Unavailable]
    outputs: FallenOutputs = field(default_factory=dict)

    @cached_property
    def sides(self) -> dict[str, ScoredReport]:
        """The scans before and after."""
        scans = (self.comparison.first, self.comparison.second)
        return {
            label: ScoredReport(assessment=scan, repeat=repeat)
            for label, scan, repeat in zip(
                ("before", "after"), scans, self.repeats, strict=True
            )
        }

    @property
    def whole(self) -> dict[str, float]:
        """What the whole reports score, where common pairs alone were compared."""
        common = self.comparison.common
        if common is None:
            return {}
        return {"before": common.whole_first, "after": common.whole_second}

    @property
    def bases(self) -> list[str]:
        """What the ranges are based on, once where it is the same for both."""
        said = dict.fromkeys(side.document.said.basis for side in self.sides.values())
        return [f"Ranges: {basis}." for basis in said if basis is not None]

    @property
    def about_tests(self) -> str:
        """Which tests decide, and what they assume."""
        alpha = self.comparison.alpha
        return (
            f"The last two decide the verdict, each at level {alpha:g}:"
            f" {level_in_words(alpha)}. Assumed:"
            f" {words.assumption(self.comparison.exchange)}."
        )

    def with_reservation(self, said: str) -> str:
        """Return a text, and in brackets why the scans are no match."""
        reservation = words.not_comparable(self.comparison)
        return said if reservation is None else f"{said} ({reservation})"

    @cached_property
    def because(self) -> dict[str, ComparedPair]:
        """The pairs that the verdict is due to by name, those that fell first."""
        pairs = [pair for cause in self.comparison.causes for pair in cause.pairs]
        return {pair.name: pair for pair in pairs}

    @cached_property
    def noticed(self) -> list[ComparedPair]:
        """These, then pairs with another grade or untested, what moved most first."""
        rest = (
            pair
            for pair in self.comparison.pairs
            if pair.changed_grade or pair.is_untested_difference
            if pair.name not in self.because
        )
        return [*self.because.values(), *sorted(rest, key=_most_moved)]

    @cached_property
    def fallen(self) -> list[ComparedPair]:
        """Of these, those that fell."""
        return [pair for pair in self.noticed if pair.moved < 0]

    @property
    def fallen_groups(self) -> dict[str, list[ComparedPair]]:
        """The same by what they are."""
        groups = {
            DUE_TO_THESE: [pair for pair in self.fallen if pair.name in self.because],
            OTHERS_FELL: [p for p in self.fallen if p.name not in self.because],
        }
        return {what: own for what, own in groups.items() if own} or {NONE_FELL: []}

    @cached_property
    def shown(self) -> dict[str, tuple[ComparedOutputs, ...]]:
        """The prompts that there are to show of pairs, by name."""
        found = self.outputs.items()
        return {name: own for name, own in found if not isinstance(own, Unavailable)}

    @property
    def without_outputs(self) -> list[str]:
        """Of which pairs there are none, and why, where they were looked for."""
        missing = words.grouped(
            (found.reason, name)
            for name, found in self.outputs.items()
            if isinstance(found, Unavailable)
        )
        return [
            f"No outputs of the second scan are shown of {words.named(names)}:"
            f" {reason}."
            for reason, names in missing.items()
        ]

    def outstanding(self, *directions: str) -> set[str]:
        """Return the names of pairs that stand out by themselves, these ways."""
        causes = (e for e in self.comparison.causes if e.direction in directions)
        return {p.name for each in causes if each.kind == PAIRS for p in each.pairs}


def _most_moved(pair: ComparedPair) -> tuple[float, str]:
    return -abs(pair.z), pair.name


def z_text(pair: ComparedPair) -> str:
    """Return the standardised change of a pair's pass count."""
    return "not tested" if pair.move is None else f"{pair.move.z:+.2f}"


def grades_text(pair: ComparedPair) -> str:
    """Return the grade, or both where it changed."""
    if not pair.changed_grade:
        return str(pair.first.grade)
    return f"{pair.first.grade} → {pair.second.grade}"


def fall_text(pair: ComparedPair) -> str:
    """Return how many of a pair's outputs passed in each scan, and its grades."""
    before, after = counts_text(pair.first), counts_text(pair.second)
    return f"{before} passed before, {after} after; grade {grades_text(pair)}"


def text_lines(compared: ComparedScans) -> list[str]:
    """Return what a terminal shows: the verdict first."""
    comparison = compared.comparison
    checksums = [side.checksum for side in compared.sides.values()]
    said = f": {checksums[0]} (equal)"
    if comparison.differences:
        said = "s: {} before, {} after".format(*checksums)
    changed = f"{pairs_text(len(comparison.changed))} with another grade:"
    differences = (f"     {each.part}: {each.text}" for each in comparison.differences)
    return [
        *folded([words.headline(comparison)]),
        *marked("   ", *_pair_table(compared.because.values())),
        *folded(marked("⚠️ ", words.not_comparable(comparison))),
        *folded(differences),
        RULE,
        *(line for label in compared.sides for line in _side_lines(label, compared)),
        *folded(compared.bases),
        f"TBSA moved by {comparison.tbsa_difference:+.1f}",
        f"🔑 Checksum{said}",
        RULE,
        *folded(_test_lines(compared)),
        RULE,
        changed if comparison.changed else "No pair changed its grade.",
        *_pair_table(comparison.changed),
        DISCLAIMER,
    ]


def _side_lines(label: str, compared: ComparedScans) -> Iterator[str]:
    side, whole = compared.sides[label], compared.whole.get(label)
    square = colour_square(side.tbsa, side.ends)
    score = tbsa_text(side.tbsa)
    yield from folded([f"{square} {label:<6} TBSA {score}; {side.document.said.range}"])
    if whole is not None:
        yield f"          the whole report scores {tbsa_text(whole)}"
    yield from folded(marked("          ", side.document.said.luck))
    yield f"          {side.report.source}"
    yield from folded(marked("⚠️ ", *side.document.said.doubts))


def _test_lines(compared: ComparedScans) -> list[str]:
    found = []
    for question, value, more in words.tests_in_words(compared.comparison):
        found.append(f"{question + ':':<32}{value}" + f" ({more})" * bool(more))
    if found:
        found += [compared.about_tests, words.can_find(compared.comparison)]
    return [*(found or [NO_TEST]), *marked("⚠️ ", *words.notes(compared.comparison))]


def _pair_table(pairs: Iterable[ComparedPair]) -> list[str]:
    rows = [
        (
            *(grades_text(pair), counts_text(pair.first), counts_text(pair.second)),
            *(z_text(pair), pair.name),
        )
        for pair in pairs
    ]
    header = ("grade", "passed before", "passed after", "z", "pair")
    return table([header, *rows]) if rows else []


def fallen_lines(compared: ComparedScans) -> Iterator[str]:
    """Yield what a terminal shows of the pairs that fell."""
    yield from [RULE, "Pairs that fell", *folded(compared.without_outputs)]
    if compared.shown:
        yield from wrapped("⚠️ ", HOSTILE)
    ranks = {pair.name: rank for rank, pair in enumerate(compared.fallen, start=1)}
    for what, pairs in compared.fallen_groups.items():
        yield from folded([what])
        for pair in pairs:
            name = f"{pair.second.probe} + {pair.second.detector}"
            yield from wrapped(f"{ranks[pair.name]:>3}. ", name)
            yield f"{INDENT}{fall_text(pair)}"
            for each in compared.shown.get(pair.name, ()):
                yield from wrapped(f"{INDENT}• ", each.title)
                yield from example_lines(each.texts(), each.show_commands())


def html(compared: ComparedScans) -> str:
    """Return the page of two compared scans side by side."""
    comparison, noticed = compared.comparison, compared.noticed
    names = {pair.name for pair in noticed}
    others = [pair for pair in comparison.pairs if pair.name not in names]
    values = {
        "colour": COLOURS.get(comparison.verdict, ""),
        "facts": {
            label: [
                *scan_facts(side.report),
                ("Pairs", str(side.assessment.contributing)),
                ("Calibration", side.document.said.calibration),
                ("Checksum", side.checksum),
            ]
            for label, side in compared.sides.items()
        },
        "chart": repeats_drawing(compared.sides),
        "rose": [pair for pair in noticed if pair.moved >= 0],
        "others": sorted(others, key=_most_moved),
        "outstanding": compared.outstanding(FELL, ROSE),
        "rates": words.rates_text,
        "height": lambda rate: round(6 + 32 * (1 - rate), 1),
        **_values(compared),
    }
    return filled("compare.html", values, styles=["compare.css", "hits.css"])


def markdown(compared: ComparedScans) -> str:
    """Return the verdict, pairs that fell, scores, tests and pairs that changed."""
    return filled_markdown(
        "compare.md",
        shown=PAIRS_SHOWN,
        grades=grades_text,
        fall=fall_text,
        **_values(compared),
    )


def _values(compared: ComparedScans) -> dict[str, Any]:
    """What the page and Markdown show alike."""
    comparison = compared.comparison
    return {
        "view": compared,
        "found": comparison,
        "headline": words.headline(comparison),
        "reservation": words.not_comparable(comparison),
        "moved": f"{comparison.tbsa_difference:+.1f}",
        "tests": words.tests_in_words(comparison),
        "can_find": words.can_find(comparison),
        "no_test": NO_TEST,
        "notes": words.notes(comparison),
        "hostile": HOSTILE,
        "z": z_text,
    }


def junit(compared: ComparedScans) -> str:
    """Return a suite with the verdict, and one with a test for each pair.

    The verdict fails where the second scan is worse, or nothing could be tested, as
    ``--fail-on worse`` does. A pair fails where it stands out for the worse, and only
    with the verdict; one that was not tested, or that a single scan measured, is
    skipped.
    """
    comparison, suites = compared.comparison, Element("testsuites", name="garak-tbsa")
    properties = [
        ("verdict", words.headline(comparison)),
        ("note", DISCLAIMER),
    ]
    if (reservation := words.not_comparable(comparison)) is not None:
        properties.append(("not-comparable", reservation))
    for label, side in compared.sides.items():
        properties += [
            (f"tbsa-{label}", tbsa_text(side.tbsa)),
            (f"report-{label}", side.report.source),
            (f"checksum-{label}", side.checksum),
            *(("warning", f"{label}: {text}") for text in side.document.said.doubts),
        ]
    failure = words.headline(comparison) if comparison.may_be_worse else None
    verdict = xml.add_suite(suites, "compare", properties)
    xml.add_case(verdict, "compare", "not worse", failure=failure)
    fallen, pairs = compared.outstanding(FELL), xml.add_suite(suites, "pairs")
    for pair in comparison.pairs:
        said = f"{fall_text(pair)}, z {z_text(pair)}"
        fell = pair.name in fallen
        is_skipped = pair.not_tested is not None and not fell
        xml.add_case(
            pairs,
            f"tier{pair.second.tier}",
            pair.name,
            failure=f"{words.move_text(pair)}: {said}" if fell else None,
            skipped=f"not tested: {pair.not_tested}" if is_skipped else None,
            said=said,
        )
    for name in comparison.only_in_one:
        xml.add_case(pairs, "only-in-one", name, skipped="measured in one scan only")
    return xml.text_of(suites)


def json(compared: ComparedScans) -> str:
    """Return the JSON text."""
    return json_text(document(compared))


def document(compared: ComparedScans) -> documents.Comparison:
    """Return the document of a comparison."""
    found = compared.comparison
    tests, exchange, common = found.tests, found.exchange, found.common
    reservation = words.not_comparable(found)
    return documents.Comparison(
        schema_version=SCHEMA_VERSION,
        note=DISCLAIMER,
        verdict=told(
            documents.Verdict, found, kind=found.verdict, text=words.headline(found)
        ),
        because=[_cause(cause) for cause in found.causes],
        comparable=reservation is None,
        not_comparable_because=reservation,
        differing_parts=[each.part for each in found.differences],
        differences=[told(documents.Difference, each) for each in found.differences],
        common_pairs=documents.CommonPairs(
            pairs=list(common.names), of_another_tier=list(common.other_tier)
        )
        if common
        else None,
        first=_side("before", compared),
        second=_side("after", compared),
        tbsa_difference=found.tbsa_difference,
        tests=told(documents.Tests, tests) if tests else None,
        assumption=words.assumption(exchange),
        detectable=_detectable(found),
        not_matched=words.not_matched(exchange),
        pairs_compared=len(exchange.pairs),
        pairs_by_prompt=len(exchange.by_prompt),
        pairs_by_whole_prompt=len(exchange.by_whole_prompt),
        pairs_by_count=[
            documents.ByCount(pair=exchange.pairs[place][1].name, reason=reason)
            for place, reason in exchange.unmatched.items()
        ],
        pairs_only_in_one=found.only_in_one,
        pairs=[_pair(documents.ComparedPair, pair) for pair in found.pairs],
        changed_grades=[
            told(
                documents.ChangedGrade,
                pair.second,
                pair=pair.name,
                first=pair.first.grade,
                second=pair.second.grade,
                first_counts=told(documents.Counts, pair.first),
                second_counts=told(documents.Counts, pair.second),
            )
            for pair in found.changed
        ],
    )


def _detectable(comparison: Comparison) -> documents.Detectable:
    found, text = comparison.detectable, words.can_find(comparison)
    if isinstance(found, Unavailable):
        return documents.Detectable(
            text=text, can_fall=None, undetectable=None, unseen=[]
        )
    share = found.undetectable
    return documents.Detectable(
        text=text,
        can_fall=found.can_fall,
        undetectable=None if isinstance(share, Unavailable) else share,
        unseen=[told(documents.Unseen, each, pair=each.name) for each in found.unseen],
    )


def _cause(cause: Cause) -> documents.Cause:
    return told(
        documents.Cause,
        cause,
        direction=WORSE if cause.direction == FELL else BETTER,
        text=words.cause_in_words(cause),
        pairs=[
            _pair(documents.CausePair, pair, stands_out=cause.kind == PAIRS)
            for pair in cause.pairs
        ],
        pairs_moved=cause.moved,
        pairs_against=cause.against,
    )


def _pair(kind: type[Document], pair: ComparedPair, **others: Any) -> Document:
    first, second, move = pair.first, pair.second, pair.move
    return told(
        kind,
        second,
        pair=pair.name,
        first_grade=first.grade,
        second_grade=second.grade,
        first_pass_rate=first.pass_rate,
        second_pass_rate=second.pass_rate,
        first_counts=told(documents.Counts, first),
        second_counts=told(documents.Counts, second),
        tested=pair.not_tested is None,
        not_tested_because=pair.not_tested,
        units_exchanged=pair.units,
        z=move and move.z,
        p_fell=move and move.p_fell,
        p_rose=move and move.p_rose,
        **others,
    )


def _side(label: str, compared: ComparedScans) -> documents.Side:
    side = compared.sides[label]
    missing, based_on, repeat = None, None, side.repeat
    if isinstance(repeat, Unavailable):
        missing = repeat.reason
    else:
        based_on = told(documents.Basis, repeat.basis, assumed=side.document.said.basis)
    return told(
        documents.Side,
        side.report,
        infile=side.report.source,
        run_id=side.report.run_uuid,
        tbsa=side.tbsa,
        tbsa_of_whole_report=compared.whole.get(label, side.tbsa),
        repeat_interval=side.ends,
        interval_missing_because=missing,
        interval_based_on=based_on,
        checksum=side.checksum,
        partial=side.report.is_partial,
        warnings=side.warnings,
    )
