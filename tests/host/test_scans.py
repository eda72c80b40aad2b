# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Real garak scans, offline, with the package installed: what follows each of them.

A gate that is set and was not judged is exit 3 and one line, however garak ended.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.behaviour.formula import raw_score, rounded
from tests.behaviour.product import analyze, document
from tests.behaviour.schemas import assert_keeps_schema
from tests.host.scans import (
    CASE,
    DEMO,
    ENDED,
    QUICK,
    UNSCORED,
    Ended,
    run,
    run_many,
    small_scan,
)
from tests.installed import HOST_VARIABLE
from tests.older_garak import OLDER, NotAvailableError, unpacked

CONFIGURATIONS = {
    # file: reporting.tbsa
    "gate": {"fail_under": 1, "github": True},
    "outputs": {
        **dict.fromkeys(("html", "markdown", "junit", "sarif"), True),
        "fail_under": 1,
        "require_tier1_grade": 1,
    },
    "two_forms": {"html": True, "markdown": True},
    "misspelt": {"fail_udner": 1},
    "disabled": {"fail_under": 1, "enabled": False},
}
WITH_GATE = ["--config", "gate.json"]
GARAKS_OWN = (
    "`GARAK_TBSA=garak python -m garak.analyze.tbsa -r REPORT` runs garak's own module"
)
ENDED_WITH = (
    "garak-tbsa score ended with code {}{}; garak's own report is unchanged"
    " (GARAK_TBSA=0 turns this off)"
)
NO_OPTION = ["--no_such_option"]
UNFINISHED = {
    # case: (arguments, how it is told)
    "misspelt_probe": ([*small_scan(probes="nosuch"), *WITH_GATE], "ended"),
    "no_api_key": (
        ["--target_type", "openai", "--target_name", "gpt-4", *WITH_GATE],
        "ended",
    ),
    "garak_exception": ([*small_scan(), *WITH_GATE], "ended"),
    "value_error": ([*small_scan(), *WITH_GATE], "ended"),
    "runtime_error": ([*small_scan(), *WITH_GATE], "stopped with RuntimeError"),
    "sigint": ([*small_scan(), *WITH_GATE], "ended"),
    "exit_0_in_mid_scan": ([*small_scan(), *WITH_GATE], "ended with exit code 0"),
    "exit_with_words": ([*small_scan(), *WITH_GATE], "ended with exit code 1"),
    "usage": ([*NO_OPTION, *WITH_GATE], "ended with exit code 2"),
    "usage_joined": ([*NO_OPTION, "--config=gate.json"], "ended with exit code 2"),
    "workers": (
        [*small_scan(), "--parallel_attempts", "-3", *WITH_GATE],
        "ended with exit code 1",
    ),
    "no_target": (WITH_GATE, "ended"),
}
NO_SCAN = {
    "help": ["--help", *WITH_GATE],
    "version": ["--version", *WITH_GATE],
    "list_probes": ["--list_probes", *WITH_GATE],
    "list_config": ["--list_config", *WITH_GATE],
    "plugin_info": ["--plugin_info", "probes.dan.DanInTheWild", *WITH_GATE],
    "interactive": ["--interactive", *WITH_GATE],
    "misspelt_setting": ["--list_detectors", "--config", "misspelt.json"],
    "usage_of_a_list": ["--list_probes", *NO_OPTION, *WITH_GATE],
}
UNGATED = {
    "ungated_garak_exception": small_scan(),
    "ungated_usage": NO_OPTION,
    "ungated_interactive": ["--interactive"],
    "ungated_value_error": [*small_scan(), "--config", "disabled.json"],
}
LACKING = ("numpy", "garak_tbsa.gates.verdict", "garak_tbsa.gates.options")
"""Modules that the process that scores lacks, each in the case of its name."""

