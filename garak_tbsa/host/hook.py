# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Our four places in a run of garak. Never harms the scan, never lets a gate pass.

* ``garak.cli.main`` is the run: however it ends, a gate that is set and was not
  judged, or that failed, ends it with exit code 3.
* ``garak.cli.parse_cli_plugin_config`` is called once garak's configuration is
  complete and before anything is done with it: settings are checked here.
* ``garak.command.start_run`` opens the report: the last place to check them.
* ``garak.command.end_run`` closes it: the score follows.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import chain
from types import ModuleType
from typing import Any

from garak_tbsa.errors import (
    EXIT_GATE_FAILED,
    EXIT_USAGE,
    UsageError,
    in_words,
)
from garak_tbsa.gates.options import asks_for_gate
from garak_tbsa.host.environment import SWITCH, what_turns_off

Function = Callable[..., Any]

SWITCH_OFF = f"{SWITCH}=0 turns this off"


class _Run:
    """What is known of one call of ``garak.cli.main``."""

    def __init__(self, arguments: Sequence[str], earlier: object) -> None:
        self.arguments = arguments
        self.earlier = earlier
        self.checked = False
        self.refused = False
        self.passed: bool | None = None

    def parsed(self) -> object:
        """Return this run's command line, None where garak did not come that far."""
        from garak_tbsa.garak_api.scan import command_line

        parsed = command_line()
        return None if parsed is self.earlier else parsed

    def verdict(self, passed: bool) -> None:
        """Keep a verdict; of several the worst counts."""
        self.passed = passed and self.passed is not False


_run: _Run | None = None
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
    if module.__name__ == "garak.command":
        _replace(module, "start_run", _with_check)
        _replace(module, "end_run", _with_score)
    elif module.__name__ == "garak.cli":
        _replace(module, "parse_cli_plugin_config", _with_check)
        _replace(module, "main", _with_gate)


def _replace(
    module: ModuleType, name: str, wrapper: Callable[[Function], Function]
) -> None:
    original = getattr(module, name, None)
    if callable(original):
        setattr(module, name, wrapper(original))


# each wrapper takes whatever arguments a later garak may give


def _with_check(function: Function) -> Function:
    @wraps(function)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        check_settings()
        return function(*arguments, **options)

    return wrapped


def _with_score(end_run: Function) -> Function:
    @wraps(end_run)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        result = end_run(*arguments, **options)
        score_ended_scan()
        return result

    return wrapped


def _with_gate(main: Function) -> Function:
    @wraps(main)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        global _run
        if what_turns_off():
            return main(*arguments, **options)
        _run = run = _begin(*arguments, **options)
        try:
            result = main(*arguments, **options)
        except BaseException as error:
            if _ends_in_failure(run, error):
                raise SystemExit(EXIT_GATE_FAILED) from error
            raise
        finally:
            _run = None
        if _ends_in_failure(run, None):
            raise SystemExit(EXIT_GATE_FAILED)
        return result

    return wrapped


def _begin(arguments: Any = (), *_: Any, **__: Any) -> _Run:
    try:
        from garak_tbsa.garak_api.scan import command_line

        return _Run([str(argument) for argument in arguments or ()], command_line())
    except Exception:
        return _Run((), None)


def check_settings() -> None:
    """Stop garak before a scan whose settings are wrong, with one line.

    Raises
    ------
    SystemExit
        With code 2.
    """
    if what_turns_off() or (_run is not None and _run.checked):
        return
    try:
        problem = _problem_of_settings()
    except Exception as error:
        # a defect of ours; it is told after the scan, which goes on
        _log(error)
        return
    if _run is not None:
        _run.checked = True
        _run.refused = problem is not None
    if problem is not None:
        say(f"{problem}; the scan was not started ({SWITCH_OFF})")
        raise SystemExit(EXIT_USAGE)


def _problem_of_settings() -> str | None:
    from garak_tbsa.files import leads_to
    from garak_tbsa.garak_api import scan
    from garak_tbsa.host.lost_settings import lost_settings, unread_gates
    from garak_tbsa.host.settings import WHERE, read_settings, require_room

    if scan.scans_nothing(scan.command_line()):
        return None
    own, arguments = scan.is_garaks_own, () if _run is None else _run.arguments
    lost = chain(
        lost_settings(scan.loaded_files(), own),
        unread_gates(scan.unread_files(arguments), own),
    )
    if (problem := next(lost, None)) is not None:
        return problem
    try:
        settings = read_settings(scan.reporting_settings())
    except UsageError as error:
        return str(error)
    baseline, coming = settings.rules.baseline, scan.coming_report()
    if settings.enabled and baseline and coming and leads_to(baseline, coming):
        return (
            f"{WHERE}.baseline: {baseline} is the report that this scan writes; give"
            " the scan another --report_prefix, or name an earlier scan's report"
        )
    if settings.enabled and coming:
        try:
            require_room(coming, settings)
        except UsageError as error:
            return str(error)
    return None


def score_ended_scan() -> None:
    """Score the scan that garak has just ended; whatever fails is one line."""
    if what_turns_off():
        return
    gate = False
    try:
        from garak_tbsa.garak_api import scan

        report, raw = scan.ended_report(), scan.reporting_settings()
        if report is None or scan.is_interactive():
            return
        gate = asks_for_gate(raw)
        _warn_of_old_garak(scan.garak_version())
        _score(report, raw, gate)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        _log(error)
        fails = gate or _is_gated()
        _say_problem(f"no TBSA for this scan: {in_words(error)}", fails=fails)


