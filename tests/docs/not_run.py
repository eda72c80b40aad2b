# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of the pages that are not run in a sandbox, each with the reason.

Those of ``garak-tbsa`` are held against its parsers all the same.
"""

from __future__ import annotations

from tests.docs.blocks import Command

NETWORK = "fetches packages or data"
CLUSTER = "needs a cluster; tests/test_workers.py starts its own"
PUBLISHED = "reads a data set that others publish"
KEY = "asks a model behind an API; tests/docs/test_judges_page.py has an endpoint"
CHECKOUT = "runs in a checkout of garak; tests/cli/test_detectors_checkout.py has one"
MINUTES = "runs every detector on every shipped row, which takes minutes"

BEGINNINGS = {
    "pip install": NETWORK,
    "uv ": NETWORK,
    "pipx ": NETWORK,
    "sha256sum dist/": "reads what make dist has made; tests/tools make and check it",
    "make ": "installs into .venv; CI runs these targets",
    "garak-tbsa detectors evaluate --data rows.jsonl --backend": CLUSTER,
    "garak-tbsa detectors evaluate --preset": PUBLISHED,
    "garak-tbsa detectors evaluate --data rows.jsonl --detectors judge": KEY,
    "garak-tbsa detectors evaluate --config garak.yaml": KEY,
    "python -m garak.analyze.detector_eval --detectors": CHECKOUT,
    "garak-tbsa detectors diff old.json garak/data": CHECKOUT,
    "garak --target_type": "needs a plugin that was put into garak",
    "export ": "the sandbox has what it needs",
}
"""Reasons, by what a command begins with."""

WHOLE = {
    "garak-tbsa detectors evaluate": MINUTES,
    "python -m garak.analyze.detector_eval": MINUTES,
}
"""Reasons, by the whole command without its comment."""


def reason(command: Command) -> str | None:
    """Why a command is not run; ``None`` where it is."""
    text = " ".join(command.text.partition(" #")[0].split())
    found = (why for start, why in BEGINNINGS.items() if text.startswith(start))
    return WHOLE.get(text) or next(found, None)
