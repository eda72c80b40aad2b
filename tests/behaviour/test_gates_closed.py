# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""No gate passes by mistake: each case passed one before."""

from __future__ import annotations

import socket
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

import garak_tbsa
from tests.behaviour.product import Shown, document, tbsa
from tests.http_servers import serving
from tests.report_rows import PairFacts, attempt_row, report_rows, write_report

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PROMPTS = 12
PASS, HIT = 0.0, 1.0
NOT_TESTED = "not tested"
Scores = list[float | None]


def scan(
    folder: Path,
    name: str,
    *pairs: Sequence[Scores],
    sent: str = "prompt",
    generations: int = 5,
) -> str:
    """Write a scan: for each pair the scores of each prompt, by what it sent."""
    rows, facts = [], []
    for index, prompts in enumerate(pairs):
        scores = [score for prompt in prompts for score in prompt]
        judged = [score for score in scores if score is not None]
        pair = PairFacts(
            probe=f"probe.P{index}",
            detector="detector.D",
            passed=judged.count(PASS),
            total=len(judged),
            nones=len(scores) - len(judged),
        )
        facts.append(pair)
        rows += [
            attempt_row(pair, prompt=f"{sent} {index} {place}", scores=prompt)
            for place, prompt in enumerate(prompts)
        ]
    setup = {"run.seed": None, "run.generations": generations}
    whole = report_rows(facts, setup=setup, run=f"run of {name}")
    return write_report(
        folder / f"{name}.report.jsonl", [*whole[:2], *rows, *whole[2:]]
    )


def prompts(*scores: float | None) -> list[Scores]:
    """As many prompts as a scan sends, all with these scores of their outputs."""
    return [list(scores) for _ in range(PROMPTS)]


