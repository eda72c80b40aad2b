# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA and detector metrics for garak, the LLM vulnerability scanner.

``import garak_tbsa as tbsa`` offers what ``__all__`` names. Import cost matters:
``garak_tbsa.host._register`` imports this package at every interpreter start, so each
name is imported when it is first asked for.
"""

_NAMES = {
    "api.score": ("score", "load_report", "assess", "repeat"),
    "api.compare": ("compare", "ComparisonResult"),
    "api.history": ("history", "HistoryResult"),
    "api.audit": ("audit", "AuditResult"),
    "api.metrics": ("evaluate", "rank", "diff", "load_summary", "MetricsResult"),
    "result": ("ScoreResult",),
    "unavailable": ("Unavailable",),
    "errors": ("GarakTbsaError",),
    "version": ("__version__",),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}
"""Where each name is."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.api.audit import AuditResult as AuditResult
    from garak_tbsa.api.audit import audit as audit
    from garak_tbsa.api.compare import ComparisonResult as ComparisonResult
    from garak_tbsa.api.compare import compare as compare
    from garak_tbsa.api.history import HistoryResult as HistoryResult
    from garak_tbsa.api.history import history as history
    from garak_tbsa.api.metrics import MetricsResult as MetricsResult
    from garak_tbsa.api.metrics import diff as diff
    from garak_tbsa.api.metrics import evaluate as evaluate
    from garak_tbsa.api.metrics import load_summary as load_summary
    from garak_tbsa.api.metrics import rank as rank
    from garak_tbsa.api.score import assess as assess
    from garak_tbsa.api.score import load_report as load_report
    from garak_tbsa.api.score import repeat as repeat
    from garak_tbsa.api.score import score as score
    from garak_tbsa.errors import GarakTbsaError as GarakTbsaError
    from garak_tbsa.result import ScoreResult as ScoreResult
    from garak_tbsa.unavailable import Unavailable as Unavailable
    from garak_tbsa.version import __version__ as __version__
else:

    def __getattr__(name):
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        module = import_module(f"{__name__}.{_MODULES[name]}")
        found = globals()[name] = getattr(module, name)
        return found

    def __dir__():
        return sorted({*globals(), *_MODULES})


__all__ = list(_MODULES)
