# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The only readers of garak's own files: reports, calibrations, checkouts.

The modules are the stages, each importing only stages above it:

``opening``      a path, an address or standard input -> its lines, its last line
``settings``     a scan's configuration -> what matters of it, without secrets
``rows``         JSON of any garak release -> typed values; whether they agree
``attempts``     the one pass over the lines; attempts, and what all of them tell
``outcomes``     attempts -> verdicts of all detectors together, by probe and prompt
``calibration``  calibrations, files of tiers, names that garak gave up
``report``       bytes -> Report, of any garak release
``garak_here``   the installed garak: tiers, calibrations, facts of plug-ins
``places``       reports in folders, what lies beside one, a checkout of garak
"""
