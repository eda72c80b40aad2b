# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA and detector metrics for garak, the LLM vulnerability scanner.

``import garak_tbsa as tbsa`` offers what ``__all__`` names. Import cost matters:
``garak_tbsa.host._register`` imports this package at every interpreter start, so each
name is imported when it is first asked for.
"""

_MODULES = {
    "score": "api.score",
    "compare": "api.compare",
    "history": "api.history",
    "audit": "api.audit",
    "load_report": "api.score",
    "assess": "api.score",
    "repeat": "api.score",
    "evaluate": "api.metrics",
    "load_summary": "api.metrics",
    "ScoreResult": "results.scored",
    "ComparisonResult": "results.comparison",
    "HistoryResult": "results.history",
    "AuditResult": "results.audited",
    "MetricsResult": "results.metrics",
    "Unavailable": "unavailable",
    "GarakTbsaError": "errors",
    "__version__": "version",
}
"""Where each name is."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from garak_tbsa.api.audit import audit
    from garak_tbsa.api.compare import compare
    from garak_tbsa.api.history import history
    from garak_tbsa.api.metrics import evaluate, load_summary
    from garak_tbsa.api.score import assess, load_report, repeat, score
    from garak_tbsa.errors import GarakTbsaError
    from garak_tbsa.results.audited import AuditResult
    from garak_tbsa.results.comparison import ComparisonResult
    from garak_tbsa.results.history import HistoryResult
    from garak_tbsa.results.metrics import MetricsResult
    from garak_tbsa.results.scored import ScoreResult
    from garak_tbsa.unavailable import Unavailable
    from garak_tbsa.version import __version__
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


__all__ = [
    "AuditResult",
    "ComparisonResult",
    "GarakTbsaError",
    "HistoryResult",
    "MetricsResult",
    "ScoreResult",
    "Unavailable",
    "__version__",
    "assess",
    "audit",
    "compare",
    "evaluate",
    "history",
    "load_report",
    "load_summary",
    "repeat",
    "score",
]
