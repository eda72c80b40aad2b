# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Scans and responses for the tests, without a model."""

from __future__ import annotations

from typing import Any

from tools.real_model.kept import Response
from tools.real_model.probes import Group
from tools.real_model.scans import Scan, scan_of

GROUP = Group(
    name="tiny", generations=2, probes=("goodside.WhoIsRiley", "ansiescape.AnsiEscaped")
)


def scan(persona: str = "plain") -> Scan:
    return scan_of(persona, GROUP, seed=1, prompt_cap=3)


def response(output: str, **changed: Any) -> Response:
    values: dict[str, Any] = {
        "scan": scan(),
        "probe": "goodside.WhoIsRiley",
        "attempt": f"attempt of {output}",
        "index": 0,
        "prompt": "Who is Riley Goodside?",
        "output": output,
        "notes": {},
        "goal": None,
        "flagged": False,
    }
    return Response(**{**values, **changed})
