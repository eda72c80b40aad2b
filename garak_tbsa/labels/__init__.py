# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of some outputs -> what the score and the detectors are worth.

===================  ================================================================
``labelling_rules``  what makes a hit, by detector, for those who label
``label_files``      a file of labels -> labels; what cannot be used is one line
``label_log``        the file to which answers are appended, one by one
``scan``             a report's outputs by pair and verdict, and how many are labelled
``matching``         labels and outputs -> what was said of which, and what is unusable
``hit_rates``        strata -> draws of how many of their outputs are truly hits
``score``            draws -> the audited score, its range, and what to label next
``detectors``        strata -> sensitivity, specificity, precision on this scan
``questions``        which outputs raters are shown next, and what they have answered
``label_sheet``      which outputs are drawn for detectors, and a sheet to label them on
``label_warnings``   what speaks against an audit by these labels
``audit``            all that labels say of a scan, and whether it may pass
``forms``            an audit as text, JSON, Markdown and a page
``label_page``       the page to label on, and what it shows of outputs: no verdicts
``label_server``     the page on 127.0.0.1, which asks for what tells most
===================  ================================================================
"""
