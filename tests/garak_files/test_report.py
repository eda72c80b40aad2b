# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Any report of any garak release becomes one Report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from garak_tbsa.errors import ReportError
from garak_tbsa.garak_files import report as module
from garak_tbsa.garak_files.calibration import CalibrationIdentity, text_sha256
from garak_tbsa.garak_files.report import load_report, report_from_digest
from garak_tbsa.garak_files.settings import parse_settings
from tests.factories import (
    CALIBRATION_DATE,
    MODELS,
    RUN,
    START,
    PairFacts,
    attempt_row,
    completion_row,
    digest_row,
    eval_row,
    init_row,
    report_rows,
    setup_row,
    to_bytes,
    write_report,
)

FACTS = [PairFacts(mu=0.5), PairFacts(probe="xss.X", detector="xss.D", tier=2)]
INTERRUPTED = "no completion row: the scan was interrupted"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.report.jsonl"


def pairs_of(name: str) -> list[tuple[object, ...]]:
    return [
        (entry.pair_name, entry.passed, entry.total_evaluated, entry.tier)
        for entry in load_report(name).measurements
    ]


def without_counts(digest: dict[str, Any]) -> dict[str, Any]:
    """Return a digest as garak 0.13.3 writes it."""
    for group in digest["eval"].values():
        for name, probe in group.items():
            for detector, entry in probe.items() if name != "_summary" else ():
                if detector != "_summary":
                    del entry["passed"], entry["total_evaluated"]
    return digest


def test_the_digest_says_it_all(path: Path) -> None:
    report = load_report(write_report(path, report_rows(FACTS)))
    assert report.source == str(path)
    assert (report.garak_version, report.dialect) == ("0.17.1", "0.17")
    assert (report.run_uuid, report.start_time) == (RUN, START)
    assert (report.target_type, report.target_name) == ("test", "Blank")
    assert report.target == "test Blank"
    assert report.origin == "digest"
    assert report.has_digest_grades
    assert report.calibration == CalibrationIdentity(
        date=CALIBRATION_DATE, models=text_sha256(MODELS)
    )
    assert not report.is_partial
    assert report.warnings == ()


