# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Our four places in a run of garak. Never harms the scan, never lets a gate pass.

* ``garak.cli.main`` is the run: however it ends, a gate that is set and was not
  judged, or that failed, ends it with exit code 3.
* ``garak.cli.parse_cli_plugin_config`` is called once garak's configuration is
  complete and before anything is done with it: settings are checked here.
* ``garak.command.start_run`` opens the report: the last place to check them.
* ``garak.command.end_run`` closes it: the score follows.

What needs more of ours than a gate does is imported where it may fail.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from types import ModuleType
from typing import Any

from garak_tbsa.errors import EXIT_GATE_FAILED, EXIT_USAGE, UsageError, in_words
from garak_tbsa.gates.options import asks_for_gate
from garak_tbsa.host.environment import SWITCH, what_turns_off
from garak_tbsa.safe_text import SHOWN_ERROR, shown

Function = Callable[..., Any]

SWITCH_OFF = f"{SWITCH}=0 turns this off"


class _Run:
    """One call of ``garak.cli.main``, with its verdict once it has one."""

    def __init__(self, arguments: Iterable[object] = ()) -> None:
        self.arguments = [str(argument) for argument in arguments]
        self.passed: bool | None = None


_run = _Run()
_is_gated: Callable[[], bool] = bool
"""Whether the scan has a gate, told by what needs nothing else of ours; see wrap."""


def wrap(module: ModuleType, is_gated: Callable[[], bool]) -> None:
    """Wrap what a module of garak's has for us; modules without it stay as they are.

    Parameters
    ----------
    module : ModuleType
        ``garak.command`` or ``garak.cli``, executed.
    is_gated : Callable
        Returns whether the scan has a gate, also where our other modules fail.
    """
    global _is_gated
    _is_gated = is_gated
    for name, wrapper in WRAPPED[module.__name__].items():
        original = getattr(module, name, None)
        if callable(original):
            setattr(module, name, wrapper(original))


@contextmanager
def _check_first() -> Iterator[None]:
    check_settings()
    yield


@contextmanager
def _score_then() -> Iterator[None]:
    yield
    score_ended_scan()


def _with_gate(main: Function) -> Function:
    @wraps(main)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        global _run
        given = arguments[0] if arguments else ()
        _run, error = _Run(given or ()), None
        try:
            return main(*arguments, **options)
        except BaseException as raised:
            error = raised
            raise
        finally:
            fails = _ends_in_failure(error)
            _run = _Run()
            if fails:
                raise SystemExit(EXIT_GATE_FAILED) from error

    return wrapped


WRAPPED: dict[str, dict[str, Callable[[Function], Function]]] = {
    "garak.command": {"start_run": _check_first(), "end_run": _score_then()},
    "garak.cli": {"parse_cli_plugin_config": _check_first(), "main": _with_gate},
}


def check_settings() -> None:
    """Stop garak before a scan whose settings are wrong, with one line.

    Raises
    ------
    SystemExit
        With code 2.
    """
    if what_turns_off():
        return
    try:
        _require_right_settings()
    except UsageError as problem:
        _run.passed = True  # it was refused, which is no failed gate
        say(f"{problem}; the scan was not started ({SWITCH_OFF})")
        raise SystemExit(EXIT_USAGE) from None
    except Exception as defect:
        # of ours; it is told after the scan, which goes on
        _log(in_words(defect), defect)


def _require_right_settings() -> None:
    from garak_tbsa.files import leads_to
    from garak_tbsa.garak_api import scan
    from garak_tbsa.host.lost_settings import lost_settings, unread_gates
    from garak_tbsa.host.settings import WHERE, read_settings, require_room

    if scan.scans_nothing(scan.command_line()):
        return
    own = scan.garaks_own_settings()
    unread = unread_gates(scan.unread_files(_run.arguments), own)
    for problem in (*lost_settings(scan.loaded_files(), own), *unread):
        raise UsageError(problem)
    settings = read_settings(scan.reporting_settings())
    baseline, coming = settings.rules.baseline, scan.coming_report()
    if not settings.enabled or coming is None:
        return
    if baseline and leads_to(baseline, coming):
        raise UsageError(
            f"{WHERE}.baseline: {baseline} is the report that this scan writes; give"
            " the scan another --report_prefix, or name an earlier scan's report"
        )
    require_room(coming, settings)


def score_ended_scan() -> None:
    """Score the scan that garak has just ended; whatever fails is one line."""
    if what_turns_off():
        return
    try:
        _score()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _tell(f"no TBSA for this scan: {in_words(error)}", error)


