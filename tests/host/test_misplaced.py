# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A gate that stands where nobody reads it stops garak; what is not ours does not."""

from __future__ import annotations

import json
from pathlib import Path

import garak
import pytest
import yaml

from garak_tbsa.garak_api import scan
from garak_tbsa.gates.options import GATES
from garak_tbsa.host.settings import COMMON_WORDS, SECTIONS, misplaced
from tests.host.scans import ENDED, Ended, run_many, small_scan

PACKAGE = Path(garak.__file__).parent
SHIPPED = sorted(
    path
    for folder in ("configs", "resources")
    for path in (PACKAGE / folder).rglob("*")
    if path.suffix in (".yaml", ".yml", ".json")
)
OURS = "reporting.tbsa"
MISPLACED = [
    # (configuration, what is named, what was meant)
    ("reporting: {fail_under: 5}", "reporting.fail_under", f"{OURS}.fail_under"),
    (
        "reporting: {min_coverage: 1.0, report_prefix: null}",
        "reporting.min_coverage",
        f"{OURS}.min_coverage",
    ),
    ("reporting: {baseline: last.jsonl}", "reporting.baseline", f"{OURS}.baseline"),
    ("reporting: {Fail-Under: 5}", "reporting.Fail-Under", f"{OURS}.fail_under"),
    ("run: {fail_under: 5}", "run.fail_under", f"{OURS}.fail_under"),
    ("plugins: {tbsa: {fail_under: 5}}", "plugins.tbsa", OURS),
    ("reporting: {tbza: {fail_under: 5}}", "reporting.tbza", "tbsa"),
    ("reporting: {tbs: true}", "reporting.tbs", "tbsa"),
    ("reporting: {TBSA: {fail_under: 5}}", "reporting.TBSA", "tbsa"),
    ("reporting: {tbssaa: {fail_under: 5}}", "reporting.tbssaa", "tbsa"),
    ("reporting: {tbza1: {baseline: last.jsonl}}", "reporting.tbza1", "tbsa"),
    ("reporting: {garak-tbsa: {fail_under: 5}}", "reporting.garak-tbsa", "tbsa"),
    ("tbsa: {fail_under: 5}", "tbsa", OURS),
    ("tbsa: {html: true}", "tbsa", OURS),
    ("fail_under: 5", "fail_under", f"{OURS}.fail_under"),
    ("report: {tbsa: {fail_under: 5}}", "report.tbsa", OURS),
    ("Reporting: {tbsa: {fail_under: 5}}", "Reporting.tbsa", OURS),
    ("report: {sure: 0.9}", "report.sure", f"{OURS}.sure"),
    ("Reporting: {fail_under: 5}", "Reporting.fail_under", f"{OURS}.fail_under"),
    ("gates: {require_tier1_grade: 3}", "gates", OURS),
    (
        "{tbsa: {sure: 0.9, fail_under: 1}, reporting: {tbsa: {fail_under: 1}}}",
        "tbsa",
        OURS,
    ),
]
OTHERS = """
reporting:
  {taxonomy: owasp, report_prefix: x, hit_at_k: [1], tap: 1, fail_under: null,
   tsv: {enabled: true}, tables: {html: true}}
run: {seed: 1}
experiment: {baseline: random, sure: true, tea: 1}
extra: [{fail_under: 4}]
tests: fail_under
"""
RIGHT = {
    # no gate of ours is in them, or it is where it belongs
    "others": OTHERS,
    "once": "{x: {fail_under: 1}, reporting: {tbsa: {fail_under: 1, json: false}}}",
    "switched off": "reporting: {tbsa: {enabled: false}}",
}
WRONG_VALUE = "a wrong value"


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """Every configuration above, each the run configuration of one garak."""
    folder = tmp_path_factory.mktemp("settings")
    written = {given: given for given, _, _ in MISPLACED} | RIGHT
    written[WRONG_VALUE] = "reporting: {tbsa: {require_tier1_grade: '4'}}"
    cases = {}
    for number, (name, text) in enumerate(written.items()):
        path = folder / (f"{number}.yaml" if number % 2 else f"{number}.json")
        as_json = json.dumps(yaml.safe_load(text), indent="\t")
        path.write_text(text if number % 2 else as_json)
        cases[name] = [*small_scan(str(number)), "--config", path.name]
    cases["help"] = [*cases[MISPLACED[0][0]], "--help"]
    return run_many(folder, cases)


