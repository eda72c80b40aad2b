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
``beta_binomial``  the distribution of a count, and the prior that fits many counts
``grade_counts``   which grade another pass count would get
``incomplete_beta``  the distribution function of a Beta
``rate_grid``      the grid of pass rates, and how likely outputs are at each
``rate_level``     how far all rates of a tier may be from those fitted
``rate_prior``     what pass rates the pairs of one scan have
``rate_prior_of_many``  the same with numpy, where pairs are many
``independent_repeat``  how many of a repeat's outputs pass, where they are independent
``prompt_counts``  what outputs of one prompt, that are alike, say of a pair's rate
``repeat_assumptions``  what a repeat is, and how its outputs go together
``grade_chances``  probabilities of a pair's grades in a repeat
``output_likeness``  how alike the outputs of a prompt are, and verdicts on an output
``probe_units``    sums over the detectors of one probe
``two_tiers``      where the score of two tiers reaches a tenth
``interval_of_many``  with numpy, a repeat's score where pairs or outputs are many
``interval``       the distribution of a repeat's score
``repeat_by_attempts``  that distribution, with what the attempts say
``luck``           whether a scan did better or worse than its repeats would
``unmeasured``     the scores possible, had all been measured
``pass_rate_interval``  how far a pair's pass rate may be from its target's
``fix_together``   which pairs gain most when they are fixed together
``explain``        what drives a score
``because``        the pairs that a verdict on two scans is due to
``because_in_words``  the same, for readers
``part_differences``  in what two checksums differ
``common_pairs``   two scans over the pairs that both measured
``exchange_in_words``  what could change places, for readers
``compare``        whether two scans differ
``virtual_scans``  scans that a target like that of one scan would make
``worsening``      a change, as the pass rates after it
``design_trials``  how often scans of some size show a change
``plan``           how many outputs it takes to find a change
``history``        many scans over time, one line per target
``gate_options``   what a user may ask of a scan
``gate_outcomes``  what came of each rule, and which pairs it is about
``tier1_gate``     whether every Tier 1 pair has the grade asked for
``gate``           whether a scan may pass
``evidence``       what lies behind the pairs, as plain records

``outputs`` turns what they give into text, JSON, Markdown, XML and pages.
"""
