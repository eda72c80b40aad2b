# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens ends in one line and an exit code, and what is wrong is told."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from garak_tbsa import errors
from tests.behaviour.product import GOLD, REPOSITORY, program, shown_by, tbsa

PLACES = {"REPORT": str(GOLD / "garak-0.17.1.report.jsonl"), "GOLD": str(GOLD)}
USAGE = {
    "score": "score [OPTION ...] [REPORT ...]",
    "explain": "explain [OPTION ...] REPORT",
    "compare": "compare [OPTION ...] FIRST SECOND",
}
UNKNOWN = "unrecognized arguments:"
WRONG_WORD = (
    "argument --repeat: invalid choice: 'same-prompt' (choose from 'same-prompts',"
    " 'fresh-prompts')"
)
NO_COMMAND = (
    "'{}' is not a command; expected one of score, explain, show, compare,"
    " history, label, audit, detectors, demo, status; did you mean {}?"
)
NO_DETECTORS = (
    "'evalute' is not a command of garak-tbsa detectors; expected one of evaluate,"
    " rank, diff; did you mean evaluate?"
)
TWO_OUTPUTS = (
    "-j and --markdown: one output can go to standard output; give the others a file"
)


@pytest.mark.parametrize("group", [(), ("detectors",)])
def test_without_a_command_help_is_shown_which_is_a_usage_error(
    group: tuple[str, ...],
) -> None:
    asked = tbsa(*group, "--help")
    assert (asked.code, asked.err) == (0, "")
    assert asked.out.startswith(f"usage: {' '.join(('garak-tbsa', *group))} [-h] ")
    assert tbsa(*group, "-h") == tbsa(*group, "help") == asked
    assert tbsa(*group) == asked._replace(code=2)


COMMANDS_PAGE = REPOSITORY / "docs" / "reference" / "commands.md"
COMMANDS = re.findall(r"^## `garak-tbsa (.+)`$", COMMANDS_PAGE.read_text("utf-8"), re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_explains_itself(command: str) -> None:
    shown = tbsa(*command.split(), "--help")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith(f"usage: garak-tbsa {command} ")


def test_help_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    width = "garak_tbsa.cli.command_parser.terminal_width"
    for columns, widest in ((None, 80), (60, 60), (120, 80)):
        monkeypatch.setattr(width, lambda columns=columns: columns)
        lines = tbsa("status", "--help").lines
        assert max(map(len, lines)) in range(widest - 10, widest + 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("score --verb x", f"{UNKNOWN} --verb; did you mean --verbose?"),
        (
            "score --HITZ=300000 --fail_under=2 x",
            f"{UNKNOWN} --HITZ=300000 --fail_under=2; did you mean --hits and"
            " --fail-under?",
        ),
        ("score --none-of-it \x1b[2J x", f"{UNKNOWN} --none-of-it"),
        ("score --repeat same-prompt x", WRONG_WORD),
        ("explain", "the following arguments are required: REPORT"),
        ("explain x y", f"{UNKNOWN} y"),
        ("compare x x --forse", f"{UNKNOWN} --forse; did you mean --force?"),
        ("compare --alfa 0.1 x", f"{UNKNOWN} --alfa; did you mean --alpha?"),
        ("scor\x1be", NO_COMMAND.format(r"scor\x1be", "score")),
        ("explian x", NO_COMMAND.format("explian", "explain")),
        ("detectors evalute", NO_DETECTORS),
        ("score x -j - --markdown /dev/stdout", TWO_OUTPUTS),
    ],
)
def test_a_wrong_command_line_is_told_with_what_was_meant(
    words: str, said: str
) -> None:
    shown = tbsa(*words.split(" "))
    assert (shown.code, shown.out) == (2, "")
    *usage, line = shown.err.splitlines()
    assert line == f"garak-tbsa: {said}"
    if said.startswith((UNKNOWN, "argument", "the following", "--")):
        assert usage == [f"usage: garak-tbsa {USAGE[words.split()[0]]}"]
    else:
        assert usage == []


