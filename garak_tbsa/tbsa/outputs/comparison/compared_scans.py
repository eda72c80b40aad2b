# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every form of a comparison is made of."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.statistics.compare import Comparison
from garak_tbsa.statistics.repeat import RepeatDistribution
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.comparison_in_words import headline
from garak_tbsa.tbsa.gate_options import DEFAULT_ALPHA
from garak_tbsa.unavailable import Unavailable

BothRepeats = tuple[RepeatDistribution | Unavailable, RepeatDistribution | Unavailable]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScoredSide:
    """One of two compared scans.

    Attributes
    ----------
    label : str
        ``before`` or ``after``.
    assessment : Assessment
    repeat : RepeatDistribution or Unavailable
        What a repeat of it would score.
    whole : float
        What all pairs of its report score; not the assessment's score where common
        pairs alone were scored.
    """

    label: str
    assessment: Assessment
    repeat: RepeatDistribution | Unavailable
    whole: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ComparedScans:
    """A comparison with all that its forms say of it.

    Attributes
    ----------
    comparison : Comparison
    alpha : float
        Level of the verdict.
    sides : tuple of two ScoredSide
        Before and after.
    """

    comparison: Comparison
    alpha: float
    sides: tuple[ScoredSide, ScoredSide]

    @property
    def headline(self) -> str:
        """The verdict with its p-value and what it is due to."""
        return headline(self.comparison, self.alpha)


def compared_scans(
    comparison: Comparison, repeats: BothRepeats, alpha: float = DEFAULT_ALPHA
) -> ComparedScans:
    """Return what the forms of a comparison are made of.

    Parameters
    ----------
    comparison : Comparison
    repeats : tuple of two (RepeatDistribution or Unavailable)
        What a repeat of the first scan, and of the second, would score.
    alpha : float
        Level of the verdict.
    """
    first, second, common = comparison.first, comparison.second, comparison.common
    one, two = repeats
    return ComparedScans(
        comparison=comparison,
        alpha=alpha,
        sides=(
            ScoredSide(
                label="before",
                assessment=first,
                repeat=one,
                whole=first.tbsa if common is None else common.whole_first,
            ),
            ScoredSide(
                label="after",
                assessment=second,
                repeat=two,
                whole=second.tbsa if common is None else common.whole_second,
            ),
        ),
    )
