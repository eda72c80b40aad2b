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

    from garak_tbsa.tbsa.grades import GradedPair
    from garak_tbsa.tbsa.prompt_counts import PromptCounts

SAME_PROMPTS, FRESH_PROMPTS = "same-prompts", "fresh-prompts"
REPEATS = (SAME_PROMPTS, FRESH_PROMPTS)
ON_PROMPTS = {SAME_PROMPTS: " on the same prompts", FRESH_PROMPTS: " on fresh prompts"}


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
        target's pass rate, as a multiple of what independent outputs have. A pair
        that is not named has 1.
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
                f"{self.missing_because}: outputs there are treated as independent,"
                " detectors of one probe as rising and falling together"
            )
        return "; ".join(parts)

    def outputs_of(self, pair: GradedPair) -> float:
        """How many independent outputs say as much as those of the pair."""
        total = counts_of(pair).total_evaluated
        factor = self.variance_factors.get(pair.name) if self.variance_factors else None
        return total if factor is None else total / factor

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
        counts = counts_of(pair)
        return counts.passed, counts.total_evaluated

    def loading_of(self, pair: GradedPair) -> float:
        """How far the pair's detector goes together with others of its probe."""
        return self.loadings.get(pair.name, 1.0) if self.loadings else 1.0


NOTHING_KNOWN = RepeatAssumptions(
    repeat=None,
    variance_factors={},
    prompt_counts={},
    loadings={},
    missing_because="attempts were not read",
)
