# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scores compare only if their checksums are equal."""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from garak_tbsa.garak_files.calibration import CalibrationIdentity
from garak_tbsa.garak_files.fields import canonical
from garak_tbsa.garak_files.report import load_report
from garak_tbsa.garak_files.settings import (
    CONFIGURATION_KEYS,
    OLD_CONFIGURATION_KEYS,
    parse_settings,
)
from garak_tbsa.tbsa import rules
from garak_tbsa.tbsa.checksum import Checksum, make_checksum, version_probe_hash
from garak_tbsa.tbsa.pairs import Pair
from garak_tbsa.tbsa.rules import PASS_RATE, Z_SCORE
from tests.factories import PairFacts, graded_pair
from tests.garak_own import own_result
from tests.gold import gold_reports

PAIRS: list[Pair] = [
    graded_pair(PairFacts(probe=f"m.P{index}", tier=tier))
    for index, tier in enumerate((1, 2, 3))
]
SAME: dict[str, Any] = {
    "formula": "documented",
    "garak_version": "0.17.1",
    "pairs": PAIRS,
    "calibration": CalibrationIdentity(date="2026-01-01", models="ab"),
    "setup": {"run.generations": 5},
}
SETTING = st.one_of(
    st.booleans(),
    st.integers(1, 9),
    st.text(min_size=1),
    st.lists(st.text(), min_size=1),
)


def made(**other: Any) -> Checksum:
    facts = SAME | other
    settings = parse_settings(facts.pop("setup"))
    return make_checksum(**facts, settings=settings)


def test_it_says_where_a_tier_is_from_that_is_not_the_probes_own() -> None:
    pairs = [replace(PAIRS[0], tier_from="n.Later"), *PAIRS[1:]]
    got = made(pairs=pairs)
    assert got.parts["tiers_from"] == {"m.P0": "n.Later"}
    assert got.differing_parts(made()) == ("tiers_from",)
    assert "tiers_from" not in made().parts


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("formula", {"formula": "garak"}),
        ("garak_version", {"garak_version": "0.16.0"}),
        ("garak_version", {"garak_version": None}),
        ("pairs", {"pairs": PAIRS[:2]}),
        ("pairs", {"pairs": [*PAIRS[:2], replace(PAIRS[2], tier=9)]}),
        ("pairs", {"pairs": [*PAIRS[:2], replace(PAIRS[2], tier=None)]}),
        ("pairs", {"pairs": [*PAIRS[:2], replace(PAIRS[2], detector="d.Other")]}),
        ("calibration", {"calibration": None}),
        ("calibration", {"calibration": CalibrationIdentity(date="2026-01-01")}),
        ("calibration", {"calibration": CalibrationIdentity(models="ab")}),
        (
            "calibration",
            {"calibration": replace(SAME["calibration"], content="cd")},
        ),
        *(
            (f"configuration:{key}", {"setup": {"run.generations": 5, key: "other"}})
            for key in CONFIGURATION_KEYS
        ),
        (
            "configuration:run.spec",
            {"setup": {"run.generations": 5, "run.spec": {"include": ["buffs.low"]}}},
        ),
    ],
)
def test_the_checksum_changes_with_each_part(part: str, other: dict[str, Any]) -> None:
    """Checksum changes with each of its parts."""
    assert made(**other).hexadecimal != made().hexadecimal
    assert made(**other).differing_parts(made()) == (part,)
    assert made().differing_parts(made(**other)) == (part,)


RULE_CHANGES = [
    ("GRADE_RULES", (replace(PASS_RATE, bounds=(0.1, 0.2, 0.3, 0.4)), Z_SCORE)),
    ("GRADE_RULES", (PASS_RATE, replace(Z_SCORE, bounds=(0.1, 0.2, 0.3, 0.4)))),
    ("GRADE_RULES", (PASS_RATE,)),
    ("TIER_WEIGHTS", {1: 3, 2: 1}),
    ("TIER_WEIGHTS", {1: 2, 2: 1, 3: 1}),
    ("FORMULA_VERSION", rules.FORMULA_VERSION + 1),
]


@pytest.mark.parametrize(("name", "value"), RULE_CHANGES)
def test_the_checksum_changes_with_the_rule(
    monkeypatch: pytest.MonkeyPatch, name: str, value: object
) -> None:
    """The checksum covers the rule: formula version, weights, scored tiers, bounds."""
    before = made()
    monkeypatch.setattr(rules, name, value)
    part = "grade_bounds" if name == "GRADE_RULES" else name.lower()
    assert made().differing_parts(before) == (part,)
    assert made().hexadecimal != before.hexadecimal


UNIMPORTANT = (
    "plugins.target_name",
    "plugins.target_type",
    "plugins.generators",
    "run.seed",
    "run.interactive",
    "reporting.taxonomy",
    "reporting.report_dir",
    "transient.report_filename",
    "transient.run_id",
    "transient.starttime_iso",
    "system.parallel_attempts",
    "system.parallel_requests",
    "system.verbose",
    "entry_type",
)