UNGATED_LACK = "garak_tbsa.report.report"
BREAKING = f"""
import os, sys
class Broken:
    def find_spec(self, name, path=None, target=None):
        if name == os.environ.get("{CASE}"):
            raise ImportError("broken for a test")
# the process that scores is a Python with -m
if sys.argv[:1] == ["-m"]:
    sys.meta_path.insert(0, Broken())
"""
OWN_PAGE = "<!doctype html><title>my notes</title>"
SCANS = {
    "demo": [*small_scan("demo", QUICK), "--config", "outputs.json"],
    "demo_unwritable": [
        *small_scan("demo_unwritable", QUICK),
        *("--config", "two_forms.json"),
    ],
    "taken": [*small_scan("taken"), "--config", "two_forms.json"],
    "taken_by_folder": small_scan("taken_by_folder"),
    "broken_streams": [*small_scan("broken_streams"), "--config", "two_forms.json"],
    "misspelt": [*small_scan("misspelt"), "--config", "misspelt.json"],
    "formula": small_scan("formula"),
    "formula_gated": [*small_scan("formula_gated"), *WITH_GATE],
    "switched_off": [*small_scan("switched_off"), *WITH_GATE],
    "all_garaks": [*small_scan("all_garaks"), *WITH_GATE],
    "nothing_to_score": small_scan("nothing_to_score", UNSCORED),
    "nothing_to_judge": [*small_scan("nothing_to_judge", UNSCORED), *WITH_GATE],
    **{module: [*small_scan(module), *WITH_GATE] for module in LACKING},
    UNGATED_LACK: small_scan(UNGATED_LACK),
}


