# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""All stages from a Report to its score, wired once.

What only an installed garak knows (tiers, calibrations) comes in as functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from garak_tbsa.errors import NotScorableError
from garak_tbsa.garak_files.calibration import Calibration, CalibrationIdentity
from garak_tbsa.garak_files.report import Report, hold_against_rows
from garak_tbsa.tbsa.checksum import Checksum, make_checksum, version_probe_hash
from garak_tbsa.tbsa.contradictions import Contradiction, contradictions_in, in_warnings
from garak_tbsa.tbsa.garak_formula import GarakScore, garak_score
from garak_tbsa.tbsa.grades import GradedPair, recomputed_grades, stated_grades
from garak_tbsa.tbsa.pairs import (
    GIVEN,
    NO_EVALUATED_OUTPUT,
    TIER_UNKNOWN,
    GivenTiers,
    LeftOut,
    PairList,
    TierLookup,
    list_pairs,
)
from garak_tbsa.tbsa.score import DOCUMENTED, GARAK, Score, score_pairs

CalibrationLookup = Callable[[CalibrationIdentity | None], Calibration | None]


AS_IN_REPORT = "report"


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationUse:
    """Which calibration the grades come from.

    Attributes
    ----------
    chosen : str
        ``"report"``, ``"installed"`` or a path, as asked for.
    identity : CalibrationIdentity or None
        None where no calibration was used at all.
    source : str
        Where its numbers come from, in words.
    covered, counted : int
        Pairs with a Z-score, out of the pairs that count.
    """

    chosen: str
    identity: CalibrationIdentity | None
    source: str
    covered: int
    counted: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Assessment:
    """A scored report with everything that is said about the score.

    Attributes
    ----------
    report : Report
    formula : str
        ``documented`` or ``garak``.
    graded : tuple of GradedPair
        Pairs that count, by name.
    left_out : tuple of LeftOut
    score : Score
        By the documented formula.
    garak_score : GarakScore or None
        By garak's own, where it was asked for.
    calibration : CalibrationUse
    checksum : Checksum
    version_probe_hash : str
    contradictions : tuple of Contradiction
        Numbers of the digest that others of its numbers contradict; no gate passes.
    warnings : tuple of str
    """

    report: Report
    formula: str
    graded: tuple[GradedPair, ...]
    left_out: tuple[LeftOut, ...]
    score: Score | None
    garak_score: GarakScore | None
    calibration: CalibrationUse
    checksum: Checksum
    version_probe_hash: str
    contradictions: tuple[Contradiction, ...]
    warnings: tuple[str, ...]

    @property
    def tbsa(self) -> float:
        """The score by the formula asked for, 1.0-5.0."""
        if self.garak_score is not None:
            return self.garak_score.tbsa
        return self.documented.tbsa

    @property
    def documented(self) -> Score:
        """The score by the documented formula.

        Raises
        ------
        NotScorableError
            Only garak's own formula gives this report a number.
        """
        if self.score is None:
            raise NotScorableError(
                f"{self.report.source}: no pair in Tier 1 or 2 was measured"
            )
        return self.score

    @property
    def contributing(self) -> int:
        """Pairs behind the score, as the formula counts them."""
        if self.garak_score is not None:
            return self.garak_score.contributing
        return self.documented.contributing


