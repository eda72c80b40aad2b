# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What lies behind the pairs of a scan: hits, what probes try, trust in detectors.

The modules are the stages, each importing only stages above it:

``drawing``    a pair's hits -> a few of them, from as many prompts as there are
``hits``       attempts -> drawn hits, how many there are, and what siblings said
``own_labels``  labels beside the report -> detectors, held against them
``trust``      labels, own metrics, shipped metrics -> how far to trust a detector
``links``      names of probes and detectors -> garak's documentation
``collect``    all of these wired once

The records are in ``tbsa.evidence``, since the forms of a score show them.
"""
