# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What each command does, without its options and its output.

From paths to results, with what the installed garak knows. ``cli`` prints and writes
what comes out, ``api`` hands it to Python. The modules are the stages:

``finding``        folders and addresses -> the reports below them
``scoring``        a path -> an assessment, graded and read as asked
``evidence``       an assessment -> the hits behind it
``comparing``      two paths -> both scans with all that a comparison says
``auditing``       a report and labels of its outputs -> its audit
``history``        many reports -> how each target developed
``metrics_place``  where the metrics summary of this folder is
``evaluating``     labelled rows -> a summary of detector metrics
"""
