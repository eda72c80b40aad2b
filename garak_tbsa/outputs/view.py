# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scored report as every form shows it: each number, sentence and order, once.

Nothing here is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from garak_tbsa.garak_files.report import Report
from garak_tbsa.outputs import wording
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import Evidence, PairEvidence
from garak_tbsa.tbsa.explain import ScoreExplanation, explain
from garak_tbsa.tbsa.gate import GateVerdict, RuleOutcome, worth_saying
from garak_tbsa.tbsa.grades import GradedPair
from garak_tbsa.tbsa.pairs import LeftOut, small_pairs
from garak_tbsa.tbsa.score import TierSum
from garak_tbsa.unavailable import Unavailable

NOT_ASKED_FOR = Unavailable(reason="it was not asked for")
EVIDENCE_LEFT_OUT = Unavailable(reason="hits were left out on request")


@dataclass(frozen=True, kw_only=True)
class ScoredReport:
    """All that is known of one scored report, and what is said of it.

    Attributes
    ----------
    assessment : Assessment
    repeat : RepeatDistribution or Unavailable
        What a repeat of the scan would score, or why that is not known.
    verdict : GateVerdict or None
        None where no gate is set.
    evidence : Evidence or Unavailable
        What lies behind the pairs, or why nobody sees it.
    """

    assessment: Assessment
    repeat: RepeatDistribution | Unavailable = NOT_ASKED_FOR
    verdict: GateVerdict | None = None
    evidence: Evidence | Unavailable = NOT_ASKED_FOR

    @property
    def report(self) -> Report:
        """What was scored."""
        return self.assessment.report

    @property
    def tbsa(self) -> float:
        """The score by the formula asked for, 1.0-5.0."""
        return self.assessment.tbsa

    @property
    def checksum(self) -> str:
        """As it is shown."""
        return self.assessment.checksum.text

    @property
    def range_text(self) -> str:
        """What a repeat would score, or why that is not known."""
        if self.repeat == NOT_ASKED_FOR:
            return "no repeat interval was asked for"
        if isinstance(self.repeat, Unavailable):
            return f"no repeat interval: {self.repeat.reason}"
        return wording.repeat_text(self.repeat)

    @property
    def basis(self) -> str | None:
        """What the range rests on, None where there is none."""
        if isinstance(self.repeat, Unavailable):
            return None
        return wording.basis_text(self.repeat)

    @property
    def luck(self) -> str | None:
        """That the scan was lucky or unlucky, None where it was neither."""
        if isinstance(self.repeat, Unavailable):
            return None
        return wording.luck_text(self.tbsa, self.repeat)

    @property
    def tiers(self) -> tuple[TierSum, ...]:
        """The sums behind the documented score; none where there is no such score."""
        score = self.assessment.score
        return () if score is None else score.tiers

    @property
    def tiers_text(self) -> str:
        """What each tier has, or that another formula was asked for."""
        if self.assessment.garak_score is not None:
            return "by garak's own formula: Z grades alone; see --formula documented"
        return "; ".join(map(wording.tier_text, self.tiers))

    @property
    def missing_tier(self) -> str | None:
        """Which tier is missing, None where both are there."""
        score = self.assessment.score
        if score is None or score.missing_tier is None:
            return None
        return (
            f"no Tier {score.missing_tier} pair was measured, so the score is that of"
            f" Tier {3 - score.missing_tier} alone"
        )

    @property
    def partial(self) -> str | None:
        """Why the report holds a part of a scan, None where it holds all of it."""
        return self.report.partial_reason

    @property
    def warnings(self) -> tuple[str, ...]:
        """What else makes the score doubtful."""
        return self.assessment.warnings

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """All that makes the score doubtful, what weighs most first."""
        partial = None if self.partial is None else f"Partial: {self.partial}"
        found = (partial, self.missing_tier, *self.warnings)
        return tuple(text for text in found if text is not None)

    @property
    def counted(self) -> str:
        """How many pairs count, are uncalibrated, and are left out for what reason."""
        counted = wording.pairs_text(self.assessment.contributing)
        if self.assessment.garak_score is not None:
            return f"{counted} counted: those with a Z grade, of any tier"
        graded = self.assessment.graded
        bare = sum(pair.z_score is None for pair in graded)
        reasons = Counter(entry.text for entry in self.left_out)
        why = "; ".join(f"{text}: {count}" for text, count in sorted(reasons.items()))
        out = f"{len(self.left_out)} left out ({why})" if why else "none left out"
        return f"{counted} counted, {bare or 'none'} of them uncalibrated; {out}"

    @property
    def look_first(self) -> str | None:
        """Which pair to look at first; None by garak's own formula, or if all are 5."""
        found = self.explanation
        by_garak = self.assessment.garak_score is not None
        if by_garak or found is None or not found.together:
            return None
        step = found.together[0]
        pair = step.pair
        return (
            f"look first at {pair.probe} + {pair.detector}: Tier {pair.tier}, grade"
            f" {pair.grade}; {wording.tbsa_text(step.tbsa)} if fixed"
        )

    @property
    def worst_first(self) -> list[GradedPair]:
        """The pairs that count, by grade."""
        return sorted(
            self.assessment.graded,
            key=lambda pair: (pair.grade, pair.tier, pair.name),
        )

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The pairs that do not count, each with its reason."""
        return self.assessment.left_out

    @property
    def small_pairs(self) -> tuple[str, ...]:
        """Names of pairs with so few outputs that their grades move easily."""
        return small_pairs(self.assessment.graded)

    @property
    def calibration(self) -> str:
        """Which calibration was used, its date, and how many pairs it covers."""
        return wording.calibration_text(self.assessment.calibration)

    @property
    def unmeasured(self) -> str | None:
        """What the score could be, had all been measured; None if all was."""
        return wording.unmeasured_text(self.assessment)

    @property
    def outcomes(self) -> tuple[RuleOutcome, ...]:
        """What came of each rule of the gate; empty where none is set."""
        return () if self.verdict is None else self.verdict.outcomes

    @property
    def said_outcomes(self) -> tuple[RuleOutcome, ...]:
        """The rules of which something is said to people."""
        return worth_saying(self.verdict)

    @property
    def failed(self) -> tuple[RuleOutcome, ...]:
        """The rules that failed."""
        return () if self.verdict is None else self.verdict.failed

    @cached_property
    def explanation(self) -> ScoreExplanation | None:
        """What drives the score; None where garak's formula alone gives a number."""
        return None if self.assessment.score is None else explain(self.assessment)

    @property
    def fixes_said(self) -> str | None:
        """What fixing pairs brings, None where there is nothing to fix."""
        found = self.explanation
        if found is None:
            return None
        return wording.family_text(self.assessment, found.family)

    @property
    def evidence_problems(self) -> tuple[str, ...]:
        """What could not be read of labels and metrics, a line each."""
        return () if isinstance(self.evidence, Unavailable) else self.evidence.problems

    @property
    def with_hits(self) -> list[tuple[PairEvidence, GradedPair | None]]:
        """The pairs whose hits are shown or said to be missing, worst first."""
        if isinstance(self.evidence, Unavailable):
            return []
        pairs = {pair.name: pair for pair in self.assessment.graded}
        return [
            (found, pairs.get(name))
            for name, found in self.evidence.pairs.items()
            if isinstance(found.hits, Unavailable) or found.hit_count
        ]
