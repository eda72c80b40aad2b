# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One scored report, and the one document of it that every form lays out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from msgspec import UNSET, convert

from garak_tbsa.evidence import Evidence, PairEvidence, mostly_wrong
from garak_tbsa.gates.options import DEFAULT_ALPHA
from garak_tbsa.gates.outcome import GateVerdict, RuleOutcome
from garak_tbsa.outputs import said
from garak_tbsa.outputs.documents import explanation, gate, score
from garak_tbsa.outputs.evidence_said import short_trust
from garak_tbsa.outputs.json_text import told
from garak_tbsa.report.report import Report
from garak_tbsa.statistics.among_repeats import UnusualScore, unusual_score
from garak_tbsa.statistics.detectable import Detectable, detectable_in_repeat
from garak_tbsa.statistics.exchange import ScanOutcomes
from garak_tbsa.statistics.repeat import LEVEL, RepeatDistribution
from garak_tbsa.tbsa.fixes import FixStep, PairEffect, ScoreExplanation, explain
from garak_tbsa.tbsa.pairs import Pair, small_pairs
from garak_tbsa.tbsa.rules import FORMULA
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

SCHEMA_VERSION: Final = 4
NOT_ASKED_FOR = Unavailable(reason="it was not asked for")
EVIDENCE_LEFT_OUT = Unavailable(reason="hits were left out on request")


@dataclass(frozen=True, kw_only=True, slots=True)
class PairRow:
    """All that is known of a pair that counts, in its place.

    Attributes
    ----------
    place : int
        In the order of risk, from 1.
    pair : Pair
    effect : PairEffect
        What it does to the score.
    step : FixStep or None
        What the score would be if it and all before it were fixed; None for one that
        is not listed as a fix.
    remark : str or None
        What to know before it is fixed.
    found : PairEvidence or None
        What lies behind it; None where nobody looked.
    """

    place: int
    pair: Pair
    effect: PairEffect
    step: FixStep | None
    remark: str | None
    found: PairEvidence | None

    @property
    def has_hits(self) -> bool:
        """Whether its hits are shown, or said to be missing."""
        found = self.found
        return found is not None and (
            isinstance(found.hits, Unavailable) or bool(found.hit_count)
        )


