# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every dialect, end to end: the command's JSON, the grades, the schema."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from jsonschema.exceptions import best_match

from garak_tbsa.cli.main import main
from garak_tbsa.garak_api.installed import find_calibration, tier_of
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.outputs import json_document
from garak_tbsa.tbsa.assessment import Assessment, assess
from tests.factories import PairFacts, report_rows, write_report
from tests.gold import FOLDER, expected_json, gold_reports, scored

DIALECTS = {"0.9", "0.10", "0.11", "0.12", "0.13", "0.14", "0.15", "0.16", "0.17"}
SCHEMA = Path(json_document.__file__).parents[1] / "schemas" / "score.schema.json"
BUILT_WITH = "0.17.1"


def numbers(release: str) -> tuple[int, ...]:
    """A release of garak as numbers."""
    return tuple(int(part) for part in release.split("."))


def schema(*, strict: bool = False) -> dict[str, Any]:
    """The schema; strict refuses keys that it does not describe."""
    document: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    if strict:
        for definition in walk(document):
            if definition.get("type") == "object" and "properties" in definition:
                definition["additionalProperties"] = False
    return document


def walk(node: Any) -> list[dict[str, Any]]:
    below = node.values() if isinstance(node, dict) else node
    inner = [found for value in below for found in walk(value)] if is_deep(node) else []
    return [node, *inner] if isinstance(node, dict) else inner


def is_deep(node: Any) -> bool:
    return isinstance(node, (dict, list))


def assert_valid(document: object) -> None:
    validator = jsonschema.Draft202012Validator(schema(strict=True))
    error = best_match(validator.iter_errors(document))
    assert error is None, f"{error.json_path}: {error.message}"


def written(tmp_path: Path, *arguments: str) -> dict[str, Any]:
    output = tmp_path / "out.json"
    main(["score", "-q", "-j", str(output), *arguments])
    document: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
    return document


def scored_here(path: Path) -> Assessment:
    return assess(
        load_report(str(path)), tier_of=tier_of, find_calibration=find_calibration
    )


@pytest.mark.skipif(
    version("garak") != BUILT_WITH, reason="made with the calibrations of 0.17.1"
)
def test_a_gold_report_gives_the_expected_json(gold_report: str) -> None:
    expected = json.loads(expected_json(Path(gold_report)).read_text(encoding="utf-8"))
    got = scored(Path(gold_report))
    # numpy promises the same draws for one version of it alone
    assert close(got.pop("repeat_interval"), expected.pop("repeat_interval"))
    assert got == expected