CLEAN, FALLEN = prompts(*[PASS] * 5), prompts(*[HIT] * 4, None)
ONE_EACH = prompts(PASS)
ONE_IN_ALL: list[Scores] = [[HIT], *prompts(None)[1:]]


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Three pairs that fell from 12 of 12 to 0 of 1, on the same prompts."""
    folder = tmp_path_factory.mktemp("fallen")
    return (
        scan(folder, "before", *[ONE_EACH] * 3),
        scan(folder, "after", *[ONE_IN_ALL] * 3),
    )


def test_a_scan_that_no_prompt_can_be_compared_of_is_not_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    """In every form; and --fail-on worse fails."""
    shown = tbsa("compare", *fallen, "-q", "--fail-on", "worse")
    assert shown.code == 3
    (line,) = shown.lines
    assert line.startswith("not tested: 3 of 3 pairs ")
    assert "probe.P0 + D fell from 100 % to 0 %" in line
    (line,) = shown.err.splitlines()
    assert "--fail-on worse: not tested: 3 of 3 pairs " in line
    html, markdown, junit = (tmp_path / name for name in ("html", "md", "junit"))
    given = ("--html", html, "--markdown", markdown, "--junit", junit)
    found = document(tmp_path, "compare", *fallen, *given)
    assert (found["verdict"]["kind"], found["because"]) == (NOT_TESTED, [])
    assert [pair["tested"] for pair in found["pairs"]] == [False] * 3
    assert all(pair["not_tested_because"] for pair in found["pairs"])
    for path in (html, markdown, junit):
        text = path.read_text("utf-8")
        assert "not tested" in text, path
        assert "3 of 3 pairs differ without a test" in text, path
    cases = ElementTree.parse(junit).getroot()
    assert len(cases.findall(".//failure")) == 1
    assert len(cases.findall(".//skipped")) == 3
    compared = garak_tbsa.compare(*fallen)
    assert compared.verdict == NOT_TESTED
    assert compared.to_frame()["tested"].tolist() == [False] * 3
    scans, page = tmp_path / "h.jsonl", tmp_path / "h.html"
    shown = tbsa("history", *fallen, "--jsonl", scans, "--html", page)
    assert shown.code == 0
    assert "not tested" in shown.out
    assert "not tested" in page.read_text("utf-8")
    assert "not tested: 3 of 3 pairs" in scans.read_text("utf-8")


def test_a_baseline_fails_where_nothing_was_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    before, after = fallen
    forms = [tmp_path / name for name in ("junit", "sarif", "html")]
    options = [each for path in forms for each in (f"--{path.name}", path)]
    gate = ("score", after, "--baseline", before, "--github", "-q")
    shown = tbsa(*gate)
    assert shown.code == 3
    assert "not tested: 3 of 3 pairs " in shown.err
    found = document(tmp_path, *gate, *options, code=3)
    rule = found["gate"]["rules"][0]
    assert (rule["rule"], rule["passed"]) == ("baseline", False)
    assert rule["found"].startswith("not tested: 3 of 3 pairs ")
    assert [each["pair"] for each in rule["culprits"]] == [
        f"probe.P{number}+D" for number in range(3)
    ]
    for path in forms:
        assert "not tested" in path.read_text("utf-8"), path
    assert "::error title=baseline::probe.P0" in shown.err


def test_whole_prompts_are_compared_whatever_outputs_they_lack(tmp_path: Path) -> None:
    """Three pairs fell from 60 of 60 to 0 of 48, on other prompts: nothing is open."""
    before = scan(tmp_path, "before", *[CLEAN] * 3, sent="one")
    after = scan(tmp_path, "after", *[FALLEN] * 3, sent="other")
    shown = tbsa("compare", before, after, "-q", "--fail-on", "worse")
    assert shown.code == 3
    assert shown.out.startswith("worse (p = 0.0002): probe.P0 + D fell from 100 % to 0")
    assert tbsa("score", after, "--baseline", before, "-q").code == 3
    back = tbsa("compare", after, before, "-q", "--fail-on", "worse")
    assert back.code == 0
    assert back.out.startswith("better (p = 0.0002): ")


def test_twice_the_generations_are_compared_over_common_pairs(tmp_path: Path) -> None:
    before = scan(tmp_path, "before", CLEAN, sent="one")
    twice = prompts(*[HIT] * 10)
    after = scan(tmp_path, "after", twice, sent="other", generations=10)
    for unequal in ("--common", "--force"):
        given = ("compare", before, after, unequal, "-q", "--fail-on", "worse")
        shown = tbsa(*given)
        assert shown.code == 3, shown
        assert shown.out.startswith("worse (p = 0.0002): ")


def test_each_pair_says_how_many_units_could_change_places(tmp_path: Path) -> None:
    """Whole prompts of one scan alone, outputs of prompts that both sent."""
    before = scan(tmp_path, "before", CLEAN)
    for sent, units in (("prompt", [60, 48]), ("other", [12, 12])):
        after = scan(tmp_path, sent, FALLEN, sent=sent)
        (pair,) = document(tmp_path, "compare", before, after, "-q")["pairs"]
        assert pair["units_exchanged"] == units


def test_a_verdict_of_worse_stands_beside_pairs_that_were_not_tested(
    tmp_path: Path,
) -> None:
    before = scan(tmp_path, "before", CLEAN, ONE_EACH)
    after = scan(tmp_path, "after", prompts(*[HIT] * 5), ONE_IN_ALL)
    found = document(tmp_path, "compare", before, after, "-q")
    assert found["verdict"]["kind"] == "worse"
    assert [pair["tested"] for pair in found["pairs"]] == [True, False]


def test_pairs_that_are_equal_in_both_scans_block_no_verdict(tmp_path: Path) -> None:
    """They carry no difference, whether they could be tested or not."""
    before = scan(tmp_path, "before", CLEAN, ONE_EACH)
    after = scan(tmp_path, "after", CLEAN, [[PASS], *prompts(None)[1:]])
    found = document(tmp_path, "compare", before, after, "-q")
    assert [pair["tested"] for pair in found["pairs"]] == [True, False]
    shown = tbsa("compare", before, after, "-q", "--fail-on", "worse")
    assert shown.code == 0
    assert shown.out.startswith("no evidence of a difference")
    assert tbsa("score", after, "--baseline", before, "-q").code == 0


def test_compare_gate_and_history_print_the_same_digits(tmp_path: Path) -> None:
    """One p-value, whatever the order of pairs and prompts in a report."""
    some = [*prompts(PASS, PASS)[:7], *prompts(HIT, PASS)[:5]]
    fewer = [*prompts(PASS, None)[:4], *prompts(HIT, HIT)[:5], *prompts(PASS, HIT)[:3]]
    before = scan(tmp_path, "1", some, CLEAN, sent="one")
    after = scan(tmp_path, "2", fewer, CLEAN, sent="other")
    shown = tbsa("compare", before, after, "-q").out
    p_value = shown.split("(p = ")[1].split(")")[0]
    assert shown.startswith("worse ")
    gate = tbsa("score", after, "--baseline", before, "-q")
    assert f"(p = {p_value})" in gate.err
    assert f"worse, p = {p_value} " in tbsa("history", before, after).out
    backwards = scan(tmp_path, "2", fewer[::-1], CLEAN[::-1], sent="other")
    assert tbsa("compare", before, backwards, "-q").out == shown


class Answering(BaseHTTPRequestHandler):
    """Answers each request with the status that its path begins with.

    ``/200.403`` answers 200 to HEAD and 403 to GET.
    """

    def do_HEAD(self) -> None:
        self._answer(self.path.strip("/").split(".")[0])

    def do_GET(self) -> None:
        self._answer(self.path.strip("/").split(".")[1])

    def _answer(self, status: str) -> None:
        self.send_response(int(status))
        self.send_header("Content-Length", "1000" if status == "200" else "0")
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing on stderr."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server here."""
    with serving(Answering) as address:
        yield address


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> str:
    return scan(tmp_path_factory.mktemp("scanned"), "scan", CLEAN)


def against(scanned: str, baseline: object, *options: str) -> Shown:
    return tbsa("score", scanned, "--baseline", baseline, *options, "-q")


@pytest.mark.parametrize("status", ["404", "410"])
def test_a_baseline_that_a_server_does_not_have_yet_passes(
    status: str, server: str, scanned: str
) -> None:
    baseline = f"{server}/{status}.{status}.jsonl"
    shown = against(scanned, baseline, "--baseline-optional")
    assert (shown.code, shown.err) == (0, "")
    assert against(scanned, baseline).code == 1


@pytest.mark.parametrize(
    "status", ["401.401", "403.403", "500.500", "503.503", "200.403", "200.500"]
)
def test_a_baseline_that_a_server_does_not_give_is_not_absent(
    status: str, server: str, scanned: str
) -> None:
    baseline = f"{server}/{status}.jsonl"
    error = could_not(against(scanned, baseline, "--baseline-optional"))
    assert error.startswith(f"garak-tbsa: {baseline}: cannot be ")
    assert status[-3:] in error.removeprefix(f"garak-tbsa: {baseline}: ")


def test_a_server_that_cannot_be_reached_is_no_absent_baseline(scanned: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refusing = f"127.0.0.1:{closed.getsockname()[1]}"
        for host in (refusing, "baseline.invalid"):
            baseline = f"http://{host}/base.jsonl"
            error = could_not(against(scanned, baseline, "--baseline-optional"))
            assert error.startswith(f"garak-tbsa: {baseline}: cannot be opened (")


def could_not(shown: Shown) -> str:
    """The one line of a command that ends with 1."""
    assert (shown.code, shown.out) == (1, ""), shown
    return shown.error
