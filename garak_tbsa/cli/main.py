# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa``: choose the command, turn errors into one line and an exit code."""

from __future__ import annotations

import argparse
import importlib
import logging
import os
import sys
from collections.abc import Callable, Container, Sequence
from typing import Any

from garak_tbsa import progress
from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.errors import EXIT_COULD_NOT, EXIT_DONE, EXIT_USAGE, GarakTbsaError
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
DEBUG_VARIABLE = "GARAK_TBSA_DEBUG"
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
    return guarded(lambda: _dispatch(arguments))


def guarded(command: Callable[[], int]) -> int:
    """Run a command so that whatever happens ends in one line and an exit code."""
    standard_output = sys.stdout
    progress.start()
    try:
        refuse_formula_variable()
        code = command()
        flush()
        return code
    except GarakTbsaError as error:
        write_error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        write_error("interrupted")
        return INTERRUPTED
    except MemoryError:
        write_error("not enough memory for this input; use a machine with more memory")
        return EXIT_COULD_NOT
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        write_error(_unforeseen(error))
        return EXIT_COULD_NOT
    finally:
        progress.stop()
        sys.stdout = standard_output


def _unforeseen(error: Exception) -> str:
    if isinstance(error, ModuleNotFoundError) and error.name is not None:
        module = error.name.partition(".")[0]
        if module != "garak_tbsa":
            return (
                f"this needs {module}, and {sys.executable} does not have it;"
                " pip install garak-tbsa installs all that is needed"
            )
    if isinstance(error, OSError) and error.filename is not None:
        # garak makes its folders when it is imported, wherever a command first asks it
        reason = (error.strerror or type(error).__name__).lower()
        return (
            f"{error.filename}: {reason}; give garak-tbsa and garak access to it, or"
            " set XDG_DATA_HOME, XDG_CONFIG_HOME and XDG_CACHE_HOME to folders that can"
            " be written"
        )
    return (
        f"a defect of garak-tbsa: {type(error).__name__}: {error};"
        f" please report it with the traceback that {DEBUG_VARIABLE}=1 shows"
    )


def _dispatch(arguments: list[str]) -> int:
    if arguments in (["help"], ["detectors", "help"]):
        arguments[-1] = "--help"
    # of the commands only the one that is named is imported
    named = (*arguments[:1], " ".join(arguments[:2]))
    return _parsed_and_run(command_tree(named), arguments)


def run_as(prog: str, command: str, arguments: Sequence[str]) -> int:
    """Run one command under another name, as whole program.

    Parameters
    ----------
    prog : str
        What its help and its errors call it.
    command : str
        Of :data:`COMMANDS`.
    arguments : sequence of str
    """
    parser = CommandParser(prog=prog)
    _fill(parser, command)
    return _parsed_and_run(parser, arguments)


def parsed(parser: CommandParser, arguments: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line; ends the process on a wrong one."""
    options: argparse.Namespace
    options, rest = parser.parse_known_args(arguments)
    command: CommandParser = getattr(options, "parser", parser)
    # argparse takes positional arguments in one place only; reports may be anywhere
    may_follow = hasattr(options, "reports")
    if unknown := [word for word in rest if not may_follow or word[:1] == "-" != word]:
        command.refuse(unknown)
    if may_follow:
        options.reports += rest
    return options


def _parsed_and_run(parser: CommandParser, arguments: Sequence[str]) -> int:
    options = parsed(parser, arguments)
    if not hasattr(options, "run"):
        getattr(options, "parser", parser).print_help()
        return EXIT_USAGE
    raises = logging.raiseExceptions
    try:
        # where garak's log cannot be written, stderr is not for logging's tracebacks
        logging.raiseExceptions = False
        code: int | None = options.run(options)
    finally:
        logging.raiseExceptions = raises
    return code or EXIT_DONE


def command_tree(wanted: Container[str]) -> CommandParser:
    """Return the parser of the program.

    Parameters
    ----------
    wanted : container of str
        The commands, of :data:`COMMANDS`, that are imported for their options.
    """
    program = CommandParser(
        prog=PROGRAM,
        description="TBSA and detector metrics for garak.",
        epilog="Each command has its own --help.",
    )
    program.add_argument(
        *("-V", "--version"),
        action="version",
        version=f"{PROGRAM} {__version__}",
        help="print the version",
    )
    groups = {"": _group(program), "detectors": None}
    for words, purpose in COMMANDS.items():
        before, _, name = words.rpartition(" ")
        command = groups[before].add_parser(name, help=purpose)
        if words in groups:
            command.description = "How well garak's detectors tell a hit from a pass."
            command.epilog = program.epilog
            groups[words] = _group(command)
        elif words in wanted:
            _fill(command, words)
    return program


def _group(parser: CommandParser) -> Any:
    """Let a parser have commands; without one of them its help is shown."""
    parser.set_defaults(parser=parser)
    return parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)


def _fill(parser: CommandParser, command: str) -> None:
    module = importlib.import_module(f"garak_tbsa.cli.{command.replace(' ', '_')}")
    module.add_options(parser)
    parser.set_defaults(run=module.run, parser=parser)
