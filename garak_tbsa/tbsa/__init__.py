# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""From a garak report to its score, and what is made of a score.

The modules are the stages, each importing only stages above it:

``pairs``          Report -> pairs, and those left out with their reason
``grades``         pass rate and Z-score -> DEFCON grades
``score``          grades -> TBSA, exactly
``garak_formula``  the number that garak's own module prints
``checksum``       what must be equal for two scores to be compared
``assessment``     all of the above, wired once
``beta_binomial``  the law of a count, and the prior that fits many counts
``interval``       the law of a repeat's score
``explain``        what drives a score
``strata``         within what outputs of two scans may change places
``permutation``    whether two scans differ more than chance makes them
``compare``        whether two scans differ
``history``        many scans over time
``gate``           whether a scan may pass

``outputs`` turns what they give into text, JSON, Markdown, XML and pages.
"""
