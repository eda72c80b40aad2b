# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""After a scan: score it, print, write beside the report. Never harms the scan.

``garak.command.end_run`` is wrapped, so that the score follows garak's own
output, and ``garak.cli.main``, so that a failed gate ends the process with exit
code 3 only after garak has finished everything.
"""

from __future__ import annotations

import os
from functools import wraps

from garak_tbsa.errors import EXIT_GATE_FAILED, GateFailedError, in_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

SWITCH = "GARAK_TBSA"

_gate_failed = False


def wrap(module: ModuleType) -> None:
    """Wrap what a module of garak's has for us; modules without it stay as they are."""
    if module.__name__ == "garak.command":
        _replace(module, "end_run", _with_score)
    elif module.__name__ == "garak.cli":
        _replace(module, "main", _with_gate)


def _replace(
    module: ModuleType,
    name: str,
    wrapper: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> None:
    original = getattr(module, name, None)
    if callable(original):
        setattr(module, name, wrapper(original))


def _with_score(end_run: Callable[..., Any]) -> Callable[..., Any]:
    # takes whatever arguments a later garak may give it
    @wraps(end_run)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        result = end_run(*arguments, **options)
        score_ended_scan()
        return result

    return wrapped


def _with_gate(main: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(main)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        global _gate_failed
        _gate_failed = False
        result = main(*arguments, **options)
        if _gate_failed:
            raise SystemExit(EXIT_GATE_FAILED)
        return result

    return wrapped


def score_ended_scan() -> None:
    """Score the scan that garak has just ended; whatever fails is one line."""
    global _gate_failed
    if os.environ.get(SWITCH) == "0":
        return
    try:
        from garak_tbsa.host.after_scan import run

        _gate_failed = not run()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _gate_failed = isinstance(error, GateFailedError)
        _tell(error)


def _tell(error: BaseException) -> None:
    """Say in one line what failed, and log it where garak logs."""
    try:
        import logging

        from garak_tbsa.cli.terminal import write_error

        logging.warning("garak-tbsa: no TBSA for this scan", exc_info=error)
        write_error(
            f"no TBSA for this scan: {in_words(error)};"
            f" garak's own report is as it was ({SWITCH}=0 turns this off)"
        )
    except Exception:
        # stderr or the log may be closed: the scan still counts
        return
