# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Any report of any garak release becomes one Report, from its digest or its rows."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

import garak_tbsa
from garak_tbsa import GarakTbsaError, load_report
from garak_tbsa.report import report as module
from garak_tbsa.report.calibration import CalibrationIdentity, text_sha256
from garak_tbsa.report.report import Report
from tests import report_rows as rows_of
from tests.behaviour.product import tbsa
from tests.report_rows import (
    PairFacts,
    attempt_row,
    digest_row,
    eval_row,
    init_row,
    pairs_named,
    report_rows,
    setup_row,
    to_bytes,
    write_report,
)

FACTS = [PairFacts(mu=0.5), PairFacts(probe="xss.X", detector="xss.D", tier=2)]
PAIRS = pairs_named((1, 9, 10), (1, 0, 10), (2, 8, 10))
NAMES = ["dan.Ablation_Dan_11_0+dan.DAN", "xss.X+xss.D"]
INTERRUPTED = "no completion row: the scan was interrupted"
OTHER_RUN = "99999999-2222-3333-4444-555555555555"
ATTEMPT = attempt_row(FACTS[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "r.report.jsonl"


def loaded(path: Path, content: bytes) -> Report:
    path.write_bytes(content)
    return load_report(str(path))


def counted(report: Report) -> list[tuple[str, int | None]]:
    return [(entry.pair_name, entry.passed) for entry in report.measurements]


def test_the_digest_says_it_all(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Flat cost, whatever the size: only the end is read. The last digest counts."""
    with monkeypatch.context() as patch:
        patch.delattr(module, "read_lines")
        report = loaded(path, b"not looked at\n" + to_bytes(report_rows(FACTS)))
    assert (report.source, report.origin) == (str(path), "digest")
    assert (report.garak_version, report.dialect) == ("0.17.1", "0.17")
    assert (report.run_uuid, report.start_time) == (rows_of.RUN, rows_of.START)
    assert (report.target, report.warnings) == ("test Blank", ())
    assert (report.has_digest_grades, report.is_partial) == (True, False)
    assert report.row_findings is None
    assert report.calibration == CalibrationIdentity(
        date=rows_of.CALIBRATION_DATE, models=text_sha256(rows_of.MODELS)
    )
    better = [PairFacts(passed=10, mu=0.5)]
    rows = [*report_rows(FACTS), digest_row(better), ATTEMPT]
    report = load_report(write_report(path, rows))
    assert (counted(report), report.is_partial) == ([(NAMES[0], 10)], False)
    report = module.report_from_digest(digest_row(FACTS), name="digest")
    assert (len(report.measurements), report.is_partial) == (2, False)
    with pytest.raises(
        GarakTbsaError, match="digest: expected an object, found a list"
    ):
        module.report_from_digest([], name="digest")


def test_the_rows_tell_the_same_as_the_digest(path: Path) -> None:
    """And what a digest does not tell: counts up to garak 0.13.3, or anything."""
    for digest in (True, False):
        report = load_report(write_report(path, report_rows(FACTS, digest=digest)))
        assert counted(report) == [(name, 8) for name in NAMES]
        assert [entry.total_evaluated for entry in report.measurements] == [10, 10]
        assert (report.garak_version, report.run_uuid) == ("0.17.1", rows_of.RUN)
        assert report.settings.configuration == {"run.generations": 5}
        assert not report.is_partial
    assert report.tiers == {"dan.Ablation_Dan_11_0": 1, "xss.X": 2}
    rows = report_rows(FACTS)
    for facts in FACTS:
        group = rows[-1]["eval"][facts.probe.partition(".")[0]]
        del group[facts.probe][facts.detector]["passed"]
        del group[facts.probe][facts.detector]["total_evaluated"]
    report = load_report(write_report(path, rows))
    assert report.origin == "digest, counts from eval rows"
    assert counted(report) == [(name, 8) for name in NAMES]
    assert report.measurements[0].z_score == FACTS[0].z_score
    report = load_report(write_report(path, rows[-1:]))
    assert (report.origin, report.is_partial) == ("digest", False)
    assert [entry.has_counts for entry in report.measurements] == [False, False]
    rows[-1]["eval"] = {}
    report = load_report(write_report(path, rows))
    assert (report.origin, report.calibration) == ("eval rows", None)
    assert report.warnings == ("the digest has no results, so the eval rows were used",)
    assert len(report.measurements) == 2


BEGUN = [setup_row(), init_row(), eval_row(FACTS[0])]
PROBES = "transient.active_probes"
JUDGED = [f"probes.{FACTS[0].probe}", 3, "xss.X", "dan.DAN"]
OF_0_9: list[Any] = [
    {"entry_type": "config", "model_type": "huggingface", "model_name": "gpt2"},
    eval_row(FACTS[0]),
]


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (BEGUN, INTERRUPTED),
        ([*BEGUN, digest_row(FACTS[:1])], INTERRUPTED),
        # since garak 0.16
        (
            [setup_row({PROBES: JUDGED}), *BEGUN[1:]],
            f"{INTERRUPTED} with 1 of 3 probes judged",
        ),
        (
            [setup_row({PROBES: "dan.DAN, xss.X"}), *BEGUN[1:]],
            f"{INTERRUPTED} with 0 of 2 probes judged",
        ),
        ([setup_row({PROBES: ["all", "*", "auto"]}), *BEGUN[1:]], INTERRUPTED),
        (OF_0_9, "no completion row (garak 0.9 often wrote none)"),
    ],
)
def test_a_scan_without_completion_is_partial(
    path: Path, rows: list[Any], reason: str
) -> None:
    assert load_report(write_report(path, rows)).partial_reason == reason


def test_rows_of_any_release_that_are_odd_or_missing_are_borne(path: Path) -> None:
    versions = {"0.14.1.pre1": "0.14", "0.16": "0.16", "0.9.0.8": "0.9", "1": "1"}
    for version, dialect in versions.items():
        rows = report_rows(FACTS, version=version)
        report = load_report(write_report(path, rows))
        assert (report.garak_version, report.dialect) == (version, dialect)
    report = load_report(write_report(path, OF_0_9))
    assert (report.garak_version, report.dialect) == (None, "unknown")
    assert report.target == "huggingface gpt2"
    rows = [init_row(), setup_row(), eval_row(FACTS[0])]
    assert load_report(write_report(path, rows)).settings.configuration
    rows = [eval_row(FACTS[0]), rows_of.completion_row()]
    bare = load_report(write_report(path, rows))
    assert (bare.garak_version, bare.target) == (None, "unknown")
    assert asdict(bare.settings) == {
        "configuration": {},
        "eval_threshold": 0.5,
        "selected_probes": frozenset(),
        "aggregated_from": None,
        "is_old": False,
        **dict.fromkeys(
            (
                *("seed", "generations", "garak_version", "run_uuid", "start_time"),
                *("target_type", "target_name"),
            )
        ),
    }
    untold: dict[str, Any] = {"probes": {"probes.x.X": {}}}
    rows = [eval_row(FACTS[0]), {"entry_type": "plugin_cache", "plugin_cache": untold}]
    rows.append({"entry_type": "plugin_cache"})
    assert load_report(write_report(path, rows)).tiers == {}


EVAL = to_bytes([eval_row(FACTS[0])])


@pytest.mark.parametrize(
    ("end", "cut_line"),
    [
        (b'\n{"entry_type": "eval", "pro', 2),
        (b'\n{"entry_type": "attempt", "prompt": "hel', 2),
        (b'\n{"entry_type": "attempt"}', None),
        (b'\n{"entry_type": "attempt"}\n\n', None),
        (b"\n\x00\x00\x00\x00", 2),
        (b"\n\n \n", None),
    ],
)
def test_a_cut_last_line_is_noticed(
    path: Path, end: bytes, cut_line: int | None
) -> None:
    report = loaded(path, EVAL + end)
    warning = (f"line {cut_line} is cut off and was left out",)
    assert report.warnings == (warning if cut_line else ())
    assert len(report.measurements) == 1


def test_attempts_cost_speed_at_most_and_never_correctness(path: Path) -> None:
    """Garak's own are not parsed, whatever they hold."""
    row = json.dumps(dict(reversed(eval_row(FACTS[0]).items())), separators=(",", ":"))
    end = b"\n" + row.replace("eval", "\\u0065val").encode()
    for text in (
        b'{"entry_type": "attempt", "outputs": [ \x00 ][[ }',
        b'{"uuid": "1", "entry_type": "attempt", "outputs": [null, ""]}',
        b' {"entry_type":"attempt"}',
        b'{"entry_type": "\\u0061ttempt"}',
    ):
        assert len(loaded(path, text + end).measurements) == 1


def test_a_digest_over_several_lines_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(digest_row(FACTS), indent=2).encode()
    for content in (text, b"\xef\xbb\xbf" + text):
        assert loaded(path, content).origin == "digest"
    monkeypatch.setattr(module, "WHOLE_FILE_LIMIT", 100)
    with pytest.raises(GarakTbsaError, match=r"line 1: expected a JSON object"):
        loaded(path, text)


NO_JSON = "expected a JSON object, found no JSON ("
NO_TYPE = "row.entry_type: expected a text, found"
AT_PROBE = "plugin_cache[...]"


def with_meta(meta: object) -> bytes:
    return to_bytes([digest_row(FACTS) | {"meta": meta}])


def with_tiers(tiers: object) -> bytes:
    cache = {"probes": {"probes.x": tiers}}
    return to_bytes([{"entry_type": "plugin_cache", "plugin_cache": cache}])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            to_bytes([attempt_row(PairFacts())]),
            ": has neither a digest nor eval rows nor a scan's setup; give a garak"
            " report, <prefix>.report.jsonl, not a hit log",
        ),
        (with_meta([1]), "digest.meta: expected an object, found a list"),
        (with_meta([]), "digest.meta: expected an object, found a list"),
        (with_meta(""), "digest.meta: expected an object, found ''"),
        (with_meta({"setup": 3}), "digest.meta.setup: expected an object, found 3"),
        (
            with_meta({"calibration": "x"}),
            "digest.meta.calibration: expected an object, found 'x'",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n",
            "line 1: is a Git LFS pointer, not the report itself;"
            " fetch it with: git lfs pull",
        ),
        (
            b"<html></html>",
            "line 1: is a web page or XML, expected JSON Lines;"
            " give the .report.jsonl beside garak's .report.html",
        ),
        (b"hello", f"line 1: {NO_JSON}"),
        (EVAL + b'\n{oops}\n{"entry_type": "attempt"}', f"line 2: {NO_JSON}"),
        (EVAL + b"\n" + b"[" * 200_000 + b"\n" + EVAL, f"line 2: {NO_JSON}nested"),
        (b"NaN", "line 1: row: expected an object, found nan"),
        (b'{"entry_type": ["eval"]}', f"{NO_TYPE} a list"),
        (with_tiers(1), f"{AT_PROBE}: expected an object, found a whole"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_what_is_no_report_is_told(path: Path, content: bytes, message: str) -> None:
    with pytest.raises(GarakTbsaError) as caught:
        loaded(path, content)
    assert message in str(caught.value)


def disagreeing() -> dict[str, list[Any]]:
    """Reports whose digest and rows differ, by what is said of them."""
    first, second = "probe.P00+D", "probe.P01+D"
    *whole, digest = report_rows(PAIRS)
    better = pairs_named((1, 9, 10), (1, 10, 10), (2, 8, 10))
    lower = pairs_named((1, 9, 10), (3, 0, 10), (2, 8, 10))
    other_run = [{**row, "run": OTHER_RUN} for row in whole]
    setups = [{"transient.run_id": run} for run in ("a", "b")]
    # garak repeats the last setup in the digest
    last = digest_row(PAIRS, setup=setups[-1])
    other_setup = setup_row({"run.generations": 10, "run.seed": 7})
    without = [row for row in whole if row.get("probe") != PAIRS[1].probe]
    lacking = digest_row(PAIRS[:1] + PAIRS[2:])
    no_evals = [setup_row(), init_row(), rows_of.tiers_row(PAIRS), digest]
    passed = "passed in the digest"
    return {
        f"{second}: has an eval row but is not in the digest": [*whole, lacking],
        f"{second}: is in the digest but has no eval row": [*without, digest],
        f"{second}: 10 of 10 {passed}, 0 of 10 passed in its eval row at line 5": [
            *whole,
            digest_row(better),
        ],
        f"{first}: 9 of 10 {passed}, 3 of 10 passed in its eval row at line 1": [
            eval_row(pairs_named((1, 3, 10))[0]),
            *whole,
            digest,
        ],
        "probe.P01: Tier 3 in the digest, Tier 1 in its plugin_cache row": [
            *whole,
            digest_row(lower),
        ],
        f"the file holds rows of 2 scans ({rows_of.RUN}, {OTHER_RUN})": [
            *(*whole, *other_run, digest),
        ],
        "the file holds rows of 2 scans (a, b)": [
            *(*map(setup_row, setups), *whole[1:], last),
        ],
        "the file holds 2 digests": [*whole, digest, *whole, digest],
        "the digest's setup differs from the file's setup row in run.generations,"
        " run.seed; the digest's was used": [other_setup, *whole[1:], digest],
        "the file has no eval rows to check its digest with": no_evals,
    }


def failed_by(path: Path | str) -> Any:
    """What fails a gate that asks as little as can be asked."""
    gate = garak_tbsa.score(path, min_coverage=0, interval=False).gate
    assert gate is not None
    return gate.failed


@pytest.mark.parametrize("said", disagreeing())
def test_a_digest_that_its_rows_contradict_is_found(path: Path, said: str) -> None:
    write_report(path, disagreeing()[said])
    assert [each.found for each in failed_by(path)] == [said]


def test_one_disagreement_hides_no_other(path: Path) -> None:
    *whole, _ = report_rows(PAIRS)
    worse = pairs_named((1, 9, 10), (1, 0, 10), (2, 7, 10))
    write_report(path, [*whole, digest_row(worse[1:])])
    (outcome,) = failed_by(path)
    assert outcome.found == (
        "probe.P00+D: has an eval row but is not in the digest; probe.P02+D: 7 of 10"
        " passed in the digest, 8 of 10 passed in its eval row at line 6"
    )


def test_a_report_that_agrees_has_no_finding(gold_report: str) -> None:
    assert failed_by(gold_report) == ()


def test_no_gate_passes_a_digest_that_its_rows_contradict(path: Path) -> None:
    """Half the digest deleted gave 5.0 instead of 4.1."""
    said, rows = next(iter(disagreeing().items()))
    write_report(path, rows)
    gate = tbsa("score", path, "--fail-under", 1)
    assert (gate.code, said in gate.out) == (3, True)
    strict = tbsa("score", "--strict", path)
    assert (strict.code, said in strict.err) == (1, True)
    given = tbsa("score", "-", "--fail-under", 1, stdin=path.read_bytes())
    assert (given.code, tbsa("score", path).code) == (3, 0)
