# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a user wants their scan judged; known even where all else of ours fails."""

from __future__ import annotations

from garak_tbsa.tbsa.gate_options import GATE_OPTIONS

GATES = tuple(option.name for option in GATE_OPTIONS if option.is_rule)
"""The settings that make a gate."""


def asks_for_gate(raw: object) -> bool:
    """Whether settings, right or wrong, ask for a scan to be judged.

    Parameters
    ----------
    raw : object
        What is under ``reporting.tbsa``, unchecked.
    """
    return (
        isinstance(raw, dict)
        and raw.get("enabled") is not False
        and any(raw.get(name) is not None for name in GATES)
    )
