# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""No gate passes by mistake: each case passed one before, or let a wrong setting be."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
import yaml

import garak_tbsa
from tests.behaviour.garak_runs import garak, many, our_errors, small_scan
from tests.behaviour.product import Shown, document, tbsa
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
    whole = report_rows(facts, setup=setup)
    return write_report(
        folder / f"{name}.report.jsonl", [*whole[:2], *rows, *whole[2:]]
    )


def prompts(*scores: float | None) -> list[Scores]:
    """As many prompts as a scan sends, all with these scores of their outputs."""
    return [list(scores) for _ in range(PROMPTS)]


CLEAN, FALLEN = prompts(*[PASS] * 5), prompts(*[HIT] * 4, None)
ONE_EACH = prompts(PASS)
ONE_IN_ALL: list[Scores] = [[HIT], *prompts(None)[1:]]


@pytest.fixture
def fallen(tmp_path: Path) -> tuple[str, str]:
    """Three pairs that fell from 12 of 12 to 0 of 1, on the same prompts."""
    return (
        scan(tmp_path, "before", *[ONE_EACH] * 3),
        scan(tmp_path, "after", *[ONE_IN_ALL] * 3),
    )


def test_a_scan_that_no_prompt_can_be_compared_of_is_not_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    shown = tbsa("compare", *fallen, "-q")
    assert shown.code == 0
    (line,) = shown.lines
    assert line.startswith("not tested: 3 of 3 pairs ")
    assert "probe.P0 + D fell from 100 % to 0 %" in line
    found = document(tmp_path, "compare", *fallen, "-q")
    assert found["verdict"]["kind"] == NOT_TESTED
    assert found["because"] == []
    assert [pair["tested"] for pair in found["pairs"]] == [False] * 3
    assert all(pair["not_tested_because"] for pair in found["pairs"])


def test_fail_on_worse_fails_where_nothing_was_tested(
    fallen: tuple[str, str],
) -> None:
    shown = tbsa("compare", *fallen, "-q", "--fail-on", "worse")
    assert shown.code == 3
    (line,) = shown.err.splitlines()
    assert "--fail-on worse: not tested: 3 of 3 pairs " in line


def test_a_baseline_fails_where_nothing_was_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    before, after = fallen
    forms = {
        form: tmp_path / f"forms.{form}" for form in ("json", "junit", "sarif", "html")
    }
    shown = tbsa(
        *("score", after, "--baseline", before, "--github", "-q"),
        *(part for form, path in forms.items() for part in (OPTIONS[form], path)),
    )
    assert shown.code == 3
    assert "not tested: 3 of 3 pairs " in shown.err
    rules = json.loads(forms["json"].read_text("utf-8"))["gate"]["rules"]
    (rule,) = [rule for rule in rules if rule["rule"] == "baseline"]
    assert not rule["passed"]
    assert "not tested: 3 of 3 pairs " in rule["found"]
    for form in ("junit", "sarif", "html"):
        assert "not tested" in forms[form].read_text("utf-8"), form
    assert "::error title=baseline::probe.P0" in shown.err


OPTIONS = {
    "json": "-j",
    "junit": "--junit",
    "sarif": "--sarif",
    "html": "--html",
    "markdown": "--markdown",
}


def test_every_form_of_a_comparison_says_that_nothing_was_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    forms = {form: tmp_path / f"c.{form}" for form in ("junit", "html", "markdown")}
    given = (part for form, path in forms.items() for part in (OPTIONS[form], path))
    shown = tbsa("compare", *fallen, *given)
    assert shown.code == 0
    assert " ".join(shown.out.split()).startswith("not tested: 3 of 3 pairs ")
    for path in forms.values():
        text = path.read_text("utf-8")
        assert "not tested" in text, path
        assert "3 of 3 pairs differ without a test" in text, path
    junit = ElementTree.parse(forms["junit"]).getroot()
    assert len(junit.findall(".//failure")) == 1
    assert len(junit.findall(".//skipped")) == 3


