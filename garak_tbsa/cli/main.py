# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa``: choose the command, turn errors into one line and an exit code."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Callable, Sequence

from garak_tbsa import progress
from garak_tbsa.cli.command_parser import CommandParser, did_you_mean
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_USAGE,
    GarakTbsaError,
    UsageError,
    in_words,
    reason_of,
)
from garak_tbsa.host.environment import refuse_formula_variable
from garak_tbsa.terminal import flush, write_error
from garak_tbsa.version import __version__

PROGRAM = "garak-tbsa"

COMMANDS = {
    "score": "TBSA of one or several reports, with gates and outputs",
    "explain": "what drives a score, what to fix first",
    "show": "one whole attempt of a report: conversation, outputs, verdicts",
    "compare": "whether two scans differ",
    "history": "every report in a folder, over time",
    "label": "judge some outputs yourself, in the browser or on a sheet",
    "audit": "what labels of a few outputs say about score and detectors",
    "detectors": "measure garak's detectors on labelled responses",
    "detectors evaluate": "run detectors on labelled responses, write the summary",
    "detectors rank": "order the detectors of a summary by hit F1",
    "detectors diff": "what changed between two summaries, and what exceeds noise",
    "demo": "two real reports and labels, to try things on",
    "status": "whether scans are scored here, by what, and why not",
}
GROUPS = {
    "": "TBSA and detector metrics for garak.",
    "detectors": "How well garak's detectors tell a hit from a pass.",
}
"""What holds other commands, and does nothing by itself."""

DEBUG_VARIABLE = "GARAK_TBSA_DEBUG"
REPORT_IT = f"please report it with the traceback that {DEBUG_VARIABLE}=1 shows"
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments without the program's name; ``sys.argv`` by default.

    Returns
    -------
    int
        0 done, 1 could not, 2 usage, 3 a gate failed.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    return guarded(lambda: _run(arguments))


def guarded(command: Callable[[], int]) -> int:
    """Run a command so that whatever happens ends in one line and an exit code."""
    standard_output, raises = sys.stdout, logging.raiseExceptions
    progress.start()
    try:
        # where garak's log cannot be written, stderr is not for logging's tracebacks
        logging.raiseExceptions = False
        refuse_formula_variable()
        code = command()
        flush()
        return code
    except (Exception, KeyboardInterrupt) as error:
        said = _said(error)
        if said is None and os.environ.get(DEBUG_VARIABLE):
            raise
        write_error(said or f"a defect of garak-tbsa: {in_words(error)}; {REPORT_IT}")
        is_ended = isinstance(error, KeyboardInterrupt)
        return INTERRUPTED if is_ended else getattr(error, "exit_code", EXIT_COULD_NOT)
    finally:
        progress.stop()
        sys.stdout, logging.raiseExceptions = standard_output, raises


def _said(error: BaseException) -> str | None:
    """What is said of an error that is no defect of ours."""
    match error:
        case GarakTbsaError():
            return str(error)
        case KeyboardInterrupt():
            return "interrupted"
        case MemoryError():
            return "not enough memory for this input; use a machine with more memory"
        case ModuleNotFoundError(name=str(name)) if not name.startswith("garak_tbsa"):
            return (
                f"this needs {name.partition('.')[0]}, and {sys.executable} does not"
                " have it; pip install garak-tbsa installs all that is needed"
            )
        case OSError(filename=path) if path is not None:
            # garak makes its folders when it is imported, whoever asks it first
            return (
                f"{path}: {reason_of(error)}; give garak-tbsa and garak access to it,"
                " or set XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME to folders"
                " that can be written"
            )
    return None


def _run(words: list[str]) -> int:
    name = command_of(words)
    rest = words[len(name.split()) :]
    if name not in GROUPS:
        return run_as(f"{PROGRAM} {name}", name, rest)
    parser = parser_of(name)
    if rest not in ([], ["help"]):
        parser.parse_args(rest)
    parser.print_help()
    return EXIT_DONE if rest else EXIT_USAGE


def run_as(prog: str, command: str, arguments: Sequence[str]) -> int:
    """Run one command, perhaps under another name as whole program.

    Parameters
    ----------
    prog : str
        What its help and its errors call it.
    command : str
        Of :data:`COMMANDS`.
    arguments : sequence of str
    """
    options = parser_of(command, prog).parse_args(arguments)
    code: int | None = options.run(options)
    return code or EXIT_DONE


def command_of(words: Sequence[str]) -> str:
    """Return the command, or the group of commands, that a command line begins with.

    Raises
    ------
    UsageError
        It begins with a word that is no command.
    """
    group, *rest = words if words[:1] == ["detectors"] else ["", *words]
    if not rest or rest[0] == "help" or rest[0].startswith("-"):
        return group
    named = {each.rpartition(" ")[2]: each for each in _commands_in(group)}
    if rest[0] in named:
        return named[rest[0]]
    raise UsageError(
        f"{rest[0]!r} is not a command{f' of {PROGRAM} {group}' if group else ''};"
        f" expected one of {', '.join(named)}{did_you_mean(rest[:1], named)}"
    )


def _commands_in(group: str) -> list[str]:
    return [name for name in COMMANDS if name.rpartition(" ")[0] == group]


def parser_of(command: str, prog: str = "") -> CommandParser:
    """Return the parser of a command, whose module alone is imported, or of a group.

    Parameters
    ----------
    command : str
        Of :data:`COMMANDS` or :data:`GROUPS`.
    prog : str
        What its help and its errors call it.
    """
    parser = CommandParser(prog=prog or f"{PROGRAM} {command}".rstrip())
    if command not in GROUPS:
        module = importlib.import_module(f"garak_tbsa.cli.{command.replace(' ', '_')}")
        module.add_options(parser)
        parser.set_defaults(run=module.run, parser=parser)
        return parser
    parser.description = GROUPS[command]
    parser.epilog = "Each command has its own --help."
    if not command:
        version = f"{PROGRAM} {__version__}"
        parser.add_argument(
            "-V",
            "--version",
            action="version",
            version=version,
            help="print the version",
        )
    listed = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in _commands_in(command):
        listed.add_parser(name.rpartition(" ")[2], help=COMMANDS[name])
    return parser
