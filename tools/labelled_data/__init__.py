# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Curation of the labelled data in ``data/detectors-eval``: maintainers' tooling.

``python -m tools.labelled_data check|tables|page``; nothing of it is in the wheel.
The modules are the stages, each importing only stages above it:

``garak_facts``       what the installed garak says of its detectors and words
``trivial_features``  whether length and punctuation alone tell hits from passes
``near_copies``       rows that are nearly the same
``row_rules``         what a row must be: its fields, and no harm
``file_rules``        what a file must be: size, languages, no give-aways
``families``          labelling rules and telling examples of each family
``check_data``        files and folder -> every broken rule, and what to do
``tables``            families and rows -> the tables of the datasheet
``page``              summary and rows -> the detector page
``command``           the command line
"""
