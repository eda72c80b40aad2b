# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What was recorded of garak's scans of a small language model, SmolLM2-135M-Instruct.

``verdicts``  the verdicts of repeated scans: benchmarks/real_repeats.json.gz
``shares``    a detector's shares on labelled responses that no metric uses, beside the
              published ones, and how far shares differ between populations
``pages``     docs/measured/scanned.md and populations.md
"""
