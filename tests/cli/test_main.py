# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever happens ends in one line and an exit code."""

from __future__ import annotations

import subprocess
import sys

import pytest

from garak_tbsa.cli import main as module
from garak_tbsa.cli.main import COMMANDS, guarded, main
from garak_tbsa.errors import (
    GarakTbsaError,
    GateFailedError,
    NotScorableError,
    OutputError,
    UsageError,
)


def failing(error: BaseException) -> int:
    def command() -> int:
        raise error

    return guarded(command)


def ended(*arguments: str) -> object:
    """The exit code, whether the command returns or ends the process."""
    try:
        return main(arguments)
    except SystemExit as end:
        return end.code


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("-h",), 0),
        (("--help",), 0),
        (("help",), 0),
        ((), 2),
        (("detectors", "help"), 0),
        (("detectors",), 2),
    ],
)
def test_help_names_every_command(
    words: tuple[str, ...], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where no command is named, which is a usage error."""
    assert ended(*words) == code
    shown = " ".join(capsys.readouterr().out.split())
    group = "detectors " if "detectors" in words else ""
    assert shown.startswith(f"usage: garak-tbsa {group}[-h] ")
    for command, purpose in COMMANDS.items():
        before, _, name = command.rpartition(" ")
        if before == group.strip():
            assert f" {name} {purpose} " in shown


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["scor\x1be"]) == 2
    assert capsys.readouterr().err == (
        r"garak-tbsa: 'scor\x1be' is not a command; expected one of score, explain,"
        " show, compare, plan, history, label, audit, detectors, demo,"
        " status, completion; did you mean score?\n"
    )


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (["man"], "garak-tbsa --help"),
        (["version"], "garak-tbsa -V"),
        (["help", "tier"], "garak-tbsa COMMAND --help, or the glossary of the"),
    ],
)
def test_a_command_that_went_names_what_takes_its_place(
    words: list[str], instead: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.startswith(
        f"garak-tbsa: {words[0]} is gone since 0.2.0; use {instead}"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(*name.split(), "--help") == 0
    assert capsys.readouterr().out.startswith(f"usage: garak-tbsa {name} [-h] ")


def test_only_the_command_that_is_named_is_imported() -> None:
    code = (
        "import sys\n"
        "from garak_tbsa.cli.main import main\n"
        "main(['show', 'nothing', 'x'])\n"
        "from garak_tbsa.cli.main import COMMANDS\n"
        "names = {each.replace(' ', '_') for each in COMMANDS}\n"
        "print(*(n for n in names if f'garak_tbsa.cli.{n}' in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["show"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotScorableError("a"), 1),
        (OutputError("a"), 1),
        (UsageError("a"), 2),
        (GateFailedError("a"), 3),
        (GarakTbsaError("a"), 1),
    ],
)
def test_errors_are_one_line_and_their_exit_code(
    error: GarakTbsaError, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(error) == code
    assert capsys.readouterr().err == "garak-tbsa: a\n"


def test_an_interruption_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "garak-tbsa: interrupted\n"


def test_too_little_memory_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(MemoryError()) == 1
    assert "not enough memory for this input" in capsys.readouterr().err


def test_a_defect_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert failing(KeyError("a\nb")) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("garak-tbsa: a defect of garak-tbsa: KeyError: 'a\\nb';")
    assert shown.count("\n") == 1
    monkeypatch.setenv(module.DEBUG_VARIABLE, "1")
    with pytest.raises(KeyError):
        failing(KeyError("a"))


def test_a_module_that_is_not_installed_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert failing(ModuleNotFoundError("No module", name="numpy.random")) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("garak-tbsa: this needs numpy, and ")
    assert "; pip install garak-tbsa installs all that is needed" in shown
    assert failing(ModuleNotFoundError("No module", name="garak_tbsa.nosuch")) == 1
    assert "a defect of garak-tbsa" in capsys.readouterr().err


def test_a_path_that_garak_cannot_use_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = OSError(30, "Read-only file system", "/home/me/.local/share/garak")
    assert failing(error) == 1
    assert capsys.readouterr().err == (
        "garak-tbsa: /home/me/.local/share/garak: read-only file system; give"
        " garak-tbsa and garak access to it, or set XDG_DATA_HOME, XDG_CONFIG_HOME"
        " and XDG_CACHE_HOME to folders that can be written\n"
    )
