# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a report's attempts say of each prompt: verdicts of all detectors together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest

import msgspec

from garak_tbsa.report.attempts import Attempt, Scores
from garak_tbsa.report.settings import canonical
from garak_tbsa.unavailable import Unavailable

Pattern = tuple["bool | None", ...]
PromptPatterns = Mapping[Pattern, int]
Outcomes = Mapping[str, "ProbeOutcomes | Unavailable"]
Counted = tuple[tuple[bytes, int], ...]

MOST_PROMPTS = 250_000
"""Prompts that are held in memory at once for one report."""

MOST_DETECTORS = 100
"""Detectors of a probe whose verdicts are held together."""

VERDICTS = (False, True, None)
HIT, PASS, NONE = range(3)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProbeOutcomes:
    """Outputs of one probe by prompt, each with the verdicts of all its detectors.

    Attributes
    ----------
    detectors : tuple of str
        Without their category, in alphabetical order.
    prompts : mapping of bytes to (mapping of Pattern to int)
        A key of each prompt, the same in every report, and how many of its outputs have
        which pattern (at least 1 each). A pattern is a tuple as long as
        ``detectors``, one verdict for each in that order: True for a pass, False
        for a hit, None where that detector did not judge the output. A prompt that
        comes several times has its outputs added up; one without any output has an
        empty mapping. Prompts are in the report's order. Equal mappings are the
        same object: do not change them.
    """

    detectors: tuple[str, ...]
    prompts: Mapping[bytes, PromptPatterns]

    def counts(self) -> dict[str, tuple[int, int]]:
        """Passed and evaluated outputs of each detector, over all prompts."""
        totals: Counter[Pattern] = Counter()
        for patterns in self.prompts.values():
            totals.update(patterns)
        whole = ProbeOutcomes(detectors=self.detectors, prompts={b"": totals})
        return {each: by_detector(whole, each)[b""] for each in self.detectors}


def by_detector(outcomes: ProbeOutcomes, detector: str) -> dict[bytes, tuple[int, int]]:
    """Return passed and evaluated outputs of one detector, by prompt.

    Raises
    ------
    ValueError
        It is none of the probe's detectors.
    """
    column = outcomes.detectors.index(detector)
    return {
        prompt: (
            sum(times for pattern, times in patterns.items() if pattern[column]),
            sum(
                times
                for pattern, times in patterns.items()
                if pattern[column] is not None
            ),
        )
        for prompt, patterns in outcomes.prompts.items()
    }


@dataclass(kw_only=True, slots=True)
class _Gathered:
    """What was read of one probe so far; patterns are bytes of indices of VERDICTS."""

    detectors: dict[str, int] = field(default_factory=dict)
    prompts: dict[bytes, Counted] = field(default_factory=dict)
    problem: str | None = None

    def outcomes(self) -> ProbeOutcomes | Unavailable:
        if self.problem is not None:
            return Unavailable(reason=self.problem)
        detectors = tuple(sorted(self.detectors))
        columns = [self.detectors[detector] for detector in detectors]

        def verdicts(pattern: bytes) -> Pattern:
            whole = pattern.ljust(len(columns), bytes((NONE,)))
            return tuple([VERDICTS[whole[column]] for column in columns])

        patterns = {
            counted: {verdicts(pattern): times for pattern, times in counted}
            for counted in {*self.prompts.values()}
        }
        return ProbeOutcomes(
            detectors=detectors,
            prompts={key: patterns[each] for key, each in self.prompts.items()},
        )


class OutcomeCount:
    """Counts outputs by probe, prompt and verdicts, as attempts come by."""

    def __init__(self) -> None:
        self._probes: dict[str, _Gathered] = {}
        # most prompts have one of a few outcomes, which are not held a million times
        self._known: dict[Counted, Counted] = {}
        self._held = 0

    def add(self, attempt: Attempt, threshold: float) -> None:
        """Take an attempt; scores of at least the threshold are hits.

        Beyond :data:`MOST_PROMPTS` prompts nothing is held.
        """
        if attempt.probe is None or not attempt.results or self._held > MOST_PROMPTS:
            return
        probe = self._probes.setdefault(attempt.probe, _Gathered())
        for detector in attempt.results:
            probe.detectors.setdefault(detector, len(probe.detectors))
        columns = tuple([attempt.results.get(each, ()) for each in probe.detectors])
        if len({*map(len, columns)} - {0}) > 1:
            probe.problem = "its detectors judged different numbers of outputs"
        elif len(columns) > MOST_DETECTORS:
            probe.problem = f"it has more than {MOST_DETECTORS} detectors"
        if probe.problem is not None:
            probe.prompts.clear()
            return
        key = prompt_key(attempt.prompt)
        counted = _counted(columns, threshold)
        before = probe.prompts.get(key)
        if before is not None:
            both = Counter(dict(before))
            both.update(dict(counted))
            counted = tuple(sorted(both.items()))
        probe.prompts[key] = self._known.setdefault(counted, counted)
        self._held += before is None
        if self._held > MOST_PROMPTS:
            self._probes.clear()

    def outcomes(self, name: str) -> Outcomes | Unavailable:
        """Return what was counted of a report, or that there was too much of it.

        Returns
        -------
        mapping of probe name to (ProbeOutcomes or Unavailable)
            Unavailable where it cannot be known which verdicts are of the same
            output. The caller compares counts with those that the report itself
            states.
        """
        if self._held > MOST_PROMPTS:
            problem = f"holds more than {MOST_PROMPTS:,} prompts"
            return Unavailable(
                reason=f"{name}: {problem}; compare the scans by their pairs"
            )
        return {probe: each.outcomes() for probe, each in self._probes.items()}


def prompt_key(prompt: object) -> bytes:
    """Return 16 bytes for a prompt, whatever the order of its members."""
    try:
        text = msgspec.json.encode(prompt, order="sorted")
    except (ValueError, TypeError, OverflowError):
        # lone surrogates and numbers of more than 64 bits; a third of json's time else
        text = canonical(prompt)
    return hashlib.sha256(text).digest()[:16]


@lru_cache(maxsize=512)
def _counted(columns: tuple[Scores, ...], threshold: float) -> Counted:
    """How many outputs have which pattern, from each detector's scores.

    Trailing detectors without a verdict are left out, so an output has the same
    pattern whether a detector came up before or after.
    """
    verdicts = [
        [NONE if each is None else PASS if each < threshold else HIT for each in scores]
        for scores in columns
    ]
    rows = zip_longest(*verdicts, fillvalue=NONE)
    found = Counter(bytes(row).rstrip(bytes((NONE,))) for row in rows)
    return tuple(sorted(found.items()))