MEMORY = "not enough memory for this input; use a machine with more memory"
OUR_MODULE = "ModuleNotFoundError: No"
NEEDED = (
    f"this needs numpy, and {sys.executable} does not have it; pip install garak-tbsa"
    " installs all that is needed"
)
DEFECT = (
    "a defect of garak-tbsa: {}; please report it with the traceback that"
    " GARAK_TBSA_DEBUG=1 shows"
)
FOLDERS = (
    "/share/garak: {}; give garak-tbsa and garak access to it, or set XDG_DATA_HOME,"
    " XDG_CONFIG_HOME and XDG_CACHE_HOME to folders that can be written"
)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (errors.GarakTbsaError("a"), 1, "a"),
        (errors.NotScorableError("a"), 1, "a"),
        (errors.OutputError("a"), 1, "a"),
        (errors.UsageError("a"), 2, "a"),
        (errors.GateFailedError("a"), 3, "a"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError(), 1, MEMORY),
        (KeyError("a\nb"), 1, DEFECT.format(r"KeyError: 'a\nb'")),
        (ModuleNotFoundError("No", name="numpy.random"), 1, NEEDED),
        (ModuleNotFoundError("No", name="garak_tbsa.x"), 1, DEFECT.format(OUR_MODULE)),
        (OSError(5, "No"), 1, DEFECT.format("OSError: [Errno 5] No")),
        (OSError(30, "Read-only", "/share/garak"), 1, FOLDERS.format("read-only")),
        (OSError(None, None, "/share/garak"), 1, FOLDERS.format("oserror")),
    ],
)
def test_errors_are_one_line_and_their_exit_code(
    error: BaseException, code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A defect too, unless its traceback is asked for."""

    def run(_: object) -> int:
        raise error

    monkeypatch.setattr("garak_tbsa.cli.demo.run", run)
    assert tbsa("demo") == (code, "", f"garak-tbsa: {said}\n")
    if "defect" in said:
        monkeypatch.setenv("GARAK_TBSA_DEBUG", "1")
        with pytest.raises(type(error)):
            tbsa("demo")


def test_only_the_command_that_is_named_is_imported() -> None:
    code = (
        "import sys\n"
        "from garak_tbsa.cli.main import COMMANDS, main\n"
        "main(['show', 'nothing', 'x'])\n"
        "names = {each.replace(' ', '_') for each in COMMANDS}\n"
        "print(*(n for n in names if f'garak_tbsa.cli.{n}' in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["show"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("score REPORT -j -", "TBSA: "),
        ("score REPORT REPORT -j -", "TBSA "),
        ("explain REPORT -j -", "Fix first"),
        ("compare REPORT REPORT -j -", "No pair changed its grade."),
        ("detectors rank -j /dev/stdout", "detectors evaluated"),
        ("detectors rank --json_output -", "detectors evaluated"),
        ("history GOLD --no-interval --jsonl -", "garak-0.17.1.report.jsonl"),
        ("score REPORT --markdown -", "TBSA"),
        ("compare REPORT REPORT --markdown -", "TBSA"),
    ],
)
def test_a_file_on_standard_output_is_alone_there(
    command: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """People read standard error then; the next command says its text as usual."""
    main = program()

    def both(_: list[str]) -> int:
        first = main([PLACES.get(word, word) for word in command.split()])
        assert sys.stdout is not sys.stderr
        main(["detectors"])
        return first or 0

    shown = shown_by(both, ())
    alone = capfd.readouterr().out
    if "--markdown" in command:
        assert alone.startswith("#")
    else:
        documents = alone.splitlines() if "--jsonl" in command else [alone]
        assert all(isinstance(json.loads(each), dict) for each in documents)
    assert said in shown.err
    assert shown.out.startswith("usage: garak-tbsa detectors ")
