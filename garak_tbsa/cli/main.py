# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa``: choose the command, turn errors into one line and an exit code."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence

from garak_tbsa import progress
from garak_tbsa.cli.command_parser import did_you_mean
from garak_tbsa.errors import (
    EXIT_COULD_NOT,
    EXIT_DONE,
    EXIT_USAGE,
    GarakTbsaError,
    UsageError,
)
from garak_tbsa.removed import REMOVED, removal
from garak_tbsa.terminal import flush, text_to_stdout, write_error, write_line
from garak_tbsa.version import __version__

COMMANDS = {
    "score": "TBSA of one or several reports, with gates and outputs",
    "explain": "what drives a score, what to fix first",
    "show": "one whole attempt of a report: conversation, outputs, verdicts",
    "compare": "whether two scans differ",
    "plan": "how many outputs a scan needs to show a change",
    "history": "every report in a folder, over time",
    "label": "judge some outputs yourself, in the browser",
    "audit": "what labels of a few outputs say about score and detectors",
    "detectors": "measure garak's detectors on labelled responses",
    "demo": "two real reports and labels, to try things on",
    "status": "whether scans are scored here, by what, and why not",
    "completion": "the script with which bash, zsh or fish complete commands",
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
    if sys.stderr is not None and sys.stderr.isatty():
        progress.start()
    try:
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
        text_to_stdout()


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
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "") or arguments == ["help"]:
        show_help()
        return EXIT_DONE if name else EXIT_USAGE
    if name in ("-V", "--version"):
        write_line(f"garak-tbsa {__version__}")
        return EXIT_DONE
    if name in REMOVED:
        raise UsageError(removal(name))
    if name not in COMMANDS:
        raise UsageError(
            f"{name!r} is not a command; expected one of {', '.join(COMMANDS)}"
            f"{did_you_mean([name], COMMANDS)}"
        )
    # of the commands only the one that is named is imported
    command: Callable[[list[str]], int] = importlib.import_module(
        f"garak_tbsa.cli.{name}"
    ).run
    return command(arguments[1:])


def show_help() -> None:
    """Print every command with its purpose."""
    write_line("usage: garak-tbsa COMMAND [OPTION ...]\n")
    write_line("TBSA and detector metrics for garak. Commands:")
    for name, purpose in COMMANDS.items():
        write_line(f"  {name:<10} {purpose}")
    write_line("\n  -V, --version   print the version\n  -h, --help      this text")
    write_line("\nEach command has its own --help.")
