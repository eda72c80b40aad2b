# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What chance does to a scan: the range of a repeat, and whether two scans differ.

``kinds``        which prompts a repeat has
``special``      functions that numpy lacks
``scores``       grades and scores of many scans of the same pairs at once
``observed``     what a scan showed of each pair, prompt by prompt, and how alike it was
``exchange``     what may change places between two scans of which nothing has changed
``repeat``       what a repeat would score, drawn from one model: the range of a scan
``lower_end``    the pairs on which the lower end of that range rests
``unusual_score``  whether a scan did better or worse than its repeats would
``arrangements``  the second scan, dealt at random from that
``permutation``  whether two scans differ, by the tests of those arrangements
``detectable``   what a comparison can find: pairs that could fall unseen
``compare``      two scans, what tells them apart, the verdict and its causes
"""