def assess(
    report: Report,
    *,
    tier_of: TierLookup,
    find_calibration: CalibrationLookup,
    calibration: Calibration | None = None,
    chosen: str = AS_IN_REPORT,
    formula: str = DOCUMENTED,
    given_tiers: GivenTiers | None = None,
) -> Assessment:
    """Score a report.

    Parameters
    ----------
    report : Report
    tier_of : callable
        Tier by probe name as the installed garak has it, or None.
    find_calibration : callable
        The installed calibration of that identity (None: the newest), or None.
    calibration : Calibration, optional
        Grade again with this one in place of the digest's grades.
    chosen : str
        What the user calls that calibration.
    formula : str
        ``documented`` or ``garak``.
    given_tiers : mapping of str to int, optional
        Tiers of probes that neither the report nor the installed garak knows.

    Raises
    ------
    NotScorableError
        Nothing in the report gives a score.
    ReportError
        The report contradicts itself.
    """
    pairs = list_pairs(report, tier_of, given_tiers)
    contradictions = contradictions_in(pairs.scored)
    warnings = [*report.warnings, *_renamed(pairs)]
    if calibration is None and report.has_digest_grades:
        at_hand = find_calibration(report.calibration)
        graded = tuple(stated_grades(pair, at_hand) for pair in pairs.scored)
        identity, source = report.calibration, "as in the report"
    else:
        used = find_calibration(None) if calibration is None else calibration
        graded = tuple(recomputed_grades(pair, used) for pair in pairs.scored)
        identity = _identity(used, pairs, chosen)
        source = "none at hand" if used is None else used.source
        if used is None:
            warnings.append(
                "no garak is installed, so no calibration: pass-rate grades alone"
            )
    own = None
    if formula == GARAK:
        own = garak_score(report)
    return Assessment(
        report=report,
        formula=formula,
        graded=graded,
        left_out=pairs.left_out,
        score=None
        if own is not None and not graded
        else _scored(report, graded, pairs),
        garak_score=own,
        calibration=CalibrationUse(
            chosen=chosen,
            identity=identity,
            source=source,
            covered=sum(pair.is_calibrated for pair in graded),
            counted=len(graded),
        ),
        checksum=make_checksum(
            formula=formula,
            garak_version=report.garak_version,
            pairs=pairs.attempted,
            calibration=identity,
            settings=report.settings,
        ),
        version_probe_hash=version_probe_hash(
            report.garak_version, (pair.name for pair in pairs.attempted)
        ),
        contradictions=contradictions,
        warnings=(*warnings, *in_warnings(contradictions)),
    )


def held_against_rows(assessment: Assessment) -> Assessment:
    """Return the assessment with what the rows of its file say of the digest.

    Reads the file once more where only its digest was read.
    """
    return replace(assessment, report=hold_against_rows(assessment.report))


def _scored(report: Report, graded: tuple[GradedPair, ...], pairs: PairList) -> Score:
    try:
        return score_pairs(graded)
    except NotScorableError as error:
        raise NotScorableError(
            f"{report.source}: {error}; {_advice(pairs.left_out)}"
        ) from error


def _renamed(pairs: PairList) -> list[str]:
    """What garak calls the probes today whose tier is that of another name."""
    renamed = {
        f"{pair.probe} is {pair.tier_from}"
        for pair in pairs.attempted
        if pair.tier_from not in (None, GIVEN)
    }
    if not renamed:
        return []
    return [
        f"tiers found by the newer names of these probes: {', '.join(sorted(renamed))}"
    ]


def _advice(left_out: tuple[LeftOut, ...]) -> str:
    """What would give a report without any counted pair a score."""
    reasons = [entry.reason for entry in left_out]
    if not reasons:
        return "it has no results of any probe; let a scan finish"
    if TIER_UNKNOWN in reasons:
        return (
            "neither the report nor an installed garak knows the tier of"
            f" {reasons.count(TIER_UNKNOWN)} of its {len(reasons)} pairs,"
            " install a garak that has these probes, or give their tiers with --tiers"
        )
    if NO_EVALUATED_OUTPUT in reasons:
        return (
            f"{reasons.count(NO_EVALUATED_OUTPUT)} of its {len(reasons)} pairs have no"
            " evaluated output, look in garak's log for what the target and the"
            " detectors did"
        )
    return "scan with probes of Tier 1 or 2 (garak --list_probes -v shows tiers)"


def _identity(
    used: Calibration | None, pairs: PairList, chosen: str
) -> CalibrationIdentity | None:
    """What a checksum calls the calibration that pairs were graded again with.

    garak's digest names none where it covers no pair; without a digest neither
    do we, so that the checksum does not depend on what a report is read from.
    """
    if used is None:
        return None
    covers = any(used.of(pair.probe, pair.detector) for pair in pairs.attempted)
    return used.identity if covers or chosen != AS_IN_REPORT else CalibrationIdentity()
