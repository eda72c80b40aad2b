# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Text of strangers: shown as text everywhere, and as nothing else anywhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.behaviour.pages import controls, joined, rows_of
from tests.behaviour.product import GOLD, tbsa
from tests.behaviour.schemas import assert_keeps_schema
from tests.page_parser import Page
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

TEXTS = {
    "link markup": "[link=https://evil.example]click[/link]",
    "closing markup": "[/foo]",
    "colour markup": "[bold red]all is well[/]",
    "emoji name": ":skull: :warning:",
    "escape sequences": "\x1b[2J\x1b]0;owned\x07\x1b[31m",
    "eight bit escape": "\x9b31m\x9d0;owned\x9c",
    "bidirectional": "\u202eevil\u202c \u2066x\u2069",
    "template": "{{7*7}} {% raw %} ${7*7} #{7*7}",
    "table and code": "|a|`b`| ```c``` |",
    "HTML": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": '" onmouseover="alert(1)" x=\'',
    "entities": "&lt;b&gt; &amp; &#60;",
    "comment and CDATA": "<!-- --> ]]> <![CDATA[ </textarea></title></style>",
    "Markdown": "![x](https://evil.example/x.png) [y](javascript:alert(1)) # z **w**",
    "lines": "one\r\ntwo\n::error::injected\u2028three\x85four",
    "workflow command": "::error file=a,line=1::injected %0A::set-output name=x::y",
    "noncharacters": "\ufffd\ufeff\u200b\x00\x7f\uffff\U0001f480",
}


HARMLESS = [f"x{place}" for place in range(len(TEXTS))]
PRINTABLE = [text for text in TEXTS.values() if text.isprintable()]


def hostile(folder: Path, texts: Iterable[str] = TEXTS.values(), **more: Any) -> Path:
    """A report that holds texts in every place that a stranger can write to.

    Each text is in a pair of its own, both of whose outputs are hits.
    """
    texts = [*texts]
    pairs = [
        PairFacts(probe=f"mod.P{text}", detector=f"det.D{text}", passed=0, total=2)
        for text in texts
    ]
    others = [PairFacts(probe=f"other.{text}", tier=3) for text in texts]
    setup = {name: "".join(texts) for name in ("plugins.target_name", "run.probe_tags")}
    attempts = [
        attempt_row(
            facts,
            prompt=f"ask {text}",
            scores=[1.0, 1.0],
            outputs=[f"said {text}", text],
            uuid=f"abcde{place:03d}",
        )
        for place, (facts, text) in enumerate(zip(pairs, texts, strict=True))
    ]
    rows = report_rows(
        [*pairs, *others],
        attempts=attempts,
        setup=setup | {"run.langproviders": [{text: text} for text in texts]},
        **more,
    )
    if rows[-1]["entry_type"] == "digest":
        rows[-1]["meta"]["target_name"] = "".join(texts)
    folder.mkdir(exist_ok=True)
    return Path(write_report(folder / "scan.report.jsonl", rows))


COMMANDS: dict[str, list[str]] = {
    "score": ["score", "-v", "--explain-checksum"],
    "gate": ["score", "--no-interval", "--fail-under", "5", "--github"],
    "quiet": ["score", "-q", "--require-tier1-grade", "5", "--github"],
    "explain": ["explain", "--all", "--hits", "2"],
    "history": ["history", "--no-interval"],
}


def test_a_terminal_shows_it_and_obeys_nothing(tmp_path: Path) -> None:
    path = hostile(tmp_path)
    shown = {name: tbsa(*command, path) for name, command in COMMANDS.items()}
    shown["compare"] = tbsa("compare", path, path)
    gold = GOLD / "hostile-text.report.jsonl"
    shown["several"] = tbsa("score", "-v", path, gold)
    shown["gold"] = tbsa("score", "-v", "--explain-checksum", gold)
    shown["gold hits"] = tbsa("explain", "--all", "--hits", "3", gold)
    # the target's name holds a line that looks like ours
    assert [line for line in shown["gold"].lines if line[:9] == "TBSA: 5.0"] == []
    codes = {name: each.code for name, each in shown.items()}
    assert codes == dict.fromkeys(shown, 0) | {"gate": 3, "quiet": 3}
    for place, text in enumerate(TEXTS.values()):
        whole = tbsa("show", path, f"abcde{place:03d}")
        assert whole.code == 0
        assert controls(whole.out) == set()
        if text in PRINTABLE:
            assert joined(f"said {text}") in joined(whole.out)
        if text == TEXTS["lines"]:
            said = [line[4:] for line in whole.lines if line.startswith("  | ")]
            rest = ["two", "::error::injected\\u2028three\\x85four"]
            assert said == ["ask one", *rest, "said one", *rest, "one", *rest]
    for each in shown.values():
        printed = (each.out + each.err).replace("\n", "").replace("\ufe0f", "")
        assert printed.isprintable()
    for name in ("score", "explain"):
        found = joined(shown[name].out)
        assert [text for text in PRINTABLE if joined(text) not in found] == []


