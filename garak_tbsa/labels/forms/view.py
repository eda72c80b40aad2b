# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An audit as every form shows it: each number, sentence and order, once.

Nothing here is escaped: whoever shows a text escapes it as its form requires.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from garak_tbsa.gates.outcome import GateVerdict
from garak_tbsa.labels.audit import (
    Audit,
    AuditedPair,
    answer_text,
    number_of,
    tenths_text,
)
from garak_tbsa.labels.detectors import LEAST_LABELS, TOO_FEW, DetectorOnScan
from garak_tbsa.labels.disagreements import Disagreement
from garak_tbsa.labels.scan import CALIBRATE, GRADES_UNKNOWN
from garak_tbsa.labels.score import Estimate
from garak_tbsa.report.report import Report
from garak_tbsa.tbsa.evidence import labels_text
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

SHARES = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "precision": "precision",
    "negative_predictive_value": "NPV",
    "prevalence": "prevalence",
    "hit_f1": "hit F1",
}
"""What each share of a detector is called."""

MEANING = (
    "By labels: what TBSA would be if every output were judged as the labellers judge,"
    " with the range that contains it with a probability of 95 %, where labels may be"
    " wrong."
)


WHOLE = (
    "where all outputs of a pair that its detector judged alike are labelled, its hits"
    " are what the labels say; the ranges of grades and score still allow for wrong"
    " labels"
)
NONE_CHANGED = "The range of each pair's grade by labels has the detector's grade."


def share_text(share: float) -> str:
    """Return a share with two decimals; a little is not nothing."""
    text = f"{share:.2f}"
    if text == "1.00" and share < 1:
        return ">.99"
    return "<.01" if text == "0.00" and share > 0 else text


