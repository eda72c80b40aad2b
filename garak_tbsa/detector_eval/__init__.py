# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled responses -> how well each garak detector tells a hit from a pass.

The modules are the stages, each importing only stages above it:

``labelled_row``  one labelled response, checked
``agreement``     annotations -> Krippendorff's alpha
``spreadsheet``   cells that no spreadsheet runs as a formula, and back
``sources``       what ``--data`` names -> files -> raw records
``row_form``      what a user says of data, or a published set's form
``reading``       a record of a form -> a row, or left out and why
``report_labels``  labels of a report's outputs, matched to them, and their records
``basis``         what rows rest on: real, written, or a detector's own words
``seeding``       one random generator per detector and purpose
``slots``         words that stay out of the repository, drawn from garak's lists
``shipped``       the labelled data that comes with the package
``dataset``       rows by detector, checked; what was left out
``selection``     which files are read, for which detectors
``run``           rows -> a score, or a reason for none, from the real detector
``metrics``       row scores -> confusion counts -> precision, recall, F1
``evaluation``    all of these, detector by detector; rows are saved if asked
``intervals``     confusion counts -> confidence intervals; metrics on one scan
``summary_file``  ``detector_metrics_summary.json``, ours or garak's -> typed records
``summary``       an evaluation -> such a file
``merge``         a summary put into another, which garak reads
``ranking``       a summary -> detectors in order, with their tiers
``diff``          two summaries -> what changed, and what of it exceeds noise
"""
