# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A gate that stands where nobody reads it stops garak; what is not ours does not."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import garak
import pytest
import yaml

from garak_tbsa.garak_api import scan
from garak_tbsa.garak_api.config_files import read_config_files
from garak_tbsa.host.lost_settings import lost_settings
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
    ("reporting: {tbza: {fail_under: 5}}", "reporting.tbza", OURS),
    ("reporting: {tbs: true}", "reporting.tbs", OURS),
    ("reporting: {TBSA: {fail_under: 5}}", "reporting.TBSA", OURS),
    ("reporting: {tbssaa: {fail_under: 5}}", "reporting.tbssaa", OURS),
    ("reporting: {tbza1: {baseline: last.jsonl}}", "reporting.tbza1", OURS),
    (
        "reporting: {garak-tbsa: {fail_under: 5}}",
        "reporting.garak-tbsa.fail_under",
        f"{OURS}.fail_under",
    ),
    ("reporting: {tsba: 1}", "reporting.tsba", OURS),
    ("tbsa: {fail_under: 5}", "tbsa", OURS),
    ("tbsa: {html: true}", "tbsa", OURS),
    ("fail_under: 5", "fail_under", f"{OURS}.fail_under"),
    ("report: {tbsa: {fail_under: 5}}", "report.tbsa", OURS),
    ("Reporting: {tbsa: {fail_under: 5}}", "Reporting.tbsa", OURS),
    ("report: {sure: 0.9}", "report.sure", f"{OURS}.sure"),
    ("Reporting: {fail_under: 5}", "Reporting.fail_under", f"{OURS}.fail_under"),
    (
        "gates: {require_tier1_grade: 3}",
        "gates.require_tier1_grade",
        f"{OURS}.require_tier1_grade",
    ),
    (
        "{tbsa: {sure: 0.9, fail_under: 1}, reporting: {tbsa: {fail_under: 1}}}",
        "tbsa",
        OURS,
    ),
]
TWICE = "and all but the last is lost; make them one"
NESTED = "one key, not a path; write reporting:, below it tbsa:"


def meant(named: str, gate: str = "") -> str:
    return f"{named}: not a setting (did you mean {OURS}{gate}?)"


LOST = [
    # (configuration, line, what is said)
    ("reporting:\n  failUnder: 5\n", 2, meant("reporting.failUnder", ".fail_under")),
    (
        "run:\n  seed: 1\n  reporting:\n    tbsa:\n      fail_under: 5\n",
        4,
        meant("run.reporting.tbsa"),
    ),
    (
        "garak_tbsa:\n  reporting:\n    tbsa:\n      fail_under: 5\n",
        3,
        meant("garak_tbsa.reporting.tbsa"),
    ),
    ("a: {b: [1, {tbsa: {alpha: 0.1}}]}", 1, meant("a.b.tbsa")),
    ("a: {b: {c: {minCoverage: 1}}}", 1, meant("a.b.c.minCoverage", ".min_coverage")),
    (
        "run: {reporting: {require-tier1-grade: 3}}",
        1,
        meant("run.reporting.require-tier1-grade", ".require_tier1_grade"),
    ),
    (
        "plugins: {probes: {x: {tbsa: {baseline: last.jsonl}}}}",
        1,
        meant("plugins.probes.x.tbsa"),
    ),
    (
        "reporting: {<<: {tbsa: {fail_under: 5}}, tbsa: {html: true}}",
        1,
        meant("reporting.<<.tbsa"),
    ),
    (
        "reporting:\n  tbsa.fail_under: 5\n",
        2,
        f"tbsa.fail_under: {NESTED}, below it fail_under:",
    ),
    (
        "reporting.tbsa.baseline: last.jsonl",
        1,
        f"reporting.tbsa.baseline: {NESTED}, below it baseline:",
    ),
    ("reporting.tbsa: {html: true}", 1, f"reporting.tbsa: {NESTED}"),
    (
        '{"reporting": {"tbsa": {"fail_under": 5}}, "run": {"seed": 1},'
        ' "reporting": {"taxonomy": "owasp"}}',
        1,
        f"reporting stands twice (first in line 1), {TWICE}",
    ),
    (
        "reporting:\n  tbsa:\n    fail_under: 5\n  taxonomy: owasp\n"
        "  tbsa:\n    html: true\n",
        5,
        f"reporting.tbsa stands twice (first in line 2), {TWICE}",
    ),
    (
        "reporting:\n  tbsa:\n    fail_under: 5\n    html: true\n    fail_under: 1\n",
        5,
        f"reporting.tbsa.fail_under stands twice (first in line 3), {TWICE}",
    ),
    (
        "reporting: {taxonomy: owasp}\nreporting: {tbsa: {fail_under: 5}}\n",
        2,
        f"reporting stands twice (first in line 1), {TWICE}",
    ),
]
OTHERS = """
reporting:
  {taxonomy: owasp, report_prefix: x, hit_at_k: [1], tap: 1, fail_under: null,
   tsv: {enabled: true}, tables: {html: true}}
run: {seed: 1, ts: 2, sa: true}
experiment: {baseline: random, sure: true, tea: 1}
extra: [{fail_under: 4}]
tests: fail_under
tests: {deep: {baseline: x, alpha: 1, github: y, strict: true, html: true}}
plugins: {probes: {any: {fail_under: 3, deep: {min_coverage: 1}}}}
reporting.taxonomy: owasp
"""
ANCHORS = """
gates: &gates {fail_under: 1}
base: &base {tbsa: {<<: *gates, json: false}}
reporting: {<<: *base}
reporting.tbsa.fail_under: 1
"""
RIGHT = {
    # no gate of ours is in them, or it is where it belongs
    "others": OTHERS,
    "once": "{x: {fail_under: 1}, reporting: {tbsa: {fail_under: 1, json: false}}}",
    "anchors": ANCHORS,
    "twice": "reporting: {taxonomy: owasp}\nreporting: {report_prefix: y}\n",
    "switched off": "reporting: {tbsa: {enabled: false}}",
}
RUNS = "data/garak/garak_runs"
ITS_OWN = (
    f"reporting: {{tbsa: {{baseline: {RUNS}/NUMBER.report.jsonl}}}}",
    "reporting: {tbsa: {baseline: NUMBER.link, baseline_optional: true}}",
    "reporting: {report_dir: ., tbsa: {baseline: data/garak/NUMBER.report.jsonl}}",
)
"""Baselines that are the report of the scan, which has its number as prefix."""
WRONG_VALUE = "a wrong value"


