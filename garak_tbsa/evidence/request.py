# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What evidence is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.tbsa.outputs.registry import DEFAULT_HITS, DEFAULT_HITS_SEED


@dataclass(frozen=True, kw_only=True)
class EvidenceRequest:
    """What to collect.

    Attributes
    ----------
    hits : int or None
        Of each pair, 0-100; None where only the trust in detectors is asked for.
    seed : int
        Which ones.
    metrics : str or None
        A summary of detector metrics that goes before all others.
    installed_metrics : str or None
        One that the user made and installed for garak.
    """

    hits: int | None = DEFAULT_HITS
    seed: int = DEFAULT_HITS_SEED
    metrics: str | None = None
    installed_metrics: str | None = None