@pytest.mark.parametrize(("case", "named", "meant"), MISPLACED)
def test_a_gate_in_a_wrong_place_stops_garak(
    case: str, named: str, meant: str, ended: dict[str, Ended]
) -> None:
    done = ended[case]
    assert done.our_errors == [
        f"garak-tbsa: {named}: not a setting (did you mean {meant}?); the scan was not"
        " started (GARAK_TBSA=0 turns this off)"
    ]
    assert done.code == 2
    assert "reporting to" not in done.out


def test_a_wrong_value_stops_garak_and_is_shown(ended: dict[str, Ended]) -> None:
    done = ended[WRONG_VALUE]
    assert done.our_errors == [
        "garak-tbsa: reporting.tbsa.require_tier1_grade: expected a whole number from 1"
        " to 5, found '4'; the scan was not started (GARAK_TBSA=0 turns this off)"
    ]
    assert done.code == 2
    assert "reporting to" not in done.out


def test_what_holds_no_lost_gate_stops_no_scan(ended: dict[str, Ended]) -> None:
    """Nor is help a scan that a gate could fail."""
    for case in RIGHT:
        assert (ended[case].code, ended[case].our_errors) == (None, []), case
        assert ENDED in ended[case].out
    assert (ended["help"].code, ended["help"].our_errors) == (0, [])
    assert "usage: " in ended["help"].out


def test_a_misplaced_gate_of_the_site_stops_garak(tmp_path: Path) -> None:
    """With another file as the run's own; nothing else than a scan is stopped."""
    site = tmp_path / "config" / "garak" / "garak.site.yaml"
    site.parent.mkdir(parents=True)
    site.write_text("tbsa: {fail_under: 5}\n")
    (tmp_path / "run.json").write_text('{"reporting": {"tbsa": {"html": true}}}')
    config = ["--config", "run.json"]
    done = run_many(
        tmp_path,
        {
            "stopped": [*small_scan("stopped"), *config],
            "list": ["--list_detectors", *config],
            "switched_off": [*small_scan("switched_off"), *config],
        },
    )
    assert [case.code for case in done.values()] == [2, None, None]
    (line,) = done["stopped"].our_errors
    assert line.startswith("garak-tbsa: tbsa: not a setting (did you mean reporting.")
    assert not done["stopped"].file(".report.jsonl").exists()
    assert done["switched_off"].file(".report.jsonl").exists()


def test_nothing_that_garak_ships_is_taken_for_ours() -> None:
    """Neither where it stands nor as a section that garak does not know."""
    assert "garak.core.yaml" in [path.name for path in SHIPPED]
    documents = [
        # YAML's reader would take seconds for the same
        (json.loads if path.suffix == ".json" else yaml.safe_load)(
            path.read_text("utf-8")
        )
        for path in SHIPPED
    ]
    sections: list[tuple[str, object]] = [
        entry
        for document in documents
        if isinstance(document, dict)
        for entry in document.items()
    ]
    assert {name for name, _ in sections} >= set(SECTIONS)
    assert list(misplaced(sections)) == []
    assert list(misplaced([(f"my-{name}", value) for name, value in sections])) == []
    assert list(misplaced([("reporting", dict(sections))])) == []
    # and what garak may one day have by our names is its own
    assert scan.is_garaks_own("reporting", "taxonomy")
    assert scan.is_garaks_own("", "reporting")
    assert not scan.is_garaks_own("reporting", "fail_under")
    assert not scan.is_garaks_own("tbsa", "fail_under")


@pytest.mark.parametrize(
    ("name", "edits"),
    [
        *((name, 1) for name in ("tsba", "tbas", "btsa", "tbsaa", "tb5a")),
        *((name, 2) for name in ("tsv", "tabs", "tbs_1", "basa")),
        *((name, 3) for name in ("t", "")),
    ],
)
def test_a_name_further_than_one_edit_away_needs_a_gate(name: str, edits: int) -> None:
    meant, is_near = ("reporting", name, "tbsa"), edits == 1
    for content in (True, {"json": True}, [*GATES], *GATES, None):
        found = list(misplaced([("reporting", {name: content})]))
        assert found == [meant] * is_near
    for gate in GATES:
        found = list(misplaced([("reporting", {name: {gate: 1}})]))
        assert found == [meant] * (edits < 3 or gate not in COMMON_WORDS)
    at_the_top = [("", name, "reporting.tbsa")] * is_near
    assert list(misplaced([(name, True)])) == at_the_top