def test_only_the_end_of_a_report_with_digest_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Flat cost, whatever the size."""
    write_report(path, report_rows(FACTS))
    path.write_bytes(b"not looked at\n" + path.read_bytes())
    monkeypatch.delattr(module, "scan_rows")
    assert len(load_report(str(path)).measurements) == 2


@pytest.mark.parametrize("digest", [True, False])
def test_the_rows_tell_the_same_as_the_digest(path: Path, digest: bool) -> None:
    name = write_report(path, report_rows(FACTS, digest=digest))
    assert [entry[:3] for entry in pairs_of(name)] == [
        ("dan.Ablation_Dan_11_0+dan.DAN", 8, 10),
        ("xss.X+xss.D", 8, 10),
    ]
    report = load_report(name)
    assert report.garak_version == "0.17.1"
    assert report.run_uuid == RUN
    assert report.settings.configuration == {"run.generations": 5}
    assert not report.is_partial


def test_counts_come_from_eval_rows_where_the_digest_has_none(path: Path) -> None:
    rows = report_rows(FACTS)
    without_counts(rows[-1])
    report = load_report(write_report(path, rows))
    assert report.origin == "digest, counts from eval rows"
    assert [entry.passed for entry in report.measurements] == [8, 8]
    assert report.measurements[0].z_score == FACTS[0].z_score


def test_a_digest_without_counts_stands_alone(path: Path) -> None:
    report = load_report(write_report(path, [without_counts(digest_row(FACTS))]))
    assert report.origin == "digest"
    assert [entry.has_counts for entry in report.measurements] == [False, False]
    assert not report.is_partial


def test_a_digest_that_is_not_last_is_found(path: Path) -> None:
    rows = [*report_rows(FACTS), attempt_row(FACTS[0])]
    assert load_report(write_report(path, rows)).origin == "digest"


def test_the_last_of_two_digests_counts(path: Path) -> None:
    better = [PairFacts(passed=10, mu=0.5)]
    rows = [*report_rows([PairFacts(mu=0.5)]), digest_row(better)]
    report = load_report(write_report(path, rows))
    assert [entry.passed for entry in report.measurements] == [10]
    assert not report.is_partial


def test_an_empty_digest_gives_way_to_the_rows(path: Path) -> None:
    rows = report_rows(FACTS)
    rows[-1]["eval"] = {}
    report = load_report(write_report(path, rows))
    assert report.origin == "eval rows"
    assert report.calibration is None
    assert report.warnings == ("the digest has no results, so the eval rows were used",)
    assert len(report.measurements) == 2


@pytest.mark.parametrize("digest", [True, False])
def test_a_scan_without_completion_is_partial(path: Path, digest: bool) -> None:
    rows = [setup_row(), init_row(), eval_row(FACTS[0])]
    report = load_report(write_report(path, rows + [digest_row(FACTS[:1])] * digest))
    assert report.partial_reason == INTERRUPTED


def test_a_cut_report_is_partial_and_says_where(path: Path) -> None:
    rows = [setup_row(), init_row(), eval_row(FACTS[0])]
    path.write_bytes(to_bytes(rows) + b'\n{"entry_type": "eval", "probe": "xs')
    report = load_report(str(path))
    assert report.warnings == ("line 4 is cut off and was left out",)
    assert report.partial_reason == INTERRUPTED
    assert len(report.measurements) == 1


def test_garak_0_9_opens_with_a_config_row(path: Path) -> None:
    config = {
        "entry_type": "config",
        "model_type": "huggingface",
        "model_name": "gpt2",
        "generations": 10,
    }
    report = load_report(write_report(path, [config, eval_row(FACTS[0])]))
    assert report.target == "huggingface gpt2"
    assert report.partial_reason == "no completion row (garak 0.9 often wrote none)"
    assert report.garak_version is None
    assert report.dialect == "unknown"


@pytest.mark.parametrize(
    ("version", "dialect"),
    [("0.14.1.pre1", "0.14"), ("0.16", "0.16"), ("0.9.0.8", "0.9"), ("1", "1")],
)
def test_odd_versions_are_taken(path: Path, version: str, dialect: str) -> None:
    name = write_report(path, report_rows(FACTS, version=version))
    assert (load_report(name).garak_version, load_report(name).dialect) == (
        version,
        dialect,
    )


def test_setup_and_init_may_be_missing_or_swapped(path: Path) -> None:
    rows = [init_row(), setup_row(), eval_row(FACTS[0])]
    assert load_report(write_report(path, rows)).settings.configuration
    bare = load_report(write_report(path, [eval_row(FACTS[0]), completion_row()]))
    assert (bare.garak_version, bare.target) == (None, "unknown")
    assert bare.settings == parse_settings({})


def test_an_interrupted_scan_says_how_far_it_got_since_0_16(path: Path) -> None:
    judged = f"probes.{FACTS[0].probe}"
    for probes, reason in (
        ([judged, 3, "xss.X", "dan.DAN"], f"{INTERRUPTED} with 1 of 3 probes judged"),
        ("dan.DAN,xss.X", INTERRUPTED),
    ):
        setup = {"transient.active_probes": probes}
        rows = [setup_row(setup), init_row(), eval_row(FACTS[0])]
        assert load_report(write_report(path, rows)).partial_reason == reason


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [attempt_row(PairFacts())],
            "has neither a digest nor eval rows nor a scan's setup; give a garak"
            " report, <prefix>.report.jsonl, not a hit log",
        ),
        (
            [digest_row(FACTS) | {"meta": []}],
            "digest.meta: expected an object, found a",
        ),
        (
            [digest_row(FACTS) | {"meta": {"setup": 3}}],
            "digest.meta.setup: expected an object, found 3",
        ),
        (
            [digest_row(FACTS) | {"meta": {"calibration": "x"}}],
            "digest.meta.calibration: expected an object, found 'x'",
        ),
    ],
)
def test_what_cannot_be_a_report_is_told(
    path: Path, rows: list[object], message: str
) -> None:
    with pytest.raises(ReportError) as caught:
        load_report(write_report(path, rows))
    assert message in str(caught.value)


def test_a_parsed_digest_is_a_report() -> None:
    report = report_from_digest(digest_row(FACTS), name="digest")
    assert [entry.pair_name for entry in report.measurements] == [
        "dan.Ablation_Dan_11_0+dan.DAN",
        "xss.X+xss.D",
    ]
    assert not report.is_partial
    with pytest.raises(ReportError, match="digest: expected an object, found a list"):
        report_from_digest([], name="digest")