def configure(folder: Path) -> None:
    for name, settings in CONFIGURATIONS.items():
        written = json.dumps({"reporting": {"tbsa": settings}})
        (folder / f"{name}.json").write_text(written)


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Every case above, in one process of garak."""
    folder = tmp_path_factory.mktemp("scans")
    configure(folder)
    runs = folder / "data" / "garak" / "garak_runs"
    runs.mkdir(parents=True)
    for name in ("demo_unwritable.tbsa.json", "demo_unwritable.tbsa.html"):
        (runs / name).symlink_to("/dev/full")
    (runs / "broken_streams.tbsa.html").symlink_to("/dev/full")
    (runs / "taken.tbsa.html").write_text(OWN_PAGE)
    (runs / "taken_by_folder.tbsa.json").mkdir()
    (folder / "first").mkdir()
    (folder / "first" / "sitecustomize.py").write_text(BREAKING)
    cases = {name: arguments for name, (arguments, _) in UNFINISHED.items()}
    settings = {"OPENAI_API_KEY": "", "PYTHONPATH": str(folder / "first")}
    return run_many(folder, cases | NO_SCAN | UNGATED | SCANS, settings=settings)


@pytest.fixture
def passing(ended: dict[str, Ended]) -> Ended:
    return ended["demo"]


def pairs_of(report: Path) -> dict[str, tuple[int, int]]:
    """Pair -> tier and grade, as the digest states them."""
    digest = json.loads(report.read_text("utf-8").splitlines()[-1])
    assert digest["entry_type"] == "digest"
    found = {}
    for group in digest["eval"].values():
        for probe in group.keys() - {"_summary"}:
            for detector in group[probe].keys() - {"_summary"}:
                entry = group[probe][detector]
                grades = [entry["absolute_defcon"]]
                if entry["calibration_used"]:
                    grades.append(entry["relative_defcon"])
                tier = group[probe]["_summary"]["probe_tier"]
                found[f"{probe}+{detector}"] = (tier, min(grades))
    return found


def test_a_scan_ends_with_its_score_and_a_gate_that_passes(
    passing: Ended, tmp_path: Path
) -> None:
    """The score is that of the digest, and that of ``score`` on the report."""
    assert passing.code is None
    found = passing.json
    assert_keeps_schema(found, "score.schema.json")
    report = passing.file(".report.jsonl")
    pairs = pairs_of(report)
    assert len(pairs) == 2
    grades = {tier: [own for n, own in pairs.values() if n == tier] for tier in (1, 2)}
    assert found["tbsa"] == rounded(raw_score(grades))
    assert found["partial"] is False
    # it is the last thing that a user sees
    last = [line[1:] for line in passing.after_garak.splitlines()]
    assert f" TBSA: {found['tbsa']:.1f}" in last
    assert f"Checksum: {found['checksum']}\n" in passing.after_garak
    for rule in ("fail-under", "require-tier1-grade"):
        assert f"✔️ gate passed: {rule}: expected " in passing.after_garak
    assert [rule["passed"] for rule in found["gate"]["rules"]] == [True] * 3
    later = document(tmp_path, "score", "-q", report)
    same = ("tbsa", "checksum", "version_probe_hash", "pairs", "left_out")
    for name in (*same, "calibration"):
        assert later[name] == found[name], name
    # garak's command, with garak's three lines
    name = f"{found['garak_version']} {' '.join(sorted(pairs))}"
    shown = analyze("-q", "-r", report)
    assert (shown.code, shown.err) == (0, "")
    assert [re.sub(r"^\W+", "", line) for line in shown.lines] == [
        f"Probe/detector pairs contributing: {len(pairs)}",
        f"Version/probe hash: {zlib.crc32(name.encode()):x}",
        f"TBSA: {found['tbsa']:.1f}",
    ]


def test_what_the_settings_ask_for_stands_beside_the_report(passing: Ended) -> None:
    """garak's files stay as they are."""
    assert passing.our_errors == []
    assert passing.ours == {"json", "html", "md", "junit.xml", "sarif"}
    passing.assert_garaks_files_unchanged()
    score = f"{passing.json['tbsa']:.1f}"
    page = passing.file(".tbsa.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    markdown = passing.file(".tbsa.md").read_text("utf-8")
    assert markdown.startswith("## ")
    assert score in markdown.splitlines()[0]
    # hits are shown unless that is switched off
    assert "<details><summary>" in markdown
    suites = ElementTree.parse(passing.file(".tbsa.junit.xml")).getroot()
    assert (suites.tag, list(suites.iter("failure"))) == ("testsuites", [])
    assert len(list(suites.iter("testcase"))) >= 2
    sarif = json.loads(passing.file(".tbsa.sarif").read_text("utf-8"))
    assert sarif["version"] == "2.1.0"
    assert sarif["runs"][0]["tool"]["driver"]["name"] == "garak-tbsa"


def test_a_site_asks_for_outputs_and_a_gate_that_fails(
    passing: Ended, tmp_path: Path
) -> None:
    """The process ends with 3; the scan itself is the same."""
    site = tmp_path / "config" / "garak"
    site.mkdir(parents=True)
    off = {"json": False, "evidence": False}
    rules = {"require_tier1_grade": 1, "fail_under": 5}
    settings = {"reporting": {"tbsa": {**rules, **off, "markdown": True}}}
    (site / "garak.site.json").write_text(json.dumps(settings))
    start = ("-m", "garak", *small_scan(probes=QUICK), *DEMO)
    done = run(tmp_path, *start, "--parallel_attempts", "2")
    assert done.code == 3
    assert done.our_errors == []
    assert done.ours == {"md"}
    shown = done.after_garak
    assert "❌ gate failed: fail-under: expected TBSA of at least 5" in shown
    assert "✔️ gate passed: require-tier1-grade" in shown
    assert "<details><summary>" not in done.file(".tbsa.md").read_text("utf-8")
    reports = [each.file(".report.jsonl") for each in (done, passing)]
    assert pairs_of(reports[0]) == pairs_of(reports[1])
    # garak had finished everything by then
    assert done.out.index(ENDED) < done.out.index("TBSA")


def test_outputs_that_cannot_be_written_harm_nothing(ended: dict[str, Ended]) -> None:
    done = ended["demo_unwritable"]
    assert done.code is None
    assert "TBSA: " in done.after_garak
    error, what = done.our_errors
    assert "demo_unwritable.tbsa.json: cannot be written (No space left on" in error
    assert what == "garak-tbsa: TBSA is incomplete: " + ENDED_WITH.format(1, "")
    done.assert_garaks_files_unchanged()


def test_what_an_output_would_replace_is_found_before_the_scan(
    ended: dict[str, Ended],
) -> None:
    """Where the scan's name is known; nothing is touched then."""
    for name, setting, said in (
        ("taken", "html", "would replace a file that is no earlier page"),
        ("taken_by_folder", "json", "a folder; name a file in it"),
    ):
        done = ended[name]
        path = done.file(f".tbsa.{setting}")
        (error,) = done.our_errors
        assert error.startswith(f"garak-tbsa: reporting.tbsa.{setting} {path}: {said}")
        assert "the scan was not started" in error
        assert (done.code, done.ours) == (2, {f"{setting}"})
        assert not done.file(".report.jsonl").exists()
    assert ended["taken"].file(".tbsa.html").read_text() == OWN_PAGE


def test_streams_that_break_while_we_speak(ended: dict[str, Ended]) -> None:
    """Full or closed: what is said is said once, and the scan's own exit code."""
    done = ended["broken_streams"]
    codes = json.loads(done.out.strip().splitlines()[-1])
    assert (len(codes), codes) == (3, dict.fromkeys(codes, 0)), done.err
    full_stdout, full_stderr, closed = done.err.split("##")[1:]
    assert full_stdout.count("garak-tbsa: ") == 2
    assert "broken_streams.tbsa.html: cannot be written (No space" in full_stdout
    assert "garak-tbsa: " not in full_stderr
    # Python's stream is closed, and not the file that the command writes to
    assert closed.count("garak-tbsa: ") == 1
    assert "Traceback" not in done.err
    assert "Exception ignored" not in done.err
    assert done.file(".tbsa.json").exists()


def test_wrong_settings_stop_garak_at_its_start(ended: dict[str, Ended]) -> None:
    """No scan of ten hours ends without its gate."""
    done = ended["misspelt"]
    assert done.code == 2
    assert done.our_errors == [
        "garak-tbsa: reporting.tbsa.fail_udner: not a setting (did you mean"
        " fail_under?); the scan was not started (GARAK_TBSA=0 turns this off)"
    ]
    assert not done.file(".report.jsonl").exists()


@pytest.mark.parametrize("case", UNFINISHED)
def test_a_gate_that_was_not_judged_fails(case: str, ended: dict[str, Ended]) -> None:
    done = ended[case]
    assert done.code == 3, done.out + done.err
    told = (
        "garak-tbsa: the gate in reporting.tbsa fails: it was not judged, because garak"
        f" {UNFINISHED[case][1]} before a scan was complete"
    )
    assert done.our_errors == [f"{told} (GARAK_TBSA=0 turns this off)"]
    commands = re.findall(r"^::error title=garak-tbsa::(.*)", done.out, re.M)
    assert [f"garak-tbsa: {command}" for command in commands] == [told]
    # what Python would have shown is shown
    assert ("Traceback" in done.err) == (case == "runtime_error")
    assert ("RuntimeError: boom" in done.err) == (case == "runtime_error")
    assert ("farewell" in done.err) == (case == "exit_with_words")


OFF = ("switched_off", "all_garaks")


@pytest.mark.parametrize("case", [*NO_SCAN, *UNGATED, *OFF])
def test_what_has_no_gate_or_does_not_scan_is_untouched(
    case: str, ended: dict[str, Ended]
) -> None:
    """garak's own ending stays; where there is no terminal, that of a session is 1."""
    done = ended[case]
    assert done.our_errors == []
    assert "TBSA" not in done.out
    code: int | None = {"help": 0}.get(case)
    if "usage" in case:
        code = 2
    if "interactive" in case:
        code = 1
    assert done.code == code
    if case in OFF:
        assert (done.ours, done.after_garak.strip()) == (set(), "")
    if case == "version":
        assert re.fullmatch(r"garak LLM vulnerability scanner v.*\n+", done.out)


def test_no_score_comes_in_place_of_garaks_unsaid(ended: dict[str, Ended]) -> None:
    """Whoever has the variable set may expect garak's number; a gate is not passed."""
    free, gated = ended["formula"], ended["formula_gated"]
    assert (free.code, gated.code) == (None, 3)
    problem = f"GARAK_TBSA_FORMULA is gone; unset it, {GARAKS_OWN}"
    for case, unjudged in (
        (free, ""),
        (gated, "; so the gate fails"),
    ):
        assert case.our_errors == [
            f"garak-tbsa: {problem}",
            "garak-tbsa: no TBSA for this scan: " + ENDED_WITH.format(2, unjudged),
        ]
        assert case.ours == set()
        report, before = map(case.file, (".report.jsonl", ".report.jsonl.before"))
        assert report.read_bytes() == before.read_bytes()


def test_a_scan_without_a_pair_to_score_says_so_and_what_follows(
    ended: dict[str, Ended],
) -> None:
    free, gated = ended["nothing_to_score"], ended["nothing_to_judge"]
    assert (free.code, gated.code) == (None, 3)
    for case in (free, gated):
        error, what = case.our_errors
        assert "no pair in Tier 1 or 2" in error
        fails = "; so the gate fails" if case is gated else ""
        assert what == (
            "garak-tbsa: no TBSA for this scan: " + ENDED_WITH.format(1, fails)
        )
    log = (free.runs.parent / "garak.log").read_text()
    assert "no TBSA for this scan: garak-tbsa score ended with code 1" in log


@pytest.mark.parametrize("module", [*LACKING, UNGATED_LACK])
def test_a_gate_fails_where_the_process_that_scores_lacks_a_module(
    module: str, ended: dict[str, Ended]
) -> None:
    done = ended[module]
    assert ENDED in done.out
    why, what = done.our_errors
    assert "ImportError: broken for a test" in why
    is_gated = module != UNGATED_LACK
    assert done.code == (3 if is_gated else None)
    fails = "; so the gate fails" if is_gated else ""
    assert what.endswith(ENDED_WITH.format(1, fails))


# the oldest and the newest are hosts of all these tests: make test-host
@pytest.mark.surroundings
@pytest.mark.skipif(HOST_VARIABLE in os.environ, reason="an older host is under test")
@pytest.mark.parametrize("older", ["0.13.3", *OLDER[1:]])
def test_older_garaks_are_hosts_too_and_let_no_gate_pass(
    older: str, tmp_path: Path
) -> None:
    """One that is older than those that we support, too."""
    try:
        host = unpacked(older)
    except NotAvailableError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"garak {older} cannot be downloaded: {error}")
    configure(tmp_path)
    misspelt = small_scan(probes="nosuch", is_older=True)
    cases = {
        "scan": small_scan(is_older=True),
        "misspelt_probe": [*misspelt, *WITH_GATE],
        "usage": UNFINISHED["usage"][0],
        "help": NO_SCAN["help"],
        "list_probes": NO_SCAN["list_probes"],
    }
    done = run_many(tmp_path, cases, host=host)
    assert [case.code for case in done.values()] == [None, 3, 3, 0, None]
    scan, *others = done.values()
    assert [len(case.our_errors) for case in others] == [1, 1, 0, 0]
    assert scan.our_errors == []
    assert f"v{older} (" in scan.out
    assert "TBSA: " in scan.after_garak
    assert (scan.json["garak_version"], len(scan.json["pairs"])) == (older, 1)
