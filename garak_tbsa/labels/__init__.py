# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labels of some outputs -> what the score and the detectors are worth.

===================  ================================================================
``labelling_rules``  what makes a hit, by detector, for those who label
``labels``           what people said of outputs, from any file
``label_files``      a file of labels -> labels; what cannot be used is one line
``outputs``          a report's outputs by pair and verdict
``texts``            outputs -> their prompts and texts, read when they are shown
``strata``            a scan's outputs by pair and verdict, and how many are labelled
``matching``         labels and outputs -> strata, and what could not be used
``hit_rates``        strata -> draws of how many of their outputs are truly hits
``score``            draws -> the audited score, its range, the grades of each pair
``choice``           draws -> what to label next, and how narrow the range would be
``plan``             strata -> which outputs to label all at once
``detector_hits``    strata -> draws of true hits that lean on no other detector
``detectors``        strata -> sensitivity, specificity, precision on this scan
``questions``        which outputs a rater is shown next, and in which order
``session``          what raters were asked and have answered, second looks too
``measured``         a detector's labelled outputs by stratum -> its metrics on the scan
``sample``           which outputs are drawn for labelling, in one go
``label_page``       outputs -> a page to label them on, without verdicts
``label_server``     the page on 127.0.0.1, which asks for what tells most
``sheets``           drawn outputs -> CSV and Label Studio's tasks, without verdicts
``report_labels``    labels and reports -> labelled rows of detectors, with strata
``label_warnings``   labels -> what speaks against an audit by them
``audit``            all of these wired once: what labels say of a scan
``gate``             an audit -> whether the scan may pass
===================  ================================================================

``forms/`` shows an audit as text, JSON, Markdown and a page.
"""
