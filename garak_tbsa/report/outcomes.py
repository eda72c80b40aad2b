# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a report's attempts say of each prompt: verdicts of all detectors together."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest

import msgspec

from garak_tbsa.report.attempts import Attempt, Scores
from garak_tbsa.report.fields import canonical
from garak_tbsa.report.opening import ADDRESS, size_text, stored_size, why_read_once
from garak_tbsa.report.settings import DEFAULT_THRESHOLD
from garak_tbsa.unavailable import Unavailable

Pattern = tuple["bool | None", ...]
PromptPatterns = Mapping[Pattern, int]
Outcomes = Mapping[str, "ProbeOutcomes | Unavailable"]
Results = Mapping[str, Scores]
Counted = tuple[tuple[bytes, int], ...]

MOST_PROMPTS = 250_000
"""Prompts that are held in memory at once for one report."""

MOST_AT_ADDRESS = 1 << 30
"""Bytes of a report at an address, as they are stored there, that are read for it."""

MOST_DETECTORS = 100
"""Detectors of a probe whose verdicts are held together."""

MOST_CACHED = 100
"""Scores of an attempt that are remembered with their patterns."""

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
        return {
            detector: _passed_and_evaluated(totals, column)
            for column, detector in enumerate(self.detectors)
        }


def by_detector(outcomes: ProbeOutcomes, detector: str) -> dict[bytes, tuple[int, int]]:
    """Return passed and evaluated outputs of one detector, by prompt.

    Raises
    ------
    ValueError
        It is none of the probe's detectors.
    """
    column = outcomes.detectors.index(detector)
    return {
        prompt: _passed_and_evaluated(patterns, column)
        for prompt, patterns in outcomes.prompts.items()
    }


def _passed_and_evaluated(patterns: PromptPatterns, column: int) -> tuple[int, int]:
    verdicts = [(pattern[column], times) for pattern, times in patterns.items()]
    return (
        sum(times for verdict, times in verdicts if verdict),
        sum(times for verdict, times in verdicts if verdict is not None),
    )


class OutcomeCount:
    """Counts outputs by probe, prompt and verdicts, as attempts come by.

    Parameters
    ----------
    threshold : float
        Scores of at least this are hits (garak's ``eval_threshold``).
    """

    def __init__(self, threshold: float = DEFAULT_THRESHOLD) -> None:
        self._threshold = threshold
        self._probes: dict[str, _Gathered] = {}
        # most prompts have one of a few outcomes, which need not be held a million
        # times
        self._known: dict[Counted, Counted] = {}
        self._held = 0

    def add(self, attempt: Attempt) -> None:
        """Take an attempt; beyond :data:`MOST_PROMPTS` prompts nothing is held."""
        if attempt.probe is None or not attempt.results or self._held > MOST_PROMPTS:
            return
        gathered = self._probes.setdefault(attempt.probe, _Gathered(self._threshold))
        self._held += gathered.add(
            prompt_key(attempt.prompt), attempt.results, self._known
        )
        if self._held > MOST_PROMPTS:
            self._probes.clear()
            self._known.clear()

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
        return {probe: gathered.outcomes() for probe, gathered in self._probes.items()}


def prompt_key(prompt: object) -> bytes:
    """Return 16 bytes for a prompt, whatever the order of its members."""
    try:
        text = msgspec.json.encode(prompt, order="sorted")
    except (ValueError, TypeError, OverflowError):
        # lone surrogates and numbers of more than 64 bits; a third of json's time else
        text = canonical(prompt)
    return hashlib.sha256(text).digest()[:16]


def why_not_read(name: str) -> str | None:
    """Return why a report's attempts are not read, None where they are.

    Raises
    ------
    ReportError
        It is at an address that cannot be asked for its size.
    """
    if ADDRESS in name and (stored_size(name) or 0) > MOST_AT_ADDRESS:
        return (
            f"{name} is larger than {size_text(MOST_AT_ADDRESS)}, and"
            " attempts at an address are read up to that; copy the file here"
        )
    return why_read_once(name)


class _Gathered:
    """What was read of one probe so far; patterns are bytes of indices of VERDICTS."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._detectors: dict[str, int] = {}
        self._prompts: dict[bytes, Counted] = {}
        self._problem: str | None = None

    def add(
        self, prompt: bytes, results: Results, known: dict[Counted, Counted]
    ) -> bool:
        """Add an attempt; whether its prompt is one more to hold."""
        if self._problem is not None:
            return False
        for detector in results:
            self._detectors.setdefault(detector, len(self._detectors))
        columns = tuple([results.get(detector, ()) for detector in self._detectors])
        sizes = list(map(len, columns))
        if len({*sizes} - {0}) > 1:
            self._problem = "its detectors judged different numbers of outputs"
        elif len(columns) > MOST_DETECTORS:
            self._problem = f"it has more than {MOST_DETECTORS} detectors"
        if self._problem is not None:
            self._prompts.clear()
            return False
        count = _counted if sum(sizes) <= MOST_CACHED else _counted.__wrapped__
        counted = count(columns, self._threshold)
        before = self._prompts.get(prompt)
        if before is not None:
            both = Counter(dict(before))
            both.update(dict(counted))
            counted = tuple(sorted(both.items()))
        self._prompts[prompt] = known.setdefault(counted, counted)
        return before is None

    def outcomes(self) -> ProbeOutcomes | Unavailable:
        if self._problem is not None:
            return Unavailable(reason=self._problem)
        detectors = tuple(sorted(self._detectors))
        columns = [self._detectors[detector] for detector in detectors]

        def verdicts(pattern: bytes) -> Pattern:
            whole = pattern.ljust(len(columns), bytes((NONE,)))
            return tuple([VERDICTS[whole[column]] for column in columns])

        patterns = {
            counted: {verdicts(pattern): times for pattern, times in counted}
            for counted in {*self._prompts.values()}
        }
        return ProbeOutcomes(
            detectors=detectors,
            prompts={key: patterns[each] for key, each in self._prompts.items()},
        )


@lru_cache(maxsize=1024)
def _counted(columns: tuple[Scores, ...], threshold: float) -> Counted:
    """How many outputs have which pattern, from each detector's scores.

    Trailing detectors without a verdict are left out, so an output has the same
    pattern whether a detector came up before or after.
    """

    def verdict(score: float | None) -> int:
        if score is None:
            return NONE
        return PASS if score < threshold else HIT

    verdicts = [map(verdict, each) for each in columns]
    rows = zip_longest(*verdicts, fillvalue=NONE)
    found = Counter(bytes(row).rstrip(bytes((NONE,))) for row in rows)
    return tuple(sorted(found.items()))