def test_a_history_and_python_say_that_nothing_was_tested(
    fallen: tuple[str, str], tmp_path: Path
) -> None:
    assert garak_tbsa.compare(*fallen).verdict == NOT_TESTED
    frame = garak_tbsa.compare(*fallen).to_frame()
    assert frame["tested"].tolist() == [False] * 3
    gate = garak_tbsa.score(fallen[1], baseline=fallen[0]).gate
    assert gate is not None
    assert not gate.passed
    scans, page = tmp_path / "h.jsonl", tmp_path / "h.html"
    forms = ("--jsonl", scans, "--html", page)
    shown = tbsa("history", *fallen, *forms)
    assert shown.code == 0
    assert "not tested" in shown.out
    assert "not tested" in page.read_text("utf-8")
    assert "not tested: 3 of 3 pairs" in scans.read_text("utf-8")


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
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as answering:
        Thread(target=answering.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{answering.server_port}"
        answering.shutdown()


@pytest.fixture
def scanned(tmp_path: Path) -> str:
    return scan(tmp_path, "scan", CLEAN)


@pytest.mark.parametrize("status", ["404", "410"])
def test_a_baseline_that_a_server_does_not_have_yet_passes(
    status: str, server: str, scanned: str
) -> None:
    baseline = f"{server}/{status}.{status}.jsonl"
    given = ("score", scanned, "--baseline", baseline, "--baseline-optional", "-q")
    shown = tbsa(*given)
    assert (shown.code, shown.err) == (0, "")
    assert tbsa(*[part for part in given if part != "--baseline-optional"]).code == 1


@pytest.mark.parametrize(
    "status", ["401.401", "403.403", "500.500", "503.503", "200.403", "200.500"]
)
def test_a_baseline_that_a_server_does_not_give_is_not_absent(
    status: str, server: str, scanned: str
) -> None:
    baseline = f"{server}/{status}.jsonl"
    given = ("--baseline", baseline, "--baseline-optional", "-q")
    error = could_not(tbsa("score", scanned, *given))
    assert error.startswith(f"garak-tbsa: {baseline}: cannot be ")
    assert status[-3:] in error.removeprefix(f"garak-tbsa: {baseline}: ")


def test_a_server_that_cannot_be_reached_is_no_absent_baseline(scanned: str) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        refusing = f"127.0.0.1:{closed.getsockname()[1]}"
        for host in (refusing, "baseline.invalid"):
            baseline = f"http://{host}/base.jsonl"
            given = ("--baseline", baseline, "--baseline-optional", "-q")
            error = could_not(tbsa("score", scanned, *given))
            assert error.startswith(f"garak-tbsa: {baseline}: cannot be opened (")


def test_a_local_baseline_that_is_not_there_yet_passes(
    scanned: str, tmp_path: Path
) -> None:
    given = ("score", scanned, "--baseline-optional", "-q", "--baseline")
    assert tbsa(*given, tmp_path / "none.jsonl").code == 0
    (tmp_path / "broken.jsonl").write_text("{")
    (tmp_path / "empty.jsonl").touch()
    for name in ("broken.jsonl", "empty.jsonl", "scan.report.jsonl/below"):
        could_not(tbsa(*given, tmp_path / name))


def could_not(shown: Shown) -> str:
    """The one line of a command that ends with 1."""
    assert (shown.code, shown.out) == (1, ""), shown
    return shown.error


GATE = {"fail_under": 5}
MISPLACED: dict[str, tuple[object, str, str]] = {
    # case: (configuration, what is named, what was meant)
    "a key": ({"reporting": GATE}, "reporting.fail_under", "reporting.tbsa.fail_under"),
    "each key": (
        {"reporting": {"min_coverage": 1.0, "report_prefix": None}},
        "reporting.min_coverage",
        "reporting.tbsa.min_coverage",
    ),
    "a common word": (
        {"reporting": {"baseline": "last.report.jsonl"}},
        "reporting.baseline",
        "reporting.tbsa.baseline",
    ),
    "a dash": (
        {"reporting": {"Fail-Under": 5}},
        "reporting.Fail-Under",
        "reporting.tbsa.fail_under",
    ),
    "a section of garak's": (
        {"run": {"fail_under": 5}},
        "run.fail_under",
        "reporting.tbsa.fail_under",
    ),
    "plugins": ({"plugins": {"tbsa": GATE}}, "plugins.tbsa", "reporting.tbsa"),
    "one edit": ({"reporting": {"tbza": GATE}}, "reporting.tbza", "tbsa"),
    "one edit, no gate": ({"reporting": {"tbs": True}}, "reporting.tbs", "tbsa"),
    "capitals": ({"reporting": {"TBSA": GATE}}, "reporting.TBSA", "tbsa"),
    "two edits": ({"reporting": {"tbssaa": GATE}}, "reporting.tbssaa", "tbsa"),
    "two edits, a common word": (
        {"reporting": {"tbza1": {"baseline": "last.report.jsonl"}}},
        "reporting.tbza1",
        "tbsa",
    ),
    "another name": (
        {"reporting": {"garak-tbsa": GATE}},
        "reporting.garak-tbsa",
        "tbsa",
    ),
    "top level": ({"tbsa": GATE}, "tbsa", "reporting.tbsa"),
    "top level, no gate": ({"tbsa": {"html": True}}, "tbsa", "reporting.tbsa"),
    "a key at top level": (GATE, "fail_under", "reporting.tbsa.fail_under"),
    "report": ({"report": {"tbsa": GATE}}, "report.tbsa", "reporting.tbsa"),
    "Reporting": ({"Reporting": {"tbsa": GATE}}, "Reporting.tbsa", "reporting.tbsa"),
    "report, a key": (
        {"report": {"sure": 0.9}},
        "report.sure",
        "reporting.tbsa.sure",
    ),
    "Reporting, a key": (
        {"Reporting": GATE},
        "Reporting.fail_under",
        "reporting.tbsa.fail_under",
    ),
    "any section": (
        {"gates": {"require_tier1_grade": 3}},
        "gates",
        "reporting.tbsa",
    ),
    "beside a right one": (
        {"reporting": {"tbsa": {"fail_under": 1}}, "tbsa": {"min_coverage": 1}},
        "tbsa",
        "reporting.tbsa",
    ),
}
RIGHT: dict[str, object] = {
    # no gate of ours is in them, or it is where it belongs
    "nothing": {},
    "garak's keys": {
        "reporting": {"taxonomy": "owasp", "report_prefix": "x", "hit_at_k": [1]},
        "run": {"seed": 1},
    },
    "other programs' keys": {
        "reporting": {"tsv": {"enabled": True}, "tables": {"html": True}, "tap": 1},
        "experiment": {"baseline": "random", "sure": True, "tea": 1},
        "extra": [{"fail_under": 4}],
        "tests": "fail_under",
    },
    "a gate written once, used below": {
        "x-gate": {"fail_under": 1},
        "reporting": {"tbsa": {"fail_under": 1, "json": False}},
    },
    "asks nothing": {"reporting": {"fail_under": None}},
    "switched off": {"reporting": {"tbsa": {"enabled": False}}},
}


WRONG: dict[str, tuple[object, str]] = {
    # setting: (value, what is said to be there)
    "fail_under": (5.1, "5.1"),
    "require_tier1_grade": ("4", "'4'"),
    "min_coverage": (True, "True"),
    "sure": (0.2, "0.2"),
    "baseline": ([], "[]"),
    "formula": ("other", "'other'"),
    "repeat": (3, "3"),
    "html": ("yes", "'yes'"),
    "time_limit": (0, "0"),
    "alpha": (2, "2"),
}
HELP = "help beside a gate"


@pytest.fixture(scope="module")
def runs(
    tmp_path_factory: pytest.TempPathFactory, unmeasured_commands: None
) -> dict[str, Shown]:
    """Every configuration above, each the run configuration of one garak."""
    folder = tmp_path_factory.mktemp("settings")
    cases = {}
    written = {name: wrong for name, (wrong, _, _) in MISPLACED.items()} | RIGHT
    written |= {
        name: {"reporting": {"tbsa": {name: value}}}
        for name, (value, _) in WRONG.items()
    }
    written[HELP] = {"reporting": {"tbsa": GATE}}
    for number, (name, document_) in enumerate(written.items()):
        path = folder / (f"{number}.yaml" if number % 2 else f"{number}.json")
        text = yaml.safe_dump(document_) if number % 2 else None
        path.write_text(text or json.dumps(document_, indent="\t"))
        cases[name] = [*small_scan(str(number)), "--config", path.name]
    cases[HELP].append("--help")
    for bundled in ("fast.json", "bag.yaml"):
        cases[bundled] = [*small_scan(bundled), "--config", bundled]
    return many(folder, cases)


@pytest.mark.parametrize("case", MISPLACED)
def test_a_gate_in_a_wrong_place_stops_garak(case: str, runs: dict[str, Shown]) -> None:
    _, named, meant = MISPLACED[case]
    assert our_errors(runs[case]) == [
        f"garak-tbsa: {named}: not a setting (did you mean {meant}?); the scan was not"
        " started (GARAK_TBSA=0 turns this off)"
    ]
    assert runs[case].code == 2
    assert "reporting to" not in runs[case].out


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_stops_garak_and_is_shown(
    case: str, runs: dict[str, Shown]
) -> None:
    (line,) = our_errors(runs[case])
    assert line.startswith(f"garak-tbsa: reporting.tbsa.{case}: expected ")
    assert f", found {WRONG[case][1]}; the scan was not started" in line
    assert runs[case].code == 2
    assert "reporting to" not in runs[case].out


def test_help_is_no_scan_that_a_gate_could_fail(runs: dict[str, Shown]) -> None:
    assert (runs[HELP].code, our_errors(runs[HELP])) == (0, [])
    assert "usage: " in runs[HELP].out


@pytest.mark.parametrize("case", [*RIGHT, "fast.json", "bag.yaml"])
def test_what_holds_no_lost_gate_stops_no_scan(
    case: str, runs: dict[str, Shown]
) -> None:
    assert our_errors(runs[case]) == []
    assert runs[case].code == 0
    assert "garak run complete in" in runs[case].out


def test_a_misplaced_gate_of_the_site_stops_garak(tmp_path: Path) -> None:
    """With another file as the run's own; nothing else than a scan is stopped."""
    site = tmp_path / "config" / "garak" / "garak.site.yaml"
    site.parent.mkdir(parents=True)
    site.write_text("tbsa: {fail_under: 5}\n")
    (tmp_path / "run.json").write_text('{"reporting": {"tbsa": {"html": true}}}')
    given = ("--config", "run.json")
    shown = garak(tmp_path, *small_scan(), *given)
    assert shown.code == 2
    (line,) = our_errors(shown)
    assert line.startswith("garak-tbsa: tbsa: not a setting (did you mean reporting.")
    assert not (tmp_path / "data" / "garak" / "garak_runs").exists()
    assert garak(tmp_path, "--list_detectors", *given).code == 0
    off = {"GARAK_TBSA": "0"}
    assert garak(tmp_path, *small_scan(), *given, settings=off).code == 0