def _warn_of_old_garak(version: str) -> None:
    from garak_tbsa.garak_api.installed import OLDER, OLDEST, support_of

    if support_of(version) == OLDER:
        oldest = ".".join(map(str, OLDEST))
        say(
            f"garak {version} is older than {oldest}, the oldest that garak-tbsa"
            f" supports, so this score may be wrong ({SWITCH_OFF})"
        )


def _score(report: str, raw: object, gate: bool) -> None:
    from garak_tbsa.host.command import INTERRUPTED, score_scan, why_not_read
    from garak_tbsa.host.settings import output_paths, read_settings
    from garak_tbsa.outputs.columns import RULE

    settings = read_settings(raw)
    if not settings.enabled:
        return
    if (unread := why_not_read(report, settings)) is not None:
        say(unread)
    ending = score_scan(report, settings)
    if ending.printed:
        show([RULE, *ending.printed.removesuffix("\n").split("\n")])
    if ending.problem:
        what = "TBSA is incomplete" if ending.has_score else "no TBSA for this scan"
        _say_problem(f"{what}: {ending.problem}", fails=gate)
        if ending.problem == INTERRUPTED:
            raise KeyboardInterrupt
        return
    paths = output_paths(report, settings).values()
    show(f"📜 TBSA written to {path}" for path in paths)
    if gate and _run is not None:
        _run.verdict(ending.passed is True)


def _say_problem(problem: str, *, fails: bool) -> None:
    if fails and _run is not None:
        _run.verdict(False)
    gate = "; so the gate fails" if fails else ""
    _log(problem)
    say(f"{problem}{gate}; garak's own report is unchanged ({SWITCH_OFF})")
    if fails:
        _annotate(f"{problem}{gate}", _run)


def _ends_in_failure(run: _Run, error: BaseException | None) -> bool:
    """Whether a run must end with exit code 3, said in one line if it was not yet."""
    if run.refused:
        return False
    if run.passed is not None:
        return not run.passed
    if not _gate_is_open(run, error):
        return False
    if error is not None:
        _show(error)
    problem = (
        "the gate in reporting.tbsa fails: it was not judged, because"
        f" {_how_ended(error)} before a scan was complete"
    )
    say(f"{problem} ({SWITCH_OFF})")
    _annotate(problem, run)
    return True


def _annotate(problem: str, run: _Run | None) -> None:
    """Tell GitHub Actions that a gate was not judged, where that is asked for."""
    try:
        from garak_tbsa.outputs.github_commands import commands, failure

        settings = [raw for raw in _settings(run) if isinstance(raw, dict)]
        if any(raw.get("github") is True for raw in settings):
            show(commands([failure(problem)]))
    except Exception as error:
        _log(error)


def _gate_is_open(run: _Run, error: BaseException | None) -> bool:
    """Whether a gate was asked for in a run that was to scan."""
    try:
        from garak_tbsa.garak_api import scan

        parsed = run.parsed()
        if parsed is not None:
            is_scan = not scan.scans_nothing(parsed)
        else:
            asks_for_help = isinstance(error, SystemExit) and not error.code
            is_scan = not asks_for_help and not scan.names_no_scan(run.arguments)
        return is_scan and any(map(asks_for_gate, _settings(run)))
    except Exception as defect:
        _log(defect)
        return _is_gated()


def _settings(run: _Run | None) -> list[object]:
    """What is under ``reporting.tbsa``, also in files that garak did not come to."""
    from garak_tbsa.garak_api import scan

    found = [scan.reporting_settings()]
    if run is not None and run.parsed() is None:
        found.append(scan.settings_in_files(run.arguments))
    return found


def _how_ended(error: BaseException | None) -> str:
    if error is None:
        return "garak ended"
    if isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 1
        return f"garak ended with exit code {code}"
    if isinstance(error, KeyboardInterrupt):
        return "garak was interrupted"
    return f"garak stopped with {type(error).__name__}"


def _show(error: BaseException) -> None:
    """Show what Python would have shown, had the error ended the process."""
    try:
        from garak_tbsa.terminal import write_line

        if not isinstance(error, (SystemExit, KeyboardInterrupt)):
            sys.excepthook(type(error), error, error.__traceback__)
        elif isinstance(error, SystemExit) and isinstance(error.code, str):
            write_line(error.code, stream=sys.stderr)
    except Exception:
        return


def show(lines: Iterable[str]) -> None:
    """Print what our command has printed, or is for GitHub's runner, to stdout.

    Nothing here fails, or costs garak its own output: where garak's own text cannot be
    flushed, ours is not written, so that the interpreter's exit code tells of garak's
    text as it would without us.
    """
    try:
        from garak_tbsa import terminal

        text = "\n".join(line.replace("\n", "\\n") for line in lines)
        if text and _is_flushed():
            width = terminal.terminal_width()
            fitting = text if width is None else terminal.fit(text, width)
            terminal.write_commands(fitting.split("\n"))
            terminal.flush()
    except Exception:
        return


def say(line: str) -> None:
    """Print one line to stderr, as carefully."""
    try:
        from garak_tbsa.terminal import write_error, write_line

        if _is_flushed():
            write_error(line)
        else:
            write_line("garak-tbsa: " + " ".join(line.split()), stream=sys.stderr)
    except Exception:
        return


def _is_flushed() -> bool:
    """Whether all that was printed before could be written."""
    try:
        sys.stdout.flush()
    except Exception:
        # full, closed, or no stream at all
        return False
    return True


def _log(what: BaseException | str) -> None:
    """Log where garak logs, and nowhere else if that fails."""
    raises = logging.raiseExceptions
    try:
        logging.raiseExceptions = False
        logging.warning(
            "garak-tbsa: %s",
            what if isinstance(what, str) else in_words(what),
            exc_info=None if isinstance(what, str) else what,
        )
    except Exception:
        return
    finally:
        logging.raiseExceptions = raises
