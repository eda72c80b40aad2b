# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Collect the evidence behind a scored report, with what the installed garak knows."""

from __future__ import annotations

import os

from garak_tbsa.evidence.collect import NO_HITS, collect_evidence
from garak_tbsa.garak_api.installation import METRICS
from garak_tbsa.garak_api.plugins import installed_plugins
from garak_tbsa.garak_api.scoring import user_data_folder
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.evidence import Evidence


def evidence_of(
    assessment: Assessment,
    *,
    hits: int | None,
    seed: int,
    metrics: str | None = None,
) -> Evidence:
    """Collect the evidence; see :func:`~garak_tbsa.evidence.collect.collect_evidence`.

    Parameters
    ----------
    assessment : Assessment
    hits : int or None
        Of each pair; None where only the trust in detectors is asked for.
    seed : int
    metrics : str or None
        A summary of detector metrics that goes before the installed and our own.

    Raises
    ------
    DatasetError
        The summary cannot be read.
    """
    users = os.path.join(user_data_folder(), METRICS)
    return collect_evidence(
        assessment,
        NO_HITS if hits is None else installed_plugins(),
        hits=hits,
        seed=seed,
        metrics=metrics,
        installed_metrics=users if os.path.isfile(users) else None,
    )