def test_a_workflow_command_cannot_be_put_into_a_line(tmp_path: Path) -> None:
    titles = {}
    for text in (*TEXTS.values(), "x"):
        shown = tbsa(*COMMANDS["quiet"], hostile(tmp_path, [text]))
        lines = [line.strip() for line in (shown.out + shown.err).splitlines()]
        # ::error title=a title::a message
        titles[text] = [line.split("::")[1] for line in lines if line[:2] == "::"]
    assert len(titles["x"]) > 0
    assert all(title.startswith("error title=") for title in titles["x"])
    assert titles == dict.fromkeys(titles, titles["x"])


COMMAND_TEXTS = (
    "##vso[task.setvariable variable=x]injected",
    "##[error]injected",
    "one\n::error::injected\n  ::add-mask::two",
)


def test_what_goes_to_standard_output_commands_no_runner(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The same JSON and XML as in a file, in other words for some characters."""
    report = hostile(tmp_path / "given", COMMAND_TEXTS)
    scan = ["score", report]
    for command, options in (
        (scan, ["-j", "--html", "--markdown", "--junit", "--sarif"]),
        (["compare", report, report], ["-j", "--html", "--markdown", "--junit"]),
        (["history", report.parent], ["--jsonl", "--html"]),
        (["explain", report, "--hits", "2"], ["-j"]),
        (["show", report, "abcde000"], []),
        (["score", "-v", report], []),
    ):
        for option in options or [""]:
            given = [option, "-"] if option else []
            out = tbsa(*command, *given).out
            # files go past the stream, to the descriptor
            out += capfd.readouterr().out
            assert "injected" in out
            lines = out.split("\n")
            assert not [each for each in lines if each.lstrip().startswith("::")]
            assert "##[" not in out, (command, option)
            assert "##vso[" not in out, (command, option)
            if not option:
                continue
            file = tmp_path / "in a file"
            assert tbsa(*command, option, file).code == 0
            text = file.read_text("utf-8")
            file.unlink()
            if option in ("-j", "--sarif"):
                assert json.loads(out) == json.loads(text)
            elif option == "--junit":
                found, expected = map(ElementTree.fromstring, (out, text))
                assert ElementTree.tostring(found) == ElementTree.tostring(expected)


def test_a_page_shows_it_and_runs_nothing(tmp_path: Path) -> None:
    path, harmless = hostile(tmp_path / "a"), hostile(tmp_path / "b", HARMLESS)
    page = tmp_path / "o.html"
    for command, times in (("score", 1), ("compare", 2), ("history", 1)):
        found, known = (
            Page(written(page, [command, *[report] * times, "--html", page]))
            for report in (path, harmless)
        )
        assert found.elements == known.elements
        assert found.attributes == known.attributes
        assert found.raw == known.raw
        assert not any("evil" in address for address in found.addresses)
        assert controls(found.shown) == set()
        if command == "score":
            shown = joined(found.text)
            assert [text for text in PRINTABLE if joined(text) not in shown] == []


def written(output: Path, command: list[object]) -> str:
    """What a command wrote."""
    shown = tbsa(*command)
    assert shown.code == 0, shown
    return output.read_text(encoding="utf-8")


def test_documents_hold_it_and_stay_valid(tmp_path: Path) -> None:
    for digest in (True, False):
        path = hostile(tmp_path, digest=digest)
        junit, sarif = tmp_path / "o.xml", tmp_path / "o.sarif"
        output = tmp_path / "o.json"
        shown = tbsa(
            *("score", "-q", "--fail-under", "5", path, "--junit", junit),
            *("--sarif", sarif, "-j", output),
        )
        assert shown.code == 3
        found = json.loads(output.read_text(encoding="utf-8"))
        assert_keeps_schema(found, "score.schema.json")
        assert [pair["passed"] for pair in found["pairs"]] == [0] * len(TEXTS)
        assert (found["tbsa"], len(found["left_out"])) == (1.0, len(TEXTS))
        root = ElementTree.parse(junit).getroot()
        cases = {case.get("name") for case in root.iter("testcase")}
        assert len(cases) == 2 * len(TEXTS) + 2
        results = json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]
        assert len(results) == len(TEXTS) + 1
        probes = {pair["probe"] for pair in found["pairs"]}
        assert [text for text in PRINTABLE if f"mod.P{text}" not in probes] == []
        assert [
            text for text in PRINTABLE if f"mod.P{text}+det.D{text}" not in cases
        ] == []


def test_markdown_stays_in_its_cells_and_makes_no_link(tmp_path: Path) -> None:
    output, given = tmp_path / "o.md", ["--no-interval", "--min-coverage", "0"]
    found, known = (
        written(
            output,
            ["score", hostile(tmp_path, texts), *given, "--markdown", output],
        )
        for texts in (TEXTS.values(), HARMLESS)
    )
    assert controls(found) == set()
    widths = [[len(row) for row in rows_of(text)] for text in (found, known)]
    assert widths[0] == widths[1]
    assert len(found.splitlines()) == len(known.splitlines())
    for opening in ("](http", "](java", "<script", "<img", "<!--", "<![", "<b>"):
        assert found.count(opening) == known.count(opening)
