# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scan is taken to be, and how its outputs go together."""

from __future__ import annotations

from garak_tbsa.lean.record import record
from garak_tbsa.tbsa.grade_counts import counts_of
from garak_tbsa.tbsa.pairs import pairs_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from garak_tbsa.garak_files.settings import ScanSettings
    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.prompt_counts import PromptCounts

SAME_PROMPTS, FRESH_PROMPTS = "same-prompts", "fresh-prompts"
REPEATS = (SAME_PROMPTS, FRESH_PROMPTS)
ON_PROMPTS = {SAME_PROMPTS: " on the same prompts", FRESH_PROMPTS: " on fresh prompts"}

UNKNOWN_CORRELATION = 0.2
"""Of two outputs of a prompt, where the attempts do not tell.

Scans of a real model had 0.12 to 0.19 on average, and 0.26 at most.
"""

AS_ALIKE = f"treated as alike (correlation {UNKNOWN_CORRELATION:g})"
"""How outputs of a prompt are treated then."""

MOST_DETECTORS = 12
"""Of a probe; more are taken to go together wholly, whatever their outputs say."""


@record
class RepeatAssumptions:
    """How outputs and detectors go together, as far as attempts tell.

    Attributes
    ----------
    repeat : str or None
        :data:`SAME_PROMPTS` or :data:`FRESH_PROMPTS`; None where the scan does not
        say which, and nothing depends on it.
    variance_factors : mapping of str to float
        By pair name, above 0: the variance of a repeat's pass count, given the
        target's pass rate, as a multiple of what independent outputs have.
    other_factor : float
        The same for a pair that is not named, at least 1.
    prompt_counts : mapping of str to PromptCounts
        By pair name, of those whose outputs of a prompt are alike and few enough for
        the distribution of their pass count to be worked out.
    loadings : mapping of str to float
        By pair name, 0-1: how far the detectors of a probe go together. A pair that
        is not named has 1, the safe side.
    missing_because : str or None
        Why there is nothing from attempts.
    """

    repeat: str | None
    variance_factors: Mapping[str, float]
    other_factor: float
    prompt_counts: Mapping[str, PromptCounts]
    loadings: Mapping[str, float]
    missing_because: str | None

    @property
    def pairs_with_attempts(self) -> int:
        """Pairs of which attempts tell how their outputs go together."""
        return len(self.variance_factors)

    @property
    def on_prompts(self) -> str:
        """On which prompts, in words after a blank; empty where it is not said."""
        return "" if self.repeat is None else ON_PROMPTS[self.repeat]

    @property
    def text(self) -> str:
        """What was assumed, in words."""
        parts = []
        if self.variance_factors:
            parts.append(
                f"for {pairs_text(self.pairs_with_attempts)} the attempts show how"
                " much outputs of a prompt, and detectors of a probe, vary together"
            )
        if self.missing_because is not None:
            parts.append(
                f"{self.missing_because}: {self._outputs_text}, detectors of one probe"
                " as rising and falling together"
            )
        return "; ".join(parts)

    @property
    def _outputs_text(self) -> str:
        """How outputs are treated that attempts tell nothing of."""
        if self.other_factor == 1:
            return "outputs there are treated as independent"
        return f"outputs of a prompt there are {AS_ALIKE}"

    def outputs_of(self, pair: GradedPair) -> float:
        """How many independent outputs say as much as those of the pair."""
        total = counts_of(pair).total_evaluated
        if pair.name in self.variance_factors:
            return total / self.variance_factors[pair.name]
        # a report may state more generations than a pair has outputs
        return max(1.0, total / self.other_factor)

    def seen_of(self, pair: GradedPair) -> tuple[float, float]:
        """Passed and all outputs, as many as independent ones would be."""
        counts = counts_of(pair)
        outputs = self.outputs_of(pair)
        return counts.passed * outputs / counts.total_evaluated, outputs

    def prompt_counts_of(self, pair: GradedPair) -> PromptCounts | None:
        """Return what was seen of a pair by prompt, None where outputs are independent.

        None as well where they are too many, and their variance is all that counts.
        """
        return self.prompt_counts.get(pair.name) if self.prompt_counts else None

    def independent_of(self, pair: GradedPair) -> tuple[float, float]:
        """Passed and all outputs, as many as would say as much about the pair's rate.

        Fewer than there are where outputs of a prompt are alike, whatever a repeat is.
        """
        by_prompt = self.prompt_counts_of(pair)
        if by_prompt is not None:
            return by_prompt.independent
        if pair.name not in self.variance_factors:
            return self.seen_of(pair)
        counts = counts_of(pair)
        return counts.passed, counts.total_evaluated

    def loading_of(self, pair: GradedPair) -> float:
        """How far the pair's detector goes together with others of its probe."""
        return self.loadings.get(pair.name, 1.0) if self.loadings else 1.0


NOT_READ = "attempts were not read"


def unknown_factor(repeat: str | None, generations: int | None) -> float:
    """Return the factor on a pass count's variance where attempts do not give it.

    Parameters
    ----------
    repeat : str or None
        Of :data:`REPEATS`. On fresh prompts the outputs of a prompt, of which the scan
        had as many, are taken to be alike. On the same prompts the count varies less
        than that of independent outputs, and 1 is the safe side.
    generations : int or None
    """
    if repeat != FRESH_PROMPTS or generations is None:
        return 1.0
    return 1 + UNKNOWN_CORRELATION * (generations - 1)


def without_attempts(
    repeat: str | None, generations: int | None, because: str = NOT_READ
) -> RepeatAssumptions:
    """Return what is assumed where the attempts tell nothing.

    Parameters
    ----------
    repeat, generations
        As :func:`unknown_factor` takes them.
    because : str
        Why they tell nothing.
    """
    return RepeatAssumptions(
        repeat=repeat,
        variance_factors={},
        other_factor=unknown_factor(repeat, generations),
        prompt_counts={},
        loadings={},
        missing_because=because,
    )


NOTHING_KNOWN = without_attempts(None, None)


def assumptions_by_counts(settings: ScanSettings) -> RepeatAssumptions:
    """Return what is assumed of a scan whose attempts are not read.

    Without a seed its repeat has other prompts, which only matters where there are
    several generations.
    """
    if settings.seed is not None:
        return NOTHING_KNOWN
    found = without_attempts(FRESH_PROMPTS, settings.generations)
    return NOTHING_KNOWN if found.other_factor == 1 else found
