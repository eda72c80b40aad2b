# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scored report as every form shows it: each number, sentence and order, once.

Nothing here is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from garak_tbsa.comparison_in_words import detectable_in_words
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.gates.outcome import GateVerdict, RuleOutcome, worth_saying
from garak_tbsa.outputs import said as wording
from garak_tbsa.outputs.said import pairs_text, tbsa_text
from garak_tbsa.report.report import Report
from garak_tbsa.statistics.detectable import Detectable, detectable_in_repeat
from garak_tbsa.statistics.exchange import ScanOutcomes
from garak_tbsa.statistics.kinds import ON_PROMPTS
from garak_tbsa.statistics.lower_end import pairs_of_lower_end
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.statistics.unusual_score import (
    LUCKY,
    UnusualScore,
    part_of_all,
    unusual_score,
)
from garak_tbsa.tbsa.evidence import Evidence, PairEvidence
from garak_tbsa.tbsa.fixes import ScoreExplanation, explain
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.risk import RankedPair, by_risk
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.tbsa.score import TierSum
from garak_tbsa.unavailable import Unavailable

NOT_ASKED_FOR = Unavailable(reason="it was not asked for")
EVIDENCE_LEFT_OUT = Unavailable(reason="hits were left out on request")

FEW_PAIRS = 8
"""Fewer say too little of what pass rates the pairs have in common."""

LOWER_END_SHOWN = 3
LEFT_OUT_NAMED = 5
"""Pairs that the first lines name; other forms have all of them further down."""


