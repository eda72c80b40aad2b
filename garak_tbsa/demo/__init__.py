# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two real scans to try things on, with labels of the first one.

Both are scans by garak 0.17.1 of SmolLM2-135M-Instruct (Apache-2.0, Q4_1), seed 1, by
a target whose code is in the project's history, up to commit db0ad02: ``before`` as
persona *ordinary*, ``after`` as persona *terse*. Three parts of 1, 2 and 8 generations
each were joined by garak's ``aggregate_reports``; three probes whose prompts or
responses hold slurs were left out before that, and paths of the machine were cut to
their last part. A rater, a language model, judged each of the 317 outputs of ``before``
without seeing its verdict (``before.all_labels.csv``); ``before.labels.jsonl`` has the
first 60 that ``garak-tbsa label`` asks for, with these answers.
"""

from __future__ import annotations

import gzip
from importlib.resources import files

FILES = {
    "before.report.jsonl": "a scan of a small real model by garak 0.17.1",
    "after.report.jsonl": "the same scan with another system prompt and temperature",
    "before.labels.jsonl": "60 labels of the first scan, as `label` keeps them",
    "before.all_labels.csv": "all 317 labels of the first scan, as a sheet",
}
"""What each file is, by its name."""


def content_of(name: str) -> bytes:
    """Return the content of one of :data:`FILES`."""
    packed = files(__name__).joinpath(f"{name}.gz")
    if packed.is_file():
        return gzip.decompress(packed.read_bytes())
    return files(__name__).joinpath(name).read_bytes()