@dataclass(frozen=True, kw_only=True)
class Configured:
    """A run of garak with a configuration of its own."""

    file: str
    ended: Ended
    text: str = ""

    def assert_refused(self, said: str) -> None:
        """Stopped before it began, in one line."""
        not_started = "the scan was not started (GARAK_TBSA=0 turns this off)"
        assert self.ended.our_errors == [f"garak-tbsa: {said}; {not_started}"]
        assert self.ended.code == 2
        assert "reporting to" not in self.ended.out


@pytest.fixture(scope="module")
def configured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Configured]:
    """Every configuration above, each the run configuration of one garak."""
    folder = tmp_path_factory.mktemp("settings")
    written = {given: given for given, _, _ in MISPLACED}
    as_json = {
        given: json.dumps(yaml.safe_load(given), indent="\t") for given in written
    }
    written |= {each: as_json[each] for each in [*written][::2]}
    written |= {given: given for given, _, _ in LOST} | RIGHT
    written |= {given: given for given in ITS_OWN}
    written[WRONG_VALUE] = "reporting: {tbsa: {require_tier1_grade: '4'}}"
    files, cases, texts = [], {}, [*written.values()]
    for number, text in enumerate(written.values()):
        is_json = text.startswith(("{\n\t", '{"'))
        files.append(f"{number}.json" if is_json else f"{number}.yaml")
        (folder / files[-1]).write_text(text.replace("NUMBER", str(number)))
        (folder / f"{number}.link").symlink_to(f"{RUNS}/{number}.report.jsonl")
        cases[str(number)] = [*small_scan(str(number)), "--config", files[-1]]
    cases["help"] = [*cases["0"], "--help"]
    ended = run_many(folder, cases)
    runs = zip(
        [*written, "help"], [*files, ""], [*texts, ""], ended.values(), strict=True
    )
    return {
        name: Configured(file=file, text=text, ended=ended)
        for name, file, text, ended in runs
    }


@pytest.mark.parametrize(("case", "named", "meant"), MISPLACED)
def test_a_gate_in_a_wrong_place_stops_garak(
    case: str, named: str, meant: str, configured: dict[str, Configured]
) -> None:
    file, key = configured[case].file, named.rpartition(".")[2]
    lines = configured[case].text.splitlines()
    line = next(number for number, text in enumerate(lines, 1) if key in text)
    wrong = f"{named}: not a setting (did you mean {meant}?)"
    configured[case].assert_refused(f"{file}, line {line}: {wrong}")


@pytest.mark.parametrize(("case", "line", "said"), LOST)
def test_what_yaml_and_json_drop_stops_garak(
    case: str, line: int, said: str, configured: dict[str, Configured]
) -> None:
    configured[case].assert_refused(f"{configured[case].file}, line {line}: {said}")


def test_a_wrong_value_stops_garak_and_is_shown(
    configured: dict[str, Configured],
) -> None:
    configured[WRONG_VALUE].assert_refused(
        "reporting.tbsa.require_tier1_grade: expected a whole number from 1 to 5, found"
        " '4'"
    )


