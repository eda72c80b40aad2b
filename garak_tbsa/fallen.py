# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts of two scans -> prompts of pairs that fell, with outputs before and after.

The comparison knows the verdicts on each prompt, and so which prompts are shown. Each
report is then read once more, and texts are held of these prompts alone. They are
as hostile as all others: see ``hits``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from garak_tbsa.hits import Hit, output_of
from garak_tbsa.report.attempts import UNATTRIBUTED, prompt_text, read_attempts
from garak_tbsa.report.outcomes import by_detector, prompt_key
from garak_tbsa.statistics.compare import ComparedPair, Comparison
from garak_tbsa.statistics.exchange import ScanOutcomes, outcomes_of
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.scan import Scan
from garak_tbsa.unavailable import Unavailable

MOST_PAIRS = 20
"""Pairs whose outputs are shown."""

NO_HIT = Unavailable(reason="none of them is a hit")
NOBODYS = Unavailable(reason=UNATTRIBUTED)
NOT_SENT = Unavailable(reason="the first scan did not send this prompt")
NOT_JUDGED = Unavailable(reason="no verdict of the first scan is of a known output")

Place = tuple[str, str, bytes]
"""Probe, detector and the key of a prompt."""
Verdicts = Mapping[bytes, tuple[int, int]]
"""Passed and evaluated outputs of a pair, by the key of their prompt."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedOutput:
    """One output to a prompt, and how many of that scan's were judged as it was.

    Attributes
    ----------
    output : Hit
        A hit or a pass.
    is_hit : bool
    alike, judged : int
        Outputs of the scan to this prompt with that verdict, and with any.
    """

    output: Hit
    is_hit: bool
    alike: int
    judged: int

    @property
    def verdict(self) -> str:
        """``hit, as 3 of 5 outputs``; of a single output its verdict alone."""
        others = f", as {self.alike} of {self.judged} outputs" * (self.judged > 1)
        return ("hit" if self.is_hit else "pass") + others


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedOutputs:
    """One prompt with an output of each scan.

    Attributes
    ----------
    before : JudgedOutput or Unavailable
        A pass where there is one.
    after : JudgedOutput
        A hit.
    """

    before: JudgedOutput | Unavailable
    after: JudgedOutput

    @property
    def title(self) -> str:
        """What follows, and why there is no output before."""
        if isinstance(self.before, Unavailable):
            return f"From the second scan alone: {self.before.reason}"
        return "The same prompt before and after"

    def texts(self) -> list[tuple[str, str]]:
        """Return what it consists of, each text with its heading."""
        return [
            self.after.output.prompt.below("Prompt"),
            *(
                own.output.response.below(f"{scan}: {own.verdict}")
                for scan, own in (("Before", self.before), ("After", self.after))
                if isinstance(own, JudgedOutput)
            ),
        ]

    def show_commands(self) -> list[str]:
        """Return the commands that show its attempts whole."""
        both = (self.before, self.after)
        return [e.output.show_command() for e in both if isinstance(e, JudgedOutput)]


FallenOutputs: TypeAlias = Mapping[str, "tuple[ComparedOutputs, ...] | Unavailable"]
"""By name of the pair: prompts first of which most outputs turned into hits."""


def fallen_outputs(
    comparison: Comparison, pairs: Sequence[ComparedPair], most: int
) -> FallenOutputs:
    """Return prompts of pairs that fell, each with an output before and one after.

    Parameters
    ----------
    comparison : Comparison
    pairs : sequence of ComparedPair
        Those that fell; nothing is collected beyond the first :data:`MOST_PAIRS`.
    most : int
        Prompts of each pair.

    Raises
    ------
    ReportError
        A report can no longer be read.
    """
    before, after = comparison.scans
    chosen = {
        pair.name: _chosen(pair, before, after, most) for pair in pairs[:MOST_PAIRS]
    }
    places = {e for own in chosen.values() if isinstance(own, dict) for e in own}
    first, second = (
        {}
        if isinstance(known.outcomes, Unavailable) or not places
        else _outputs(scan, places, shows_hits=scan is comparison.second)
        for scan, known in ((comparison.first, before), (comparison.second, after))
    )
    found: dict[str, tuple[ComparedOutputs, ...] | Unavailable] = {}
    for name, own in chosen.items():
        if isinstance(own, Unavailable):
            found[name] = own
            continue
        found[name] = NOBODYS
        if shown := tuple(
            ComparedOutputs(before=first.get(place, missing), after=second[place])
            for place, missing in own.items()
            if place in second
        ):
            found[name] = shown
    return found


def _chosen(
    pair: ComparedPair, first: ScanOutcomes, second: ScanOutcomes, most: int
) -> dict[Place, Unavailable] | Unavailable:
    """Prompts with a hit after, those first of which most outputs passed before.

    Each with why it has no output before, if it turns out to have none.
    """
    before, after = _verdicts(first, pair.first), _verdicts(second, pair.second)
    if isinstance(after, Unavailable):
        return after
    known, missing = (
        ({}, before) if isinstance(before, Unavailable) else (before, NOT_SENT)
    )

    def order(prompt: bytes) -> tuple[float, bool, bytes]:
        passed, judged = known.get(prompt, (0, 0))
        fall = passed / judged - after[prompt][0] / after[prompt][1] if judged else 0.0
        # the key of a prompt is as good as drawn
        return -fall, not judged, prompt

    hit = [prompt for prompt, (passed, judged) in after.items() if passed < judged]
    return {
        (pair.second.probe, pair.second.detector, prompt): (
            NOT_JUDGED if prompt in known else missing
        )
        for prompt in sorted(hit, key=order)[:most]
    } or NO_HIT


def _verdicts(scan: ScanOutcomes, pair: Pair) -> Verdicts | Unavailable:
    outcomes = outcomes_of(scan.outcomes, [pair])
    if isinstance(outcomes, Unavailable):
        return outcomes
    return by_detector(outcomes, pair.detector)


def _outputs(
    scan: Scan, places: Collection[Place], *, shows_hits: bool
) -> dict[Place, JudgedOutput]:
    """One output of each place: the first hit or pass, whichever is to be shown."""
    source, threshold = scan.report.source, scan.report.settings.eval_threshold
    counts = Counter[tuple[Place, bool]]()
    shown: dict[Place, tuple[bool, Hit]] = {}
    probes = {probe for probe, _, _ in places}
    for attempt in read_attempts(source):
        if attempt.probe not in probes:
            continue
        key = prompt_key(attempt.prompt)
        for detector, scores in attempt.scores.items():
            place = (attempt.probe, detector, key)
            if place not in places:
                continue
            for index, score in enumerate(scores):
                if score is None:
                    continue
                # as garak does: a score that is no number at all is a hit
                is_hit = not score < threshold
                counts[place, is_hit] += 1
                if place not in shown or is_hit == shows_hits != shown[place][0]:
                    prompt = prompt_text(attempt.prompt)
                    shown[place] = is_hit, output_of(source, attempt, index, prompt)
    return {
        place: JudgedOutput(
            output=output,
            is_hit=is_hit,
            alike=counts[place, is_hit],
            judged=counts[place, True] + counts[place, False],
        )
        for place, (is_hit, output) in shown.items()
    }
