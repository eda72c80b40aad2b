# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a garak report to its score, and what is made of a score.

The modules are the stages, each importing only stages above it:

``rules``          weights, tiers and grade rules: what a score depends on
``pairs``          Report -> pairs: one record of each, with its tier or a reason
``score``          pass rate and Z-score -> DEFCON grades -> TBSA, exactly
``coverage``       how much was measured, and what was not, in words
``checksum``       what must be equal for two scores to be compared, in what it differs
``scan``           all of the above, wired once; scores possible; common pairs of two
``fixes``          the order of risk, what pairs cost, and what fixing them would bring

What a repeat would score is the matter of ``statistics``, which needs no more of this
than the stages up to ``scan``.

``outputs`` turns what they give into text, JSON, Markdown, XML and pages.
"""
