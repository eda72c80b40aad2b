# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a repeat of a scan would score, with what the scan's attempts say of it."""

from __future__ import annotations

from garak_tbsa.tbsa.interval import distribution_of
from garak_tbsa.tbsa.output_likeness import assumptions_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.garak_files.outcomes import Outcomes
    from garak_tbsa.tbsa.assessment import Assessment
    from garak_tbsa.tbsa.interval import RepeatDistribution
    from garak_tbsa.unavailable import Unavailable


def distribution_by_attempts(
    assessment: Assessment,
    repeat: str | None = None,
    outcomes: Outcomes | Unavailable | None = None,
) -> RepeatDistribution | Unavailable:
    """Return the distribution behind a score, with what attempts say of a repeat.

    Parameters
    ----------
    assessment, repeat, outcomes
        As :func:`assumptions_of` takes them.
    """
    if assessment.garak_score is not None:
        return distribution_of(assessment)
    return distribution_of(assessment, assumptions_of(assessment, repeat, outcomes))
