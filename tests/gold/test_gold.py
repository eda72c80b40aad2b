# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Every dialect, end to end: the command's JSON, the grades, the schema."""

from __future__ import annotations

import json
import zlib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.formula import by_tier, harmonic_mean, raw_score, rounded
from tests.behaviour.product import document, rows_of
from tests.behaviour.scans import grades, left_out
from tests.behaviour.schemas import assert_keeps_schema
from tests.gold import FOLDER, expected_json, gold_reports, scored
from tests.report_rows import write_report

DIALECTS = {"0.9", "0.10", "0.11", "0.12", "0.13", "0.14", "0.15", "0.16", "0.17"}
BUILT_WITH = "0.17.1"
SCHEMA = "score.schema.json"


def numbers(release: str) -> tuple[int, ...]:
    """A release of garak as numbers."""
    return tuple(int(part) for part in release.split("."))


def expected(report: Path) -> dict[str, Any]:
    """The JSON beside a gold report."""
    found: dict[str, Any] = json.loads(expected_json(report).read_text("utf-8"))
    return found


@pytest.mark.skipif(
    version("garak") != BUILT_WITH, reason="made with the calibrations of 0.17.1"
)
def test_a_gold_report_gives_the_expected_json(gold_report: str) -> None:
    """Member by member; score, tiers and garak's hash also follow from the grades."""
    known, got = expected(Path(gold_report)), scored(Path(gold_report))
    assert_keeps_schema(got, SCHEMA)
    assert_follows_from_grades(got)
    del got["said"]  # sentences have tests of their own
    # numpy promises the same draws for one version of it alone
    assert close(got.pop("repeat_interval"), known.pop("repeat_interval"))
    assert got == known


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


def assert_follows_from_grades(found: dict[str, Any]) -> None:
    """Derive score, tiers and garak's hash a second time."""
    tiers = by_tier(found["pairs"])
    raw = raw_score(tiers)
    assert found["raw_tbsa"] == pytest.approx(float(raw), abs=1e-12)
    assert found["tbsa"] == rounded(raw)
    assert found["tiers"] == {
        str(tier): {
            "pairs": len(of_tier),
            "mean": pytest.approx(float(harmonic_mean(of_tier))) if of_tier else None,
            "weight": {1: 2, 2: 1}[tier],
        }
        for tier, of_tier in tiers.items()
    }
    for pair in found["pairs"]:
        of_rules = [each for name, each in pair.items() if name.endswith("_grade")]
        assert len(of_rules) >= 2
        assert pair["grade"] == min(each for each in of_rules if each is not None)
    names = sorted({*grades(found), *left_out(found)})
    text = f"{found['garak_version']} {' '.join(names)}"
    assert found["version_probe_hash"] == f"{zlib.crc32(text.encode()):x}"


def test_every_dialect_is_there() -> None:
    """And every way of reading, from small files."""
    known = {path.name.split(".report")[0]: expected(path) for path in gold_reports()}
    assert {each["dialect"] for each in known.values()} >= DIALECTS
    assert {each["read_from"] for each in known.values()} == {
        "digest",
        "digest, counts from eval rows",
        "eval rows",
    }
    partial = {name for name, each in known.items() if each["partial"]}
    assert partial == {"garak-0.9", "cut-short"}
    assert all(path.stat().st_size < 62_000 for path in gold_reports())


REBUILT = ["garak-0.14.1", "garak-0.15.1", "garak-0.16.0", "garak-0.17.1", "no-digest"]


@pytest.mark.parametrize("name", REBUILT)
def test_eval_rows_get_the_grades_that_garak_itself_gives(
    tmp_path: Path, name: str
) -> None:
    """A report rebuilt from its eval rows is graded as build_digest grades it."""
    from garak.analyze.report_digest import build_digest

    report = FOLDER / f"{name}.report.jsonl"
    if numbers(version("garak")) < numbers(expected(report)["garak_version"]):
        pytest.skip("the garak at hand is older than the report")
    rows = rows_of(report)
    for row in rows:
        # the installed garak describes what the shortened rows do not
        if row["entry_type"] == "plugin_cache":
            row["plugin_cache"] = {
                kind: entries
                for kind, entries in row["plugin_cache"].items()
                if kind in ("probes", "detectors", "version")
            }
    bare = [row for row in rows if row["entry_type"] != "digest"]
    path = write_report(tmp_path / "bare.report.jsonl", bare)
    members = ("pass_rate", "z_score", "pass_rate_grade", "z_grade", "tier")
    ours = {
        (pair["probe"], pair["detector"]): tuple(pair[name] for name in members)
        for pair in document(tmp_path, "score", "--no-interval", path)["pairs"]
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


def test_other_documents_keep_to_the_schema(tmp_path: Path) -> None:
    """Without a range, with a gate, and with garak's own number or without."""
    report = FOLDER / "garak-0.17.1.report.jsonl"
    failing = ("--no-interval", "--fail-under", "5")
    assert_keeps_schema(document(tmp_path, "score", *failing, report, code=3), SCHEMA)
    for explained in (report, FOLDER / "no-digest.report.jsonl"):
        assert_keeps_schema(document(tmp_path, "explain", explained), SCHEMA)
