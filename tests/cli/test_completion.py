# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A shell completes commands, options and values by the script that is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import shtab

from tests.behaviour.product import tbsa
from tests.programs import needed

SHELLS = ("bash", "zsh", "fish")

ASK = {
    "bash": """\
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_shtab_garak_tbsa
printf '%s\\n' "${COMPREPLY[@]}"
""",
    "fish": """\
source $argv[1]
complete -C "$argv[2..-1]" | string replace -r '\\t.*' ''
true
""",
}
COMMAND = {
    "bash": ["bash", "--norc", "-c", ASK["bash"], "bash"],
    "fish": ["fish", "--no-config", "-c", ASK["fish"]],
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("completion")
    (folder / "only.report.jsonl").touch()
    made = {}
    for shell in SHELLS:
        made[shell] = folder / f".{shell}"
        made[shell].write_text(tbsa("completion", shell).out)
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
    return set(done.stdout.split())


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_the_script(shell: str, scripts: dict[str, Path]) -> None:
    subprocess.run([needed(shell), "-n", scripts[shell]], check=True)


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("sc",), {"score"}),
        (("score", "--fail"), {"--fail-under"}),
        (("score", "--repeat", ""), {"same-prompts", "fresh-prompts"}),
        (("score", "a.report.jsonl", "--repeat", "s"), {"same-prompts"}),
        (("score", "only"), {"only.report.jsonl"}),
        (("score", "--html", "only"), {"only.report.jsonl"}),
        (("score", "--baseline", "only"), {"only.report.jsonl"}),
        (("compare", "a.report.jsonl", "only"), {"only.report.jsonl"}),
        (("detectors", "ra"), {"rank"}),
        (("detectors", "rank", "--j"), {"--json_output"}),
        (("completion", ""), set(SHELLS)),
        (("score", "--hits", "5", "--fail"), {"--fail-under"}),
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
@pytest.mark.parametrize("shell", COMMAND)
def test_a_shell_offers(
    shell: str, words: tuple[str, ...], offered: set[str], scripts: dict[str, Path]
) -> None:
    assert completed(shell, scripts[shell], *words) == offered


def test_a_shell_needs_a_shtab_that_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shtab, "SUPPORTED_SHELLS", ["bash", "zsh", "tcsh"])
    assert tbsa("completion", "fish") == (
        2,
        "",
        f"garak-tbsa: shtab {shtab.__version__} has no completion for fish, only for"
        " bash, zsh, tcsh; pip install --upgrade shtab\n",
    )
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert tbsa("completion", "bash") == (
        1,
        "",
        "garak-tbsa: completion needs shtab, which is not installed;"
        " pip install shtab\n",
    )
