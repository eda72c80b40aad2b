# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Labelled responses -> how well each garak detector tells a hit from a pass.

The modules are the stages, each importing only stages above it:

``labelled_row``  one labelled response, parsed and checked
``formats``       JSON Lines, CSV, Parquet, Hugging Face data sets -> raw records
``reports``       garak reports with a labels file -> raw records
``slots``         words that stay out of the repository, drawn from garak's lists
``shipped``       the labelled data that comes with the package
``dataset``       files -> the rows of each detector, checked, hashed, balanced
``backends``      where scoring runs: here, in processes, on Ray or Dask
``run``           rows -> a score, or a reason for none, from the real detector
``metrics``       outcomes -> confusion counts -> precision, recall, F1
``intervals``     confusion counts -> confidence intervals
``summary``       all of it -> ``detector_metrics_summary.json``
``ranking``       a summary -> detectors in order, with their tiers
"""
