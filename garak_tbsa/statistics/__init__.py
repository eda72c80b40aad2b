# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What chance does to a scan: the range of a repeat, and whether two scans differ.

``repeat_prompts``  which prompts a repeat has
``draws``           draws of outputs, and functions that numpy lacks
``scores``          grades and scores of many scans of the same pairs at once
``by_prompt``       what a scan showed of each pair, prompt by prompt, and how alike
``repeat``          what a repeat would score, drawn from one model: a scan's range
``among_repeats``   a lucky scan; the pairs on which the lower end of the range rests
``exchange``        what may change places between two scans if nothing has changed
``arrangements``    the second scan, dealt at random from that
``permutation``     whether two scans differ, by the tests of those arrangements
``detectable``      what a comparison can find: pairs that could fall unseen
``compare``         two scans, what tells them apart, the verdict and its causes
"""
