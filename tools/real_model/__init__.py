# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What was recorded of garak's scans of a small language model, SmolLM2-135M-Instruct.

``verdicts``      the verdicts of repeated scans: benchmarks/real_repeats.json.gz
``held_out``      labelled responses that no metric uses
``scanned``       a detector's shares on them, beside the published ones
``scanned_page``  docs/measured/scanned.md
``spread``        how far a share differs between populations
``populations_page``  docs/measured/populations.md
"""
