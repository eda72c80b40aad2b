# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``help WORD`` explains commands, options and words; the manual page has them all."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from garak_tbsa.cli.command_tree import all_commands
from garak_tbsa.cli.main import main
from garak_tbsa.cli.man import page, roff
from garak_tbsa.cli.words import all_words, by_name


def told(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["help", *words]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("explain",), "usage: garak-tbsa explain"),
        (("detectors",), "  rank        order the detectors"),
        (("detectors", "rank"), "usage: garak-tbsa detectors rank"),
        (("rank",), "usage: garak-tbsa detectors rank"),
        (("baseline", "save"), "usage: garak-tbsa baseline save"),
        (("--fail-under",), "--fail-under "),
        (("fail-under",), "--fail-under "),
        (("-j",), "(score, explain, compare, plan, audit)"),
        (("tier",), "tier: How much a probe matters"),
        (("DEFCON",), "DEFCON: A grade from 1 (awful) to 5 (great)."),
        (("calibration",), "calibration: The mean (mu)"),
        (("digest",), "It is not a hash."),
        (("pass", "rate"), "pass: An output that is not a hit."),
        (("baseline",), "usage: garak-tbsa baseline"),
        (("words",), "tier: How much"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_asked_for_is_explained(
    words: tuple[str, ...], shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown in told(*words, capsys=capsys)


def test_a_word_and_a_command_of_one_name_are_both_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = told("baseline", capsys=capsys)
    assert shown.startswith("baseline: A report that later scans are compared with")
    assert "usage: garak-tbsa baseline" in shown


@pytest.mark.parametrize(
    ("words", "hint"),
    [(("defkon",), "DEFCON"), (("detectors", "rnk"), ""), (("--hitz",), "--hits")],
)
def test_what_is_unknown_is_a_usage_error(
    words: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["help", *words]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(
        f"garak-tbsa: '{' '.join(words)}' is not a command, an option"
    )
    assert "`garak-tbsa help words` the words" in shown
    assert hint.casefold() in shown.casefold()


def test_each_name_means_one_word() -> None:
    """No name is given twice, words are sorted, and each says a whole sentence."""
    words = all_words()
    names = [name.casefold() for word in words for name in (word.word, *word.also)]
    assert len(names) == len(set(names)) == len(by_name())
    assert [word.word.casefold() for word in words] == sorted(
        word.word.casefold() for word in words
    )
    assert all(word.text.endswith(".") and len(word.text) < 400 for word in words)


def test_the_manual_page_has_every_command_option_and_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["man"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(".TH GARAK-TBSA 1 ")
    for command in all_commands()[1:]:
        assert f".SS {roff(f'garak-tbsa {command.name}')}\n" in shown
        for option in command.options:
            assert all(rf"\fB{roff(flag)}\fR" in shown for flag in option.flags)
    for word in all_words():
        assert f".B {roff(word.word)}\n" in shown


def test_the_manual_page_is_what_groff_can_read() -> None:
    if shutil.which("groff") is None:
        pytest.skip("there is no groff here")
    done = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-P-c"],
        input=page(),
        capture_output=True,
        check=True,
        encoding="utf-8",
    )
    assert done.stderr == ""
    plain = re.sub(".\x08", "", done.stdout)  # bold is a letter printed twice
    assert "garak-tbsa detectors evaluate" in plain
    assert "--fail-under " in plain


def test_man_shows_the_page() -> None:
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("there is no man here")
    done = subprocess.run(
        ["man", "-l", "-"], input=page(), capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert "GARAK-TBSA(1)" in done.stdout


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (".TH x", r"\&.TH x"),
        ("'so x", r"\&'so x"),
        (r"a\b-c", r"a\eb\-c"),
        ("α", r"\[u03B1]"),
    ],
)
def test_text_is_no_command_to_man(text: str, shown: str) -> None:
    assert roff(text) == shown


def test_the_words_are_one_data_file() -> None:
    from importlib import resources

    content = (resources.files("garak_tbsa.cli") / "words.json").read_text("utf-8")
    assert [entry["word"] for entry in json.loads(content)] == [
        word.word for word in all_words()
    ]