def _score() -> None:
    from garak_tbsa.garak_api import scan
    from garak_tbsa.host.command import INTERRUPTED, score_scan
    from garak_tbsa.host.settings import output_paths, read_settings
    from garak_tbsa.outputs.columns import RULE

    report = scan.ended_report()
    if report is None or scan.is_interactive():
        return
    settings = read_settings(scan.reporting_settings())
    if not settings.enabled:
        return
    ending = score_scan(report, settings)
    if ending.printed:
        show([RULE, *ending.printed.removesuffix("\n").split("\n")])
    if ending.problem:
        what = "TBSA is incomplete" if ending.has_score else "no TBSA for this scan"
        _tell(f"{what}: {ending.problem}")
        if ending.problem == INTERRUPTED:
            raise KeyboardInterrupt
        return
    paths = output_paths(report, settings).values()
    show(f"📜 TBSA written to {path}" for path in paths)
    if _is_gated():
        # of several scans the worst counts
        _run.passed = ending.passed and _run.passed is not False


def _tell(problem: str, error: BaseException | None = None) -> None:
    """Say why a scan has no score, or not all of it; a gate fails then."""
    _log(problem, error)
    gate = ""
    if _is_gated():
        _run.passed = False
        gate = "; so the gate fails"
        _annotate(problem + gate)
    say(f"{problem}{gate}; garak's own report is unchanged ({SWITCH_OFF})")


def _ends_in_failure(error: BaseException | None) -> bool:
    """Whether the run must end with exit code 3, said in one line if it was not yet."""
    if _run.passed is not None or not _gate_is_open(error):
        return _run.passed is False
    if isinstance(error, SystemExit):
        how = f"ended with exit code {error.code if isinstance(error.code, int) else 1}"
    else:
        how = "ended" if error is None else f"stopped with {type(error).__name__}"
    if error is not None:
        _show(error)
    problem = (
        "the gate in reporting.tbsa fails: it was not judged, because garak"
        f" {how} before a scan was complete"
    )
    _annotate(problem)
    say(f"{problem} ({SWITCH_OFF})")
    return True


def _show(error: BaseException) -> None:
    """Show what Python would have shown, had the error ended the process."""
    if not isinstance(error, SystemExit):
        sys.excepthook(type(error), error, error.__traceback__)
    elif isinstance(error.code, str):
        _write(error.code)


def _gate_is_open(error: BaseException | None) -> bool:
    """Whether a gate was asked for in a run that was to scan."""
    if what_turns_off():
        return False
    try:
        from garak_tbsa.garak_api import scan

        if scan.command_line() is None:
            asks_for_help = isinstance(error, SystemExit) and not error.code
            is_scan = not asks_for_help and not scan.names_no_scan(_run.arguments)
            return is_scan and asks_for_gate(_settings())
    except Exception as defect:
        _log(in_words(defect), defect)
    return _is_gated()


def _settings() -> object:
    """What is under ``reporting.tbsa``, in files where garak did not come to them."""
    from garak_tbsa.garak_api import scan

    if scan.command_line() is None:
        return scan.settings_in_files(_run.arguments)
    return scan.reporting_settings()


def _annotate(problem: str) -> None:
    """Tell GitHub Actions that a gate was not judged, where that is asked for."""
    try:
        from garak_tbsa.outputs.github_commands import commands, failure

        settings = _settings()
        if isinstance(settings, dict) and settings.get("github") is True:
            show(commands([failure(problem)]))
    except Exception as defect:
        _log(in_words(defect), defect)


def show(lines: Iterable[str]) -> None:
    """Print what our command has printed, or is for GitHub's runner, to stdout.

    Nothing here fails, or costs garak its own output: where garak's own text cannot be
    flushed, ours is not written, so that the interpreter's exit code tells of garak's
    text as it would without us.
    """
    try:
        from garak_tbsa import terminal

        sys.stdout.flush()
        for line in lines:
            is_command = line.startswith("::")
            write = terminal.write_commands if is_command else terminal.write_lines
            write([line])
        terminal.flush()
    except Exception:
        return


def say(line: str) -> None:
    """Print one line to stderr, as carefully."""
    _write("garak-tbsa: " + shown(" ".join(line.split()), SHOWN_ERROR))


def _write(text: str) -> None:
    with suppress(Exception):
        from garak_tbsa.terminal import write_line

        with suppress(Exception):
            sys.stdout.flush()
        write_line(text, stream=sys.stderr)


def _log(what: str, error: BaseException | None = None) -> None:
    """Log where garak logs, and nowhere else if that fails."""
    raises, logging.raiseExceptions = logging.raiseExceptions, False
    logging.warning("garak-tbsa: %s", what, exc_info=error)
    logging.raiseExceptions = raises