@pytest.mark.parametrize("case", ITS_OWN)
def test_a_scan_is_not_its_own_baseline(
    case: str, configured: dict[str, Configured]
) -> None:
    """Its report takes the baseline's place before it is compared with it."""
    own = configured[case]
    named = yaml.safe_load(case)["reporting"]["tbsa"]["baseline"]
    path = named.replace("NUMBER", own.ended.prefix)
    own.assert_refused(
        f"{OURS}.baseline: {path} is the report that this scan writes; give the scan"
        " another --report_prefix, or name an earlier scan's report"
    )


def test_what_holds_no_lost_gate_stops_no_scan(
    configured: dict[str, Configured],
) -> None:
    """Nor is help a scan that a gate could fail."""
    for case in RIGHT:
        ended = configured[case].ended
        assert (ended.code, ended.our_errors) == (None, []), case
        assert ENDED in ended.out
    ended = configured["help"].ended
    assert (ended.code, ended.our_errors) == (0, [])
    assert "usage: " in ended.out


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
    found = f"{site}, line 1: tbsa: not a setting (did you mean reporting.tbsa?)"
    assert line.startswith(f"garak-tbsa: {found}; the scan was not started")
    assert not done["stopped"].file(".report.jsonl").exists()
    assert done["switched_off"].file(".report.jsonl").exists()


def test_a_gate_in_a_config_that_garak_does_not_read_stops_it(tmp_path: Path) -> None:
    """Of several it reads the last."""
    written = {
        "gate": "reporting: {tbsa: {fail_under: 1}}",
        "misplaced": "reporting: {fail_under: 1}",
        "switched_off": "reporting: {tbsa: {enabled: false, fail_under: 1}}",
        "plain": "reporting: {tbsa: {json: false}}",
    }
    for name, text in written.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    (tmp_path / "gate.json").write_text('{"reporting": {"tbsa": {"fail_under": 1}}}')
    cases = {
        "first": ["--config", "gate.yaml", "--config=plain.yaml"],
        "first_of_three": ["--config=gate", *["--config", "plain.yaml"] * 2],
        "misplaced": ["--config", "misplaced.yaml", "--config", "plain.yaml"],
        "last": ["--config", "plain.yaml", "--config", "gate.yaml"],
        "same": ["--config", "gate.yaml", "--config", "./gate.yaml"],
        "none": ["--config", "switched_off.yaml", "--config", "plain.yaml"],
    }
    done = run_many(
        tmp_path, {name: [*small_scan(name), *given] for name, given in cases.items()}
    )
    for name, file in [
        ("first", "gate.yaml"),
        ("first_of_three", "gate.json"),
        ("misplaced", "misplaced.yaml"),
    ]:
        Configured(file=file, ended=done.pop(name)).assert_refused(
            f"{file}: garak reads only the last --config, so what this one sets of"
            " garak-tbsa is lost; write both into one file"
        )
    assert {name: case.code for name, case in done.items()} == {
        "last": None,
        "same": None,
        "none": None,
    }
    assert "gate passed" in done["last"].after_garak
    assert "gate passed" in done["same"].after_garak


def test_nothing_that_garak_ships_is_taken_for_ours() -> None:
    """And what garak may one day have by our names is its own."""
    files = [*read_config_files(map(str, SHIPPED))]
    assert "garak.core.yaml" in [Path(file.path).name for file in files]
    assert list(lost_settings(files)) == []
    own = scan.garaks_own_settings()
    assert isinstance(own, dict)
    assert "taxonomy" in own["reporting"]


def test_a_setting_of_garaks_own_is_not_ours(tmp_path: Path) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("reporting: {baseline: x}")
    files = [*read_config_files([str(file)])]
    assert len(list(lost_settings(files))) == 1
    assert list(lost_settings(files, {"reporting": {"baseline": None}})) == []


@pytest.mark.parametrize("instead", ["true", "null"])
def test_a_gate_of_the_site_is_not_replaced_unsaid(
    tmp_path: Path, instead: str
) -> None:
    """A later file may turn all of it off, or set each of it otherwise."""
    site, own = tmp_path / "site.yaml", tmp_path / "run.yaml"
    site.write_text("reporting: {tbsa: {fail_under: 5}}")

    def found(given: str) -> list[str]:
        own.write_text(f"reporting: {{taxonomy: owasp{given}}}")
        return list(lost_settings(read_config_files([str(site), str(own)])))

    assert found(f", tbsa: {instead}") == [
        f"{own}: {OURS} takes the place of all that {site} sets there; take it out, or"
        " write settings such as enabled: true below it"
    ]
    for given in ("", ", tbsa: false", ", tbsa: {}", ", tbsa: {fail_under: null}"):
        assert found(given) == []
