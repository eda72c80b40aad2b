# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled responses -> how well each garak detector tells a hit from a pass.

The modules are the stages, each importing only stages above it:

``agreement``     annotations -> Krippendorff's alpha
``spreadsheet``   cells that no spreadsheet runs as a formula, and back
``published``     the form of data, a user's or a published set's
``rows``          a record of a form -> one labelled response, or left out and why
``sources``       what ``--data`` names -> files -> records
``report_labels``  labels of a report's outputs, matched to them, and their records
``seeding``       one random generator per detector and purpose
``slots``         words that stay out of the repository, drawn from garak's lists
``data``          the rows of the detectors that were asked for
``run``           rows -> a score, or a reason for none, from the real detector
``counts``        row scores -> counts, rates, and what these rest on
``intervals``     counts -> confidence intervals; metrics on one scan
``summary``       ``detector_metrics_summary.json`` as types, written and read
``evaluation``    all of these, detector by detector; rows are saved if asked
``ranking``       a summary -> detectors in order, with their tiers
``diff``          two summaries -> what changed, and what of it exceeds noise
"""