def interval_text(found: Estimate[float]) -> str:
    """Return the ends of a share's interval: ``0.61 to 0.92``, or that it has none."""
    if found.lower == found.upper:
        return "exact"
    return f"{share_text(found.lower)} to {share_text(found.upper)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorView:
    """What is said of a detector.

    Attributes
    ----------
    found : DetectorOnScan
    """

    found: DetectorOnScan

    @property
    def labels(self) -> str:
        """Labels of flagged and of unflagged outputs."""
        return f"{self.found.flagged_labels} + {self.found.unflagged_labels}"

    @property
    def has_labels(self) -> bool:
        """Whether any of its outputs is labelled."""
        return self.found.flagged_labels + self.found.unflagged_labels > 0

    @property
    def behind(self) -> str:
        """Which labels are behind its shares."""
        found = self.found
        return (
            f"{found.flagged_labels} of {found.flagged:,} flagged and"
            f" {found.unflagged_labels} of {found.unflagged:,} unflagged outputs"
            " labelled"
        )

    @property
    def known(self) -> dict[str, Estimate[float]]:
        """The shares that are known."""
        return {
            name: share
            for name, share in self.found.shares.items()
            if isinstance(share, Estimate)
        }

    @property
    def texts(self) -> dict[str, str]:
        """Each known share with its interval: ``0.80 (0.61 to 0.92)``."""
        return {
            name: f"{share_text(share.value)} ({interval_text(share)})"
            for name, share in self.known.items()
        }

    @property
    def missing(self) -> list[str]:
        """Which shares lack, and why; those for want of labels together."""
        reasons: dict[str, list[str]] = {}
        for name, share in self.found.shares.items():
            if isinstance(share, Unavailable):
                reasons.setdefault(share.reason, []).append(SHARES[name])
        too_few = [reason for reason in reasons if reason.startswith(TOO_FEW)]
        if too_few:
            # a share of both verdicts needs all that one of either needs
            most = max(too_few, key=len)
            return [most.replace(TOO_FEW, f"{TOO_FEW} for the others", 1)]
        return [f"no {', '.join(names)}: {why}" for why, names in reasons.items()]


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditedReport(Audit):
    """All that labels say of a report, and how it is put.

    Attributes
    ----------
    assessment : Scan
        By the detectors.
    label_files : tuple of str
        Paths.
    unattributed : tuple of str
        How many results of which detectors belong to no known output.
    disagreements : tuple of Disagreement
        Labelled outputs on which labels and detectors disagree, Tier 1 first.
    verdict : GateVerdict or None
        None where no gate is set.
    """

    assessment: Scan
    label_files: tuple[str, ...]
    unattributed: tuple[str, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    verdict: GateVerdict | None = None

    @property
    def report(self) -> Report:
        """What was audited."""
        return self.assessment.report

    @property
    def answer(self) -> str:
        """The answer in one line."""
        return answer_text(self.scan, self.score)

    @property
    def other_scores(self) -> tuple[str, str]:
        """The score if no label is wrong, and by pass-rate grades alone."""
        return (
            f"if every label is right: {tenths_text(self.if_right)}",
            f"pass-rate grades alone: {self.pass_rate_only} by labels; the"
            " calibration was measured with detectors that nobody audited",
        )

    @property
    def label_facts(self) -> list[str]:
        """How many outputs are labelled, what did not count, how far raters agree."""
        matched = self.matched
        scan = self.scan
        raters = matched.raters_of({stratum.detector for stratum in scan.strata})
        facts = [
            f"{self.scan.labels:,} of {self.scan.outputs_of_all_pairs:,} outputs are"
            " labelled"
        ]
        left_out = matched.left_out(self.unused)
        if left_out:
            facts[0] += f"; {left_out}"
        facts.insert(0, labels_text(scan.labels, raters, self.label_files))
        if any(stratum.is_whole for stratum in scan.strata):
            facts.append(WHOLE)
        agreement = matched.agreement
        if agreement is not None:
            alpha = (
                "all gave one and the same label"
                if agreement.alpha is None
                else f"Krippendorff's alpha {agreement.alpha:.2f}"
            )
            facts.append(
                f"{agreement.raters} raters on"
                f" {number_of(agreement.rows, 'common output')}: {alpha}"
            )
        if matched.disputed:
            facts.append(
                f"answers about {number_of(len(matched.disputed), 'output')} differ"
                " (listed in the JSON; `garak-tbsa label --disputed` asks a further"
                " rater about them)"
            )
        return facts

    @property
    def all_warnings(self) -> list[str]:
        """What speaks against the labels, what they do not reach, and the score's."""
        found = list(self.warnings)
        picked = self.matched.picked
        # where everything is labelled, nobody chose
        if picked and self.scan.labels < self.scan.outputs:
            what = "is of an output" if picked == 1 else "are of outputs"
            found.append(
                f"{number_of(picked, 'label')} {what} that a person picked rather than"
                " drew at random; the ranges assume a choice without sight of the"
                " verdicts"
            )
        if self.not_audited:
            found.append(self.grades_kept)
        if self.report.partial_reason is not None:
            found.append(f"Partial: {self.report.partial_reason}")
        return [*found, *self.scan_warnings]

    @property
    def scan_warnings(self) -> list[str]:
        """What is odd about the scan itself."""
        return [*self.unattributed, *self.assessment.warnings]

    @property
    def grades_kept(self) -> str:
        """How many pairs keep the detector's grade."""
        keeps = "their grades stay the detectors'"
        if len(self.not_audited) == 1:
            keeps = "its grade stays the detector's"
        if GRADES_UNKNOWN in self.not_audited.values():
            keeps += f" ({CALIBRATE})"
        return f"{self.scan.not_audited_text}, {keeps}"

    @property
    def measured_detectors(self) -> list[DetectorView]:
        """Those with labels enough for a share at least."""
        views = (DetectorView(found=each) for each in self.detectors)
        return [each for each in views if each.known]

    @property
    def unmeasured_detectors(self) -> list[str]:
        """Detectors with too few labels for any share, and those without a label."""
        few, none = [], []
        for each in self.detectors:
            view = DetectorView(found=each)
            if not view.has_labels:
                none.append(each.detector)
            elif not view.known:
                few.append(each.detector)
        enough = f"Too few labels ({LEAST_LABELS} of each verdict are enough)"
        both = {enough: few, "No label yet": none}
        return [f"{what}: {', '.join(names)}" for what, names in both.items() if names]

    @property
    def disagreements_text(self) -> str:
        """On how many labelled outputs labels and detectors disagree."""
        labels = number_of(self.scan.labels, "labelled output")
        if not self.disagreements:
            return f"Labels and detectors agree on all of {labels}"
        return f"Labels and detectors disagree on {len(self.disagreements)} of {labels}"

    @property
    def lowest_first(self) -> list[AuditedPair]:
        """All audited pairs, the lowest grade by labels first."""
        return sorted(
            self.pairs,
            key=lambda each: (each.grade.value, each.pair.tier, each.pair.name),
        )

    @property
    def next_text(self) -> str:
        """What more labels would bring."""
        found = self.score.by_labels
        count = sum(each.labels for each in self.next)
        if not count:
            return "Every output of the audited pairs is labelled."
        these = "this label" if count == 1 else f"these {count} labels"
        now, then = found.upper - found.lower, self.width_after_next
        change = f"with {these} about {then / 10:.1f}"
        if then >= now:
            change = f"{these} would hardly narrow it"
        return f"The range is {now / 10:.1f} wide; {change}."

    @property
    def next_pairs(self) -> list[tuple[Pair, int, int]]:
        """Pairs with labels to give and outputs left, without verdicts.

        Who labels must not learn from the list which outputs were flagged.
        """
        pairs = {each.pair.name: each.pair for each in self.next}
        labels, left = Counter[str](), Counter[str]()
        for each in self.next:
            labels[each.pair.name] += each.labels
            left[each.pair.name] += each.unlabelled
        return [
            (pairs[name], labels[name], left[name])
            for name in sorted(pairs, key=lambda name: (-labels[name], name))
        ]