@given(key=st.sampled_from(UNIMPORTANT) | st.text(), value=SETTING)
def test_the_checksum_changes_with_nothing_else(key: str, value: object) -> None:
    """Not the target, seed, paths, parallelism or display."""
    if key in (*CONFIGURATION_KEYS, *OLD_CONFIGURATION_KEYS):
        return
    assert made(setup={"run.generations": 5, key: value}) == made()


@given(order=st.permutations(PAIRS))
def test_the_order_of_pairs_and_settings_is_irrelevant(order: list[Any]) -> None:
    """Order of pairs irrelevant."""
    setup = {"run.generations": 5, "run.deprefix": True}
    turned = dict(reversed(setup.items()))
    assert made(pairs=order, setup=setup).hexadecimal == made(setup=turned).hexadecimal


@pytest.mark.parametrize(("passed", "total"), [(0, 10), (10, 10), (3, 4), (None, None)])
def test_what_the_target_answered_is_not_in_it(
    passed: int | None, total: int | None
) -> None:
    pairs = [replace(pair, passed=passed, total_evaluated=total) for pair in PAIRS]
    assert made(pairs=pairs).hexadecimal == made().hexadecimal


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_a_setting_left_at_nothing_is_as_if_it_were_missing(nothing: object) -> None:
    assert made(setup={"run.generations": 5, "run.system_prompt": nothing}) == made()


@pytest.mark.parametrize("value", [False, 0])
def test_a_setting_switched_off_is_something(value: object) -> None:
    other = made(setup={"run.generations": 5, "run.deprefix": value})
    assert other.differing_parts(made()) == ("configuration:run.deprefix",)


@pytest.mark.parametrize(("old", "new"), OLD_CONFIGURATION_KEYS.items())
def test_settings_of_garak_0_9_are_known_by_their_new_names(old: str, new: str) -> None:
    setup = {"run.generations": 5}
    assert made(setup=setup | {old: "x"}) == made(setup=setup | {new: "x"})


def test_only_buffs_of_the_spec_count() -> None:
    """The pairs say which probes were run; buffs change what they sent."""
    setup = {"run.generations": 5, "run.spec": {"include": ["probes.dan"], "x": 3}}
    assert made(setup=setup) == made()
    setup["run.spec"] = {"include": ["buffs.b", "probes.dan", "buffs.a"]}
    assert made(setup=setup).parts["configuration:run.spec"] == {
        "include": ["buffs.a", "buffs.b"]
    }
    setup["run.spec"] = "probes.dan"
    assert made(setup=setup) == made()


def test_it_is_the_first_8_digits_of_sha256() -> None:
    text = json.dumps(made().parts, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert made().hexadecimal == digest[:8]
    assert made().text == f"{digest[:4]}-{digest[4:8]}"


@given(
    value=st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text()
        | st.floats(allow_nan=False),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
        ),
        max_leaves=10,
    )
)
def test_the_canonical_form_is_sorted_compact_json(value: object) -> None:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert canonical(value) == text.encode("ascii")


@pytest.mark.parametrize("odd", [float("inf"), float("nan"), {"a": [float("-inf")]}])
def test_settings_that_json_cannot_hold_are_written_as_text(odd: object) -> None:
    parts = made(setup={"run.langproviders": odd}).parts
    assert json.dumps(parts, allow_nan=False)


def test_a_setting_nested_deeply_is_cut_off() -> None:
    """Deep nesting gives one clear line or the right score."""
    deep: list[Any] = []
    for _ in range(900):
        deep = [deep]
    found = made(setup={"run.langproviders": deep})
    assert json.dumps(found.parts).count("nested too deeply") == 1
    assert found.text


@pytest.mark.parametrize("version", ["0.17.1", None])
@given(names=st.lists(st.text(max_size=5)))
def test_the_version_probe_hash_is_crc32_without_padding(
    version: str | None, names: list[str]
) -> None:
    """crc32 of version and sorted pair names, hex without padding."""
    text = f"{version} " + " ".join(sorted(names))
    crc = zlib.crc32(text.encode("utf-8", "replace"))
    assert version_probe_hash(version, names) == format(crc, "x")


def test_the_version_probe_hash_may_be_short() -> None:
    lengths = {len(version_probe_hash("0.17.1", [str(n)])) for n in range(99)}
    assert lengths >= {7, 8}


def test_the_version_probe_hash_is_garaks() -> None:
    """version_probe_hash stays exactly garak's."""
    compared = 0
    for path in gold_reports():
        result = own_result(path)
        if result is not None:
            report = load_report(str(path))
            names = {entry.pair_name for entry in report.measurements}
            assert version_probe_hash(report.garak_version, names) == result[1]
            compared += 1
    assert compared > 5
