# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The only readers of garak's own files: reports, calibrations, checkouts.

The modules are the stages, each importing only stages above it:

``limits``         how much of a report is read
``packed``         gzip and Zstandard as streams
``address``        ``scheme://`` anything -> an open file, or why it is none
``source``         a path -> bytes, lines, the last line
``fields``         a parsed JSON row -> checked values
``measurement``    a digest entry or an eval row -> what it says of a pair
``settings``       a scan's configuration -> what matters of it, without secrets
``rows``           one pass over all rows, for what the last line does not tell
``consistency``    whether a digest and its file's rows tell of the same scan
``renamed_probes``  what garak calls a probe today that it once called otherwise
``given_tiers``    a user's file -> tiers of probes that nobody else knows
``calibration``    the pass rates that other models had
``report``         bytes -> Report, of any garak release
``prompts``        a prompt, text or a conversation -> turns and text
``merging``        the reports of one scan -> one Report
``attempts``       attempt rows -> outputs, prompts and verdicts
``whole_attempt``  one attempt, found by its uuid
``outcomes``       attempts -> verdicts of all detectors together, by probe and prompt
``finding``        folders and addresses -> the reports below them
``beside``         what lies beside a report: garak's page and hit log, labels
``checkout``       a folder -> whether it is garak's source, where it keeps metrics
"""