@dataclass(frozen=True, kw_only=True)
class ScoredReport:
    """All that is known of one scored report.

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
    def warnings(self) -> tuple[str, ...]:
        """What makes the score doubtful."""
        return self.assessment.warnings

    @property
    def left_out(self) -> tuple[Pair, ...]:
        """The pairs that do not count, each with its reason."""
        return self.assessment.left_out

    @property
    def ends(self) -> tuple[float, float] | None:
        """The range of a repeat, None where it is not known."""
        if isinstance(self.repeat, Unavailable):
            return None
        return self.repeat.prediction_interval

    @property
    def outcomes(self) -> tuple[RuleOutcome, ...]:
        """What came of each rule of the gate; empty where none is set."""
        return () if self.verdict is None else self.verdict.outcomes

    @property
    def failed(self) -> tuple[RuleOutcome, ...]:
        """The rules that failed."""
        return () if self.verdict is None else self.verdict.failed

    @cached_property
    def by_risk(self) -> list[Pair]:
        """The pairs that count, in the order in which every form shows them."""
        return [each.pair for each in self.explanation.effects]

    @cached_property
    def explanation(self) -> ScoreExplanation:
        """What drives the score."""
        found, scan = self.evidence, self.assessment
        known = () if isinstance(found, Unavailable) else found.pairs.values()
        wrong = mostly_wrong(each.trust for each in known)
        return explain(scan.graded, scan.score, wrong)

    @cached_property
    def rows(self) -> list[PairRow]:
        """The same pairs with all that is known of them."""
        evidence, rows = self.evidence, []
        for place, each in enumerate(self.explanation.effects, start=1):
            found, remarks = None, [each.doubt] if each.doubt else []
            if not isinstance(evidence, Unavailable):
                found = evidence.pairs[each.pair.name]
                remarks.append(short_trust(found.trust))
            rows.append(
                PairRow(
                    place=place,
                    pair=each.pair,
                    effect=each,
                    step=each.step,
                    remark="; ".join(remarks) or None,
                    found=found,
                )
            )
        return rows

    @cached_property
    def unusual_score(self) -> UnusualScore | None:
        """How lucky or unlucky the scan was; None where it was neither, or unknown."""
        if isinstance(self.repeat, Unavailable):
            return None
        return unusual_score(self.tbsa, self.repeat)

    @cached_property
    def detectable_in_repeat(self) -> Detectable | Unavailable:
        """What a comparison with a repeat could find; it takes about a second."""
        if isinstance(self.repeat, Unavailable):
            return self.repeat
        scan = ScanOutcomes(
            outcomes=self.report.outcomes,
            generations=self.report.settings.generations,
        )
        repeat = self.repeat.basis.repeat
        pairs = self.assessment.graded
        return detectable_in_repeat(pairs, scan, repeat=repeat, alpha=DEFAULT_ALPHA)

    @property
    def can_find(self) -> str | None:
        """The same as a sentence, None where no repeat is known."""
        if isinstance(self.repeat, Unavailable):
            return None
        return said.can_find_text(self.repeat, self.detectable_in_repeat)

    @cached_property
    def document(self) -> score.Score:
        """What every form lays out, and what is written as JSON."""
        scan, report, verdict = self.assessment, self.report, self.verdict
        bounds, use = scan.unmeasured, scan.calibration
        words = _said(self)
        identity = use.identity and told(score.CalibrationIdentity, use.identity)
        return told(
            score.Score,
            report,
            tbsa=scan.tbsa,
            version_probe_hash=scan.version_probe_hash,
            probe_detector_pairs_contributing=scan.contributing,
            infile=report.source,
            run_id=report.run_uuid,
            schema_version=SCHEMA_VERSION,
            note=said.DISCLAIMER,
            formula=FORMULA,
            checksum=self.checksum,
            checksum_parts=scan.checksum.parts,
            read_from=report.origin,
            partial=report.is_partial,
            calibration=told(
                score.Calibration,
                use,
                date=identity and identity.date,
                identity=identity,
                covered=scan.calibrated,
                counted=scan.contributing,
            ),
            raw_tbsa=scan.score.raw,
            missing_tier=scan.score.missing_tier,
            tiers=score.Tiers(
                **{
                    f"tier_{part.tier}": told(score.TierMean, part, pairs=part.count)
                    for part in scan.score.tiers
                }
            ),
            pairs=[
                told(score.Pair, pair, calibrated=pair.is_calibrated)
                for pair in scan.graded
            ],
            left_out=[told(score.LeftOut, entry) for entry in scan.left_out],
            silent_probes=[
                told(score.SilentProbe, each, reason_text=each.text)
                for each in scan.silent
            ],
            repeat_interval=_repeat(self, words),
            unmeasured=bounds
            and score.Unmeasured(
                pairs=bounds.count, worst_tbsa=bounds.worst, best_tbsa=bounds.best
            ),
            warnings=scan.warnings,
            gate=None if verdict is None else gate_document(verdict),
            explanation=_explanation(self),
            said=words,
        )


def _said(scored: ScoredReport) -> score.Said:
    scan, repeat, found = scored.assessment, scored.repeat, scored.explanation
    basis = unit = lower_end = luck = None
    if not isinstance(repeat, Unavailable):
        basis = said.basis_text(repeat)
        unit = "one prompt" if repeat.basis.is_by_prompt else "one output"
        lower_end = said.lower_end_text(scan, repeat)
        if scored.unusual_score is not None:
            luck = said.luck_text(scan.tbsa, scored.unusual_score)
    return score.Said(
        range=said.range_text(repeat),
        basis=basis,
        unit=unit,
        lower_end=lower_end,
        luck=luck,
        tiers=said.tiers_text(scan.score.tiers),
        counted=said.counted_text(scan),
        left_out=[f"{name}: {why}" for name, why in scan.left_out_lines],
        calibration=said.calibration_text(scan),
        unmeasured=said.unmeasured_text(scan),
        look_first=said.look_first_text(found),
        fixes=said.fixes_text(found, scan.tbsa),
        doubts=said.doubts_of(scan),
    )


def gate_document(verdict: GateVerdict) -> gate.Gate:
    """Return each rule's outcome, with the pairs that it is about."""
    rules = convert(verdict.outcomes, list[gate.Rule], from_attributes=True)
    return gate.Gate(passed=verdict.passed, rules=rules)


def _explanation(scored: ScoredReport) -> explanation.Explanation:
    """What fixing each pair would do, and garak's own number if it was asked for."""
    own: Any = scored.garak_tbsa
    number, reason = (None, own.reason) if isinstance(own, Unavailable) else (own, None)
    is_asked = own != NOT_ASKED_FOR
    return explanation.Explanation(
        fix_first=[
            told(
                explanation.Fix,
                row.effect,
                probe=row.pair.probe,
                detector=row.pair.detector,
                tier=row.pair.tier,
                grade=row.pair.grade,
                remark=row.remark,
            )
            for row in scored.rows
        ],
        fix_together=[
            told(
                explanation.FixStep,
                row.step,
                pairs=row.step.count,
                add=[row.pair.name],
                drop=[],
            )
            for row in scored.rows
            if row.step is not None
        ],
        garak_tbsa=number if is_asked else UNSET,
        garak_missing_because=reason if is_asked else UNSET,
    )


def _repeat(scored: ScoredReport, words: score.Said) -> score.Repeat | None:
    repeat = scored.repeat
    if repeat == NOT_ASKED_FOR:
        return None
    small = list(small_pairs(scored.assessment.graded))
    if isinstance(repeat, Unavailable):
        return score.Repeat(
            lower=None,
            upper=None,
            missing_because=repeat.reason,
            pairs_under_30_outputs=small,
        )
    lower, upper = repeat.prediction_interval
    luck = scored.unusual_score
    return told(
        score.Repeat,
        repeat.basis,
        lower=lower,
        upper=upper,
        missing_because=UNSET,
        level=LEVEL,
        distribution=[
            score.Probability(tbsa=tbsa, probability=share)
            for tbsa, share in repeat.probabilities
        ],
        resampling_unit=words.unit,
        assumed=words.basis,
        luck=luck and told(score.Luck, luck, text=words.luck),
        pairs_under_30_outputs=small,
    )
