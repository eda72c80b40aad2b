# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A shell completes commands, options and values by the script that is printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.cli.command_tree import all_commands
from garak_tbsa.cli.completion import SCRIPTS
from garak_tbsa.cli.main import COMMANDS, main
from tests.programs import needed
from tests.pseudo_terminal import PseudoTerminal

ASK = {
    "bash": """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_garak_tbsa
printf '%s\\n' "${COMPREPLY[@]}"
""",
    # what zsh's own functions are asked for; they filter by what is typed
    "zsh": """\
compdef() { }
_files() { }
_describe() { [[ $1 == -o ]] && shift; print -rl -- ${${(@P)2}%%:*} }
compadd() { shift; print -rl -- "$@" }
source "$1"; shift
words=("$@"); CURRENT=$#
_garak_tbsa
""",
    "fish": """\
source $argv[1]
complete -C "$argv[2..-1]" | string replace -r '\\t.*' ''
true
""",
}
COMMAND = {
    "bash": ["bash", "--norc", "-c", ASK["bash"], "bash"],
    "zsh": ["zsh", "-f", "-c", ASK["zsh"], "zsh"],
    "fish": ["fish", "--no-config", "-c", ASK["fish"]],
}
INTERACTIVE = {
    "bash": """\
source {place}
PS1='ready> '
cd {folder}
""",
    "zsh": """\
fpath=({place.parent} $fpath)
autoload -Uz compinit && compinit -u -D
PROMPT='ready> '
cd {folder}
""",
    "fish": """\
function fish_prompt
    echo -n 'ready> '
end
cd {folder}
""",
}
"""What an interactive shell begins with."""

OWN_TERMINAL = """\
import os, sys
os.close(os.open(os.ttyname(0), os.O_RDWR))
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Shells that control jobs want their terminal to be that of their session."""


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    made = {}
    for shell, script in SCRIPTS.items():
        made[shell] = folder / shell
        made[shell].write_text(script(all_commands()) + "\n", encoding="utf-8")
    return made


def completed(shell: str, script: Path, *words: str) -> set[str]:
    needed(shell)
    done = subprocess.run(
        [*COMMAND[shell], script, "garak-tbsa", *words],
        cwd=script.parent,
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return {word for word in done.stdout.split() if word.startswith(words[-1])}


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_command_prints_the_script(
    shell: str, scripts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == scripts[shell].read_text("utf-8")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shell_can_read_the_script(shell: str, scripts: dict[str, Path]) -> None:
    subprocess.run([needed(shell), "-n", scripts[shell]], check=True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("sc",), {"score"}),
        (("",), set(COMMANDS)),
        (("score", "--fail"), {"--fail-under"}),
        (("score", "--formula", ""), {"documented", "garak"}),
        (("score", "a.report.jsonl", "--formula", "d"), {"documented"}),
        (("detectors", "r"), {"rank"}),
        (("detectors", "rank", "--j"), {"--json_output"}),
        (("baseline", "save", "--t"), {"--to", "--tiers"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("score", "--calibration", "r"), {"report"}),
        (("score", "--hits", ""), set()),
        (("score", "--hits", "5", "--fail"), {"--fail-under"}),
        (("score", "x"), set()),
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_shell_offers(
    shell: str, words: tuple[str, ...], offered: set[str], scripts: dict[str, Path]
) -> None:
    found = completed(shell, scripts[shell], *words)
    if words == ("completion", ""):
        found = {word for word in found if not word.startswith("-")}
    assert found == offered


@pytest.mark.parametrize("shell", SCRIPTS)
def test_every_option_of_every_command_is_completed(
    shell: str, scripts: dict[str, Path]
) -> None:
    for command in all_commands():
        flags = {flag for option in command.options for flag in option.flags}
        if flags:
            assert completed(shell, scripts[shell], *command.words, "-") == flags


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_real_shell_completes_at_the_tab_key(
    shell: str, scripts: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "only.report.jsonl").write_text("")
    with started(shell, scripts[shell], tmp_path) as terminal:
        terminal.wait_for("ready>")
        terminal.press("garak-tbsa ")
        # fish takes a tabulator with more behind it for pasted text: one at a time
        for typed, line in (
            ("exp", "explain"),
            ("--al", "explain --all"),
            ("onl", "explain --all only.report.jsonl"),
            ("\x15garak-tbsa score --hits ", "score --hits"),
            ("--html o", "score --hits --html only.report.jsonl"),
            ("\x15garak-tbsa detectors ra", "detectors rank"),
            ("--js", "detectors rank --json_output"),
            ("\x15garak-tbsa score --formula d", "score --formula documented"),
        ):
            terminal.press(f"{typed}\t")
            terminal.wait_for(f"ready> garak-tbsa {line}")


def started(shell: str, script: Path, folder: Path) -> PseudoTerminal:
    """A shell with the script where ``garak-tbsa completion --help`` puts it."""
    needed(shell)
    home = folder / "home"
    place = (
        home
        / {
            "bash": "garak-tbsa",
            "zsh": "functions/_garak_tbsa",
            "fish": "fish/completions/garak-tbsa.fish",
        }[shell]
    )
    start = (
        home / {"bash": "bashrc", "zsh": ".zshrc", "fish": "fish/config.fish"}[shell]
    )
    place.parent.mkdir(parents=True)
    shutil.copy(script, place)
    program = home / "bin" / "garak-tbsa"  # fish completes only what there is
    program.parent.mkdir()
    program.touch(0o755)
    start.write_text(INTERACTIVE[shell].format(place=place, folder=folder))
    options = {"bash": ("--noprofile", "--rcfile", str(start)), "zsh": ("-d",)}
    return PseudoTerminal(
        program=(
            sys.executable,
            "-c",
            OWN_TERMINAL,
            shell,
            *options.get(shell, ()),
            "-i",
        ),
        columns=100,
        environment={
            "HOME": str(home),
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "ZDOTDIR": str(home),
            "XDG_CONFIG_HOME": str(home),
            "XDG_DATA_HOME": str(home / "data"),
        },
    )
