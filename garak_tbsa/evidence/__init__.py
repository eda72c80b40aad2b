# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind the pairs of a scan: hits, what probes try, trust in detectors.

The modules are the stages, each importing only stages above it:

``hits``     attempts -> hits of each pair, some drawn, and what siblings said of them
``fallen``   attempts of two scans -> outputs of pairs that fell, before and after
``trust``    labels, own metrics, shipped metrics -> how far to trust a detector

``api.evidence`` puts both together for each pair of a scan, with what garak says of its
plugins. The records are in ``tbsa``, since the forms show them.
"""
