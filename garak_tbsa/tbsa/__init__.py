# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a garak report to its score, and what is made of a score.

The modules are the stages, each importing only stages above it:

``rules``          weights, tiers and grade rules: what a score depends on
``pairs``          Report -> pairs, and those left out with their reason
``grades``         pass rate and Z-score -> DEFCON grades
``contradictions``  grades of a digest that its own numbers do not give
``score``          grades -> TBSA, exactly
``garak_formula``  the number that garak's own module prints
``checksum``       what must be equal for two scores to be compared
``assessment``     all of the above, wired once
``part_differences``  in what two checksums differ
``common_pairs``   two scans over the pairs that both measured
``grade_counts``   which grade another pass count would get
``luck``           whether a scan did better or worse than its repeats would
``unmeasured``     the scores possible, had all been measured
``pass_rate_interval``  how far a pair's pass rate may be from its target's
``explain``        what drives a score
``comparison_in_words``  what a comparison of two scans says
``scan_change``    what changed in a scan against the one before
``history``        many scans over time, one line per target
``gate_options``   what a user may ask of a scan
``gate_outcomes``  what came of each rule, and which pairs it is about
``tier1_gate``     whether every Tier 1 pair has the grade asked for
``gate``           whether a scan may pass
``evidence``       what lies behind the pairs, and what is said of it

What a repeat would score is the matter of ``statistics``, which needs no more of this
than the stages up to ``grade_counts``.

``outputs`` turns what they give into text, JSON, Markdown, XML and pages.
"""
