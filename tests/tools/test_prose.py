# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The check of our prose finds what it is for, where it is, and nothing in code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.prose import __main__ as prose
from tools.prose.findings import find
from tools.prose.passages import read_passages
from tools.prose.rules import LEFT_OUT, MOST_WORDS, PROSELINT

REFUSED = {
    "This mends the page.": "'mends': write fix, correct or repair",
    "Scores are made anew.": "'anew': write again",
    "It seldom fails.": "'seldom': write rarely",
    "People to whom it matters.": "'whom': write who or that",
    "The name thereof is known.": "'thereof': write of it",
    "A dash stands for nothing.": "'stands': write is, means",
    "The law of a pass count.": "'law': write distribution",
    "It waits for ever.": "'for ever' is archaic.",
    "Simply run it.": "'Simply': write nothing: leave it out",
    "The labeled rows.": "'labeled': we spell it labelled",
    "Its behavior differs.": "'behavior': we spell it -our-",
    "We normalize the text.": "'normalize': we spell it -ise",
    "It is the the same.": "a phrase is repeated",
    "It is a blessing in disguise.": "is a cliché",
}
"""Sentences, each with part of what is said of it."""


def found_in(tmp_path: Path, text: str, name: str = "page.md") -> list[str]:
    """What is found in a file with this text: ``LINE: RULE: MESSAGE``."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    start = len(f"{path}:")
    return [str(finding)[start:] for finding in find(read_passages(path))]


@pytest.mark.parametrize(("sentence", "message"), REFUSED.items())
def test_a_bad_sentence_is_found_on_its_line(
    tmp_path: Path, sentence: str, message: str
) -> None:
    page = f"# A page\n\nThe first one is\nplain English.\n\n- A point.\n  {sentence}\n"
    found = found_in(tmp_path, page)
    assert len(found) == 1, found
    assert found[0].startswith("7: ")
    assert message in found[0]


def test_a_long_sentence_is_found_and_two_short_ones_are_not(tmp_path: Path) -> None:
    """A sentence has at most :data:`MOST_WORDS` words."""
    words = " ".join(f"w{number}" for number in range(MOST_WORDS))
    assert found_in(tmp_path, f"{words.capitalize()}.\n") == []
    assert found_in(tmp_path, f"A {words}.\n") == [
        f"1: ours.long: a sentence of {MOST_WORDS + 1} words (A w0 w1 w2 ...):"
        f" make two of it; at most {MOST_WORDS}"
    ]
    assert found_in(tmp_path, f"A {words[:60]}. And {words[60:]}.\n") == []
    assert found_in(tmp_path, f"A {words[:60]}. garak {words[60:]}.\n") == []


def test_code_and_output_on_a_page_are_not_prose(tmp_path: Path) -> None:
    page = (
        "Run `mend anew`, or:\n\n```console\n$ whom\nseldom\n```\n\n"
        "    indented, seldom\n\n<!-- seldom -->\n\n| `whom` | row |\n| --- | --- |\n\n"
        "<!-- made by us: do not edit below -->\n\nIt is made anew.\n"
    )
    assert found_in(tmp_path, page) == []


def test_docstrings_and_messages_are_read_and_names_are_not(tmp_path: Path) -> None:
    module = '''"""A module.

    Parameters
    ----------
    anew : int
        What it mends.
    """

anew = f"the file {__name__} is\\n" + f"seldom read by {__name__} here"
key = "anew"  # seldom
'''
    assert [line[:13] for line in found_in(tmp_path, module, "module.py")] == [
        "6: ours.words",
        "9: ours.words",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "page.html",
            "<style>x{}</style>\n<p class='anew'>It is <b>done</b> anew.</p>",
        ),
        ("page.js", 'const anew = "anew";\nsay(`Scores are made anew ${here}`);'),
        ("action.yml", "run: the scores anew again\ndescription: scores are made anew"),
        ("a.schema.json", '{"$id": "made anew by us",\n "title": "scores made anew"}'),
    ],
)
def test_texts_of_pages_scripts_and_settings_are_read(
    tmp_path: Path, name: str, text: str
) -> None:
    assert [line[:14] for line in found_in(tmp_path, text, name)] == ["2: ours.words:"]


def test_the_command_fails_on_a_bad_page_and_passes_a_good_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.md", tmp_path / "good.md"
    bad.write_text("Scores are made anew.\n", encoding="utf-8")
    good.write_text("Scores are made again.\n", encoding="utf-8")
    assert prose.main([str(good)]) == 0
    assert prose.main([str(good), str(bad)]) == 1
    printed = capsys.readouterr()
    assert printed.out == f"{bad}:1: ours.words: 'anew': write again\n"
    assert printed.err == "1 to rewrite; the rules are in tools/prose\n"


def test_what_users_read_is_checked() -> None:
    names = {path.relative_to(prose.ROOT).as_posix() for path in prose.pages()}
    assert names > {
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "docs/tutorial.md",
        "docs/how_to/ci.md",
        "garak_tbsa/api.py",
        "garak_tbsa/tbsa/outputs/templates/score.html",
        "garak_tbsa/tbsa/outputs/score.schema.json",
        "action.yml",
    }
    made = {"docs/_build", "garak_tbsa/data"}
    for named in set(prose.NOT_OURS) - made:
        assert (prose.ROOT / named).exists()


def test_each_check_that_is_left_out_is_one_of_proselints() -> None:
    for path in LEFT_OUT:
        assert any(check.matches_partial(path) for check in PROSELINT), path