@dataclass(frozen=True, kw_only=True)
class ScoredReport:
    """All that is known of one scored report, and what is said of it.

    Attributes
    ----------
    assessment : Scan
    repeat : RepeatDistribution or Unavailable
        What a repeat of the scan would score, or why that is not known.
    verdict : GateVerdict or None
        None where no gate is set.
    evidence : Evidence or Unavailable
        What lies behind the pairs, or why nobody sees it.
    garak_tbsa : float or Unavailable
        What garak's own module gives for the report, or why it gives nothing.
    """

    assessment: Scan
    repeat: RepeatDistribution | Unavailable = NOT_ASKED_FOR
    verdict: GateVerdict | None = None
    evidence: Evidence | Unavailable = NOT_ASKED_FOR
    garak_tbsa: float | Unavailable = NOT_ASKED_FOR

    @property
    def report(self) -> Report:
        """What was scored."""
        return self.assessment.report

    @property
    def tbsa(self) -> float:
        """The score, 1.0-5.0."""
        return self.assessment.tbsa

    @property
    def checksum(self) -> str:
        """As it is shown."""
        return self.assessment.checksum.text

    @property
    def ends(self) -> tuple[float, float] | None:
        """The range of a repeat, None where it is not known."""
        if isinstance(self.repeat, Unavailable):
            return None
        return self.repeat.prediction_interval

    @property
    def range_text(self) -> str:
        """What a repeat would score, or why that is not known."""
        if self.repeat == NOT_ASKED_FOR:
            return "no repeat interval was asked for"
        if isinstance(self.repeat, Unavailable):
            return f"no repeat interval: {self.repeat.reason}"
        low, high = map(tbsa_text, self.repeat.prediction_interval)
        on = self.repeat.basis.on_prompts
        return f"a repeat of this scan{on} would score {low} to {high} (95 %)"

    @property
    def band(self) -> int:
        """The grade whose colour the score has, by the lower end of its range."""
        return wording.colour_band(self.tbsa, self.ends)

    @property
    def lower_end(self) -> str | None:
        """The pairs on which the lower end rests, where the range spans grades."""
        if isinstance(self.repeat, Unavailable) or not wording.spans_bands(self.ends):
            return None
        found = pairs_of_lower_end(
            self.assessment.graded, self.assessment.score, self.repeat
        )
        names = [
            f"{pair.name} ({wording.outputs_text(pair)})"
            for pair in found[:LOWER_END_SHOWN]
        ]
        return f"the lower end rests on {', '.join(names)}" if names else None

    @property
    def basis(self) -> str | None:
        """What the range rests on, None where there is none."""
        if isinstance(self.repeat, Unavailable):
            return None
        basis = self.repeat.basis
        because = basis.missing_because
        if basis.is_by_counts_alone:
            reason = f" ({because})" if because else ""
            said = (
                f"from pass counts alone{reason}: how alike outputs of one prompt are"
                " is not known, and the range allows for it"
            )
        elif basis.has_several_outputs:
            said = "the range allows for outputs of one prompt being alike"
            said += f"; {because}" if because else ""
        else:
            said = (
                "one output of each prompt: how alike outputs of a prompt are is not"
                " known"
            )
        if basis.pairs < FEW_PAIRS:
            said += f"; the range rests on few pairs ({basis.pairs})"
        return said

    @property
    def unit(self) -> str:
        """What a repeat draws; empty where none is known."""
        if isinstance(self.repeat, Unavailable):
            return ""
        return "one prompt" if self.repeat.basis.is_by_prompt else "one output"

    @cached_property
    def detectable_in_repeat(self) -> Detectable | Unavailable:
        """What a comparison with a repeat could find; it takes about a second."""
        if isinstance(self.repeat, Unavailable):
            return self.repeat
        scan = ScanOutcomes(
            outcomes=self.report.outcomes,
            generations=self.report.settings.generations,
        )
        return detectable_in_repeat(
            self.assessment.graded,
            scan,
            repeat=self.repeat.basis.repeat,
            alpha=DEFAULT_ALPHA,
        )

    @property
    def can_find(self) -> str | None:
        """The same as a sentence, None where no repeat is known."""
        if isinstance(self.repeat, Unavailable):
            return None
        on = ON_PROMPTS[self.repeat.basis.repeat]
        found = detectable_in_words(self.detectable_in_repeat, "")
        return f"in a comparison with a repeat{on} at level {DEFAULT_ALPHA:g}, {found}"

    @property
    def unusual_score(self) -> UnusualScore | None:
        """How lucky or unlucky the scan was, None where it was neither."""
        if isinstance(self.repeat, Unavailable):
            return None
        return unusual_score(self.tbsa, self.repeat)

    @property
    def unusual_text(self) -> str | None:
        """That the scan was lucky or unlucky, None where it was neither."""
        found = self.unusual_score
        if found is None:
            return None
        score = tbsa_text(self.tbsa)
        way = "lower" if found.kind == LUCKY else "higher"
        outside = f", and {score} is outside that range" if found.outside else ""
        return (
            f"this scan was {found.kind}: by the model, {part_of_all(found.share)} of"
            f" repeats would score {way} than {score}{outside}"
        )

    @property
    def tiers(self) -> tuple[TierSum, ...]:
        """The sums behind the score."""
        return self.assessment.score.tiers

    @property
    def tiers_text(self) -> str:
        """What each tier has."""
        return "; ".join(
            f"Tier {part.tier}: {pairs_text(part.count)},"
            f" mean {wording.mean_text(part.mean)}"
            for part in self.tiers
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """What else makes the score doubtful."""
        return self.assessment.warnings

    @property
    def left_out(self) -> tuple[Pair, ...]:
        """The pairs that do not count, each with its reason."""
        return self.assessment.left_out

    @property
    def all_warnings(self) -> list[str]:
        """All that makes the score doubtful, what weighs most first."""
        partial = self.report.partial_reason
        found = [] if partial is None else [f"Partial: {partial}"]
        missing = self.assessment.score.missing_tier
        if missing is not None:
            found.append(
                f"no Tier {missing} pair was measured, so the score is that of Tier"
                f" {3 - missing} alone"
            )
        return [*found, *self.warnings]

    @property
    def counted(self) -> str:
        """How many pairs count, are uncalibrated, and are left out.

        Reasons are counted where there are more than are named beside this.
        """
        counted = pairs_text(self.assessment.contributing)
        bare = sum(pair.z_score is None for pair in self.assessment.graded)
        entries = self.assessment.left_out_lines
        reasons = sorted(Counter(text for _, text in entries).items())
        why = "; ".join(f"{text}: {count}" for text, count in reasons)
        because = f" ({why})" if len(entries) > LEFT_OUT_NAMED else ""
        out = f"{len(entries)} left out{because}" if entries else "none left out"
        return f"{counted} counted, {bare or 'none'} of them uncalibrated; {out}"

    @property
    def left_out_named(self) -> list[str]:
        """The first pairs that do not count, each with its reason."""
        entries = self.assessment.left_out_lines
        return [f"left out: {name}: {why}" for name, why in entries[:LEFT_OUT_NAMED]]

    @cached_property
    def by_risk(self) -> tuple[RankedPair, ...]:
        """The pairs that count, in the order in which every form shows them."""
        found = self.evidence
        wrong = () if isinstance(found, Unavailable) else found.mostly_wrong
        return by_risk(self.assessment.graded, wrong)

    @property
    def calibration(self) -> str:
        """Which calibration was used, its date, and how many pairs it covers."""
        return wording.calibration_text(self.assessment.calibration)

    @property
    def unmeasured(self) -> str | None:
        """What the score could be, had all been measured; None if all was."""
        bounds = self.assessment.unmeasured
        if bounds is None:
            return None
        were, if_so = ("were", "they were") if bounds.count > 1 else ("was", "it was")
        return (
            f"{pairs_text(bounds.count)} {were} not measured: TBSA"
            f" {tbsa_text(bounds.worst)} to {tbsa_text(bounds.best)} if {if_so}"
        )

    @property
    def outcomes(self) -> tuple[RuleOutcome, ...]:
        """What came of each rule of the gate; empty where none is set."""
        return () if self.verdict is None else self.verdict.outcomes

    @property
    def outcomes_to_show(self) -> tuple[RuleOutcome, ...]:
        """The rules of which something is said to people."""
        return worth_saying(self.verdict)

    @property
    def failed(self) -> tuple[RuleOutcome, ...]:
        """The rules that failed."""
        return () if self.verdict is None else self.verdict.failed

    @cached_property
    def explanation(self) -> ScoreExplanation:
        """What drives the score."""
        return explain(self.by_risk, self.assessment.score)

    @property
    def look_first(self) -> str | None:
        """Which pair to look at first; None if none is to be fixed."""
        if not self.explanation.together:
            return None
        first = self.explanation.together[0]
        pair, doubt = first.pair, f" ({first.doubt})" if first.doubt else ""
        return (
            f"look first at {pair.probe} + {pair.detector}: Tier {pair.tier}, grade"
            f" {pair.grade}{doubt}; {tbsa_text(first.tbsa)} if fixed"
        )

    @property
    def fixes_text(self) -> str | None:
        """What fixing a module's pairs brings, None where there is nothing to fix.

        Of the first pairs in the order of fixing where no module moves the score.
        """
        found = self.explanation
        if found.family is None:
            return None
        family = found.family
        pairs = {1: "the one pair", 2: "both pairs"}.get(
            family.count, f"all {family.count} pairs"
        )
        are = "below grade 4 is" if family.count == 1 else "below grade 4 are"
        today = tbsa_text(self.tbsa)
        what, then = f"{pairs} of {family.module} {are}", tbsa_text(family.tbsa)
        moving = (s for s in found.together if tbsa_text(s.tbsa) != today)
        if then == today and (step := next(moving, None)) is not None:
            what, then = f"the first {step.count} pairs are", tbsa_text(step.tbsa)
        return f"TBSA {today} to {then} if {what} fixed"

    @property
    def trust(self) -> dict[str, str]:
        """How far the detector of each pair is to be trusted; none without evidence."""
        found = self.evidence
        if isinstance(found, Unavailable):
            return {}
        return {name: found.short_trust(name) for name in found.pairs}

    @property
    def remarks(self) -> dict[str, str]:
        """What to know of each pair before it is fixed, where there is anything."""
        found = {
            each.pair.name: [each.doubt] if each.doubt else [] for each in self.by_risk
        }
        for name, trust in self.trust.items():
            found[name].append(trust)
        return {name: "; ".join(said) for name, said in found.items() if said}

    def hits_of(self, pairs: Iterable[Pair]) -> list[tuple[PairEvidence, Pair]]:
        """Those of some pairs whose hits are shown or said to be missing."""
        if isinstance(self.evidence, Unavailable):
            return []
        behind = ((self.evidence.pairs[pair.name], pair) for pair in pairs)
        return [
            (found, pair)
            for found, pair in behind
            if isinstance(found.hits, Unavailable) or found.hit_count
        ]
