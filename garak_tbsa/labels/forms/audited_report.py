# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What every form of an audit is made of."""

from __future__ import annotations

from dataclasses import dataclass

from garak_tbsa.labels.audit import Audit
from garak_tbsa.tbsa.assessment import Assessment
from garak_tbsa.tbsa.gate import GateVerdict


@dataclass(frozen=True, kw_only=True)
class AuditedReport:
    """A report, its score, and what labels say of both.

    Attributes
    ----------
    assessment : Assessment
        By the detectors.
    audit : Audit
    label_files : tuple of str
        Paths.
    verdict : GateVerdict or None
        None where no gate is set.
    """

    assessment: Assessment
    audit: Audit
    label_files: tuple[str, ...]
    verdict: GateVerdict | None = None