def close(got: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether ends differ by a tenth at most, and nothing else but the shares."""
    ends = ("lower", "upper")
    near = [
        (got[end], expected[end]) == (None, None)
        or abs(got[end] - expected[end]) < 0.11
        for end in ends
    ]
    drawn = (*ends, "distribution", "luck")
    rest, same = (
        {key: value for key, value in each.items() if key not in drawn}
        for each in (got, expected)
    )
    return all(near) and rest == same


def test_every_dialect_is_there() -> None:
    assert {scored_here(path).report.dialect for path in gold_reports()} >= DIALECTS
    assert all(path.stat().st_size < 62_000 for path in gold_reports())
    assert all(expected_json(path).is_file() for path in gold_reports())


def test_every_way_of_reading_is_there() -> None:
    reports = [load_report(str(path)) for path in gold_reports()]
    assert {report.origin for report in reports} == {
        "digest",
        "digest, counts from eval rows",
        "eval rows",
    }
    partial = {Path(r.source).name.split(".report")[0] for r in reports if r.is_partial}
    assert partial == {"garak-0.9", "cut-short"}


def test_a_scan_scores_the_same_with_and_without_its_digest() -> None:
    whole, rows = (
        scored_here(FOLDER / f"{name}.report.jsonl")
        for name in ("garak-0.17.1", "no-digest")
    )
    assert whole.report.origin != rows.report.origin
    assert whole.score == rows.score
    assert whole.version_probe_hash == rows.version_probe_hash
    assert whole.checksum.differing_parts(rows.checksum) == ()


def test_taxonomy_groups_count_each_pair_once() -> None:
    got = scored_here(FOLDER / "taxonomy-groups.report.jsonl")
    names = [entry.pair_name for entry in got.report.measurements]
    assert len(names) > len(set(names))
    assert len(got.graded) + len(got.left_out) == len(set(names))


REBUILT = ["garak-0.14.1", "garak-0.15.1", "garak-0.16.0", "garak-0.17.1", "no-digest"]


@pytest.mark.parametrize("name", REBUILT)
def test_eval_rows_get_the_grades_that_garak_itself_gives(
    tmp_path: Path, name: str
) -> None:
    """A report rebuilt from its eval rows is graded as build_digest grades it."""
    from garak.analyze.report_digest import build_digest

    written_by = load_report(str(FOLDER / f"{name}.report.jsonl")).garak_version
    if numbers(version("garak")) < numbers(str(written_by)):
        pytest.skip("the garak at hand is older than the report")
    lines = (FOLDER / f"{name}.report.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    known = {"probes.", "detectors."}
    for row in rows:
        # the installed garak describes what the shortened rows do not
        if row["entry_type"] == "plugin_cache":
            row["plugin_cache"] = {
                kind: entries
                for kind, entries in row["plugin_cache"].items()
                if f"{kind}." in known or kind == "version"
            }
    bare = [row for row in rows if row["entry_type"] != "digest"]
    path = write_report(tmp_path / "bare.report.jsonl", bare)
    ours = {
        (pair.probe, pair.detector): (
            pair.pass_rate,
            pair.z_score,
            pair.pass_rate_grade,
            pair.z_grade,
            pair.tier,
        )
        for pair in scored_here(Path(path)).graded
    }
    theirs = {}
    for group in build_digest(path)["eval"].values():
        for probe, entries in group.items():
            if probe == "_summary":
                continue
            for detector, entry in entries.items():
                if detector == "_summary" or (probe, detector) not in ours:
                    continue
                z_score = entry["relative_score"]
                theirs[probe, detector] = (
                    entry["absolute_score"],
                    None if z_score == "n/a" else z_score,
                    entry["absolute_defcon"],
                    None if z_score == "n/a" else entry["relative_defcon"],
                    entries["_summary"]["probe_tier"],
                )
    assert len(ours) > 5
    assert ours == theirs


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


def test_a_gold_report_keeps_to_the_schema(gold_report: str, tmp_path: Path) -> None:
    assert_valid(written(tmp_path, gold_report))
    assert_valid(written(tmp_path, "--no-interval", "--fail-under", "5", gold_report))


def test_garaks_formula_keeps_to_the_schema(tmp_path: Path) -> None:
    report = str(FOLDER / "garak-0.17.1.report.jsonl")
    document = written(tmp_path, "--formula", "garak", report)
    assert_valid(document)
    assert document["formula"] == "garak"
    unmeasured = report_rows([PairFacts(total=0, passed=0, mu=0.5)])
    path = write_report(tmp_path / "r", unmeasured)
    document = written(tmp_path, "--formula", "garak", path)
    assert_valid(document)
    assert (document["tbsa"], document["raw_tbsa"], document["tiers"]) == (
        1.0,
        None,
        {},
    )


def test_several_reports_keep_to_the_schema(tmp_path: Path) -> None:
    document = written(tmp_path, *map(str, gold_reports()), str(tmp_path / "missing"))
    assert_valid(document)
    assert len(document["reports"]) == len(gold_reports())
    assert [entry["infile"] for entry in document["unreadable"]] == [
        str(tmp_path / "missing")
    ]


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("tbsa", 5.1),
        ("checksum", "12345678"),
        ("schema_version", 2),
        ("pairs", [{}]),
        ("repeat_interval", {"lower": None, "upper": None}),
        ("gate", {}),
        ("unheard_of", 1),
    ],
)
def test_the_schema_refuses_what_is_wrong(key: str, wrong: object) -> None:
    document = scored(FOLDER / "garak-0.9.report.jsonl")
    assert_valid(document)
    with pytest.raises(AssertionError):
        assert_valid(document | {key: wrong})
