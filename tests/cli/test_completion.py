# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A shell completes commands, options and values by the script that is printed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from garak_tbsa.cli.command_tree import all_commands
from garak_tbsa.cli.completion import SCRIPTS
from garak_tbsa.cli.main import COMMANDS, main
from tests.pseudo_terminal import PseudoTerminal

ASK = """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_garak_tbsa
printf '%s\\n' "${COMPREPLY[@]}"
"""
CHECK = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "-n"]}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    made = {}
    for shell, script in SCRIPTS.items():
        made[shell] = folder / shell
        made[shell].write_text(script(all_commands()) + "\n", encoding="utf-8")
    return made


def completed(script: Path, *words: str) -> set[str]:
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", script, "garak-tbsa", *words],
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_command_prints_the_script(
    shell: str, scripts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == scripts[shell].read_text("utf-8")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_the_shell_can_read_the_script(shell: str, scripts: dict[str, Path]) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell} here")
    subprocess.run([*CHECK[shell], scripts[shell]], check=True)


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
        (("help", "scor"), {"score"}),
        (("score", "--calibration", "r"), {"report"}),
        (("score", "--hits", ""), set()),
        (("score", "--html", ""), set()),
        (("score", "x"), set()),
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
def test_bash_offers(
    words: tuple[str, ...], offered: set[str], scripts: dict[str, Path]
) -> None:
    found = completed(scripts["bash"], *words)
    if words == ("completion", ""):
        found = {word for word in found if not word.startswith("-")}
    assert found == offered


def test_every_option_of_every_command_is_completed(scripts: dict[str, Path]) -> None:
    for command in all_commands():
        flags = {flag for option in command.options for flag in option.flags}
        if flags:
            assert completed(scripts["bash"], *command.words, "-") == flags
        for shell in ("zsh", "fish"):
            text = scripts[shell].read_text("utf-8")
            for flag in flags:
                named = flag if shell == "zsh" else flag.lstrip("-")
                assert named in text


def test_a_real_bash_completes_at_the_tab_key(
    scripts: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "only.report.jsonl").write_text("")
    start = tmp_path / "bashrc"
    start.write_text(f"source {scripts['bash']}\nPS1='ready> '\ncd {tmp_path}\n")
    bash = ("bash", "--noprofile", "--rcfile", str(start), "-i")
    with PseudoTerminal(program=bash, columns=100) as terminal:
        terminal.wait_for("ready>")
        terminal.press("garak-tbsa exp\t--al\tonl\t")
        terminal.wait_for("garak-tbsa explain --all only.report.jsonl")
        terminal.press("\x15garak-tbsa score --hits \t--html o\t")
        terminal.wait_for("garak-tbsa score --hits --html only.report.jsonl")
