# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The only readers of garak's own files: reports, calibrations, checkouts.

The modules are the stages, each importing only stages above it:

``source``       bytes, lines, the last line; how much is read at all
``stores``       what is at an address, if its store answers in time
``opening``      a path, an address or standard input -> a source, unpacked
``fields``       a JSON text -> objects that know their place
``measurement``  a digest entry or an eval row -> what it says of a pair
``settings``     a scan's configuration -> what matters of it, without secrets
``rows``         one loop over all rows; whether they and the digest agree
``aggregate``    what the checksum of an aggregate does not cover
``tiers``        tiers of probes that no report states, and names that went
``calibration``  the pass rates that other models had
``attempts``     attempt rows -> outputs, prompts and verdicts
``answers``      whether the target answered, or said one thing to everything
``attempt_watch``  the two above as lines pass by; whether attempts and eval rows agree
``report``       bytes -> Report, of any garak release
``outcomes``     attempts -> verdicts of all detectors together, by probe and prompt
``places``       reports in folders, what lies beside one, a checkout of garak
"""
