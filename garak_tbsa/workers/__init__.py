# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where work runs: in this process, in others, on Ray or on Dask.

What is asked for changes the speed only. The modules are the stages, each importing
only stages above it:

``clusters``       the user's Ray or Dask, or a local one
``backends``       calls of one function, in order, wherever they run
"""
