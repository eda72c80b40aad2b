# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Curation of the labelled data in ``data/detectors-eval``: maintainers' tooling.

``python -m tools.labelled_data``; nothing of it is in the wheel. The modules are the
stages, each importing only stages above it:

``families``          the data's folder, its rows, and the labelling rules of families
``rating``            a second label for every row, given without sight of the first
``row_rules``         what a row must be: its fields, its two labels, and no harm
``trivial_features``  whether length and punctuation alone tell hits from passes
``response_shapes``   what responses look like, and what real ones do
``file_rules``        what a file must be: size, languages, agreement, no give-aways
``checking``          files and folder -> every broken rule, and what to do
``tables``            families and rows -> the tables of the datasheet
``page``              summary and rows -> the detector page
``command``           the command line
"""
