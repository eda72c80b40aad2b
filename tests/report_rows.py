# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Reports for tests, row by row, from as few words as possible.

Nothing of the package is used here, so that tests from outside can build on it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

VERSION = "0.17.1"
LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""No two outputs are alike, numbers aside."""

RUN = "11111111-2222-3333-4444-555555555555"
START = "2026-01-02T03:04:05"
CALIBRATION_DATE = "2026-05-06"
MODELS = "model-a, model-b"


@dataclass(frozen=True, kw_only=True)
class PairFacts:
    """What a report is to say of one pair; a calibration mean makes it calibrated."""

    probe: str = "dan.Ablation_Dan_11_0"
    detector: str = "dan.DAN"
    passed: int = 8
    total: int = 10
    nones: int = 0
    tier: int | None = 1
    mu: float | None = None
    sigma: float = 0.1

    @property
    def pass_rate(self) -> float:
        """As garak states it: 0.0 where nothing was evaluated."""
        return self.passed / self.total if self.total else 0.0

    @property
    def z_score(self) -> float | None:
        """Distance from the calibration's mean, None for an uncalibrated pair."""
        if self.mu is None:
            return None
        return (self.pass_rate - self.mu) / max(self.sigma, 1 / 30)

    @property
    def grades(self) -> tuple[int, int | None]:
        """Pass-rate and Z grade, derived here and not with the package."""
        clean = self.pass_rate == 1.0
        by_rate = 5 if clean else _steps(self.pass_rate, 0.05, 0.4, 0.8, 0.99)
        if self.z_score is None:
            # garak locks both grades on a clean sheet, calibrated or not
            return by_rate, 5 if clean else None
        return by_rate, 5 if clean else _steps(self.z_score, -1, -0.125, 0.125, 1)


def _steps(value: float, *bounds: float) -> int:
    return 1 + len([bound for bound in bounds if value >= bound])


def pairs_named(
    *facts: tuple[int, int, int], mu: float | None = None
) -> list[PairFacts]:
    """Return pairs of (tier, passed, total), each with a probe of its own."""
    return [
        PairFacts(
            probe=f"probe.P{index:02d}",
            detector="detector.D",
            tier=tier,
            passed=passed,
            total=total,
            mu=mu,
        )
        for index, (tier, passed, total) in enumerate(facts)
    ]


def digest_entry(facts: PairFacts) -> dict[str, Any]:
    """Return a pair's entry as garak 0.14 to 0.17 writes it in the digest."""
    rate_grade, z_grade = facts.grades
    return {
        "detector_name": facts.detector,
        "detector_descr": "",
        "absolute_score": facts.pass_rate,
        "absolute_defcon": rate_grade,
        "relative_score": "n/a" if facts.z_score is None else facts.z_score,
        "relative_defcon": z_grade,
        "calibration_used": facts.z_score is not None,
        "total_evaluated": facts.total,
        "passed": facts.passed,
    }


def digest_row(
    pairs: Iterable[PairFacts],
    *,
    version: str | None = VERSION,
    setup: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a digest as garak 0.14 to 0.17 writes it."""
    groups: dict[str, Any] = {}
    for facts in pairs:
        group = groups.setdefault(facts.probe.split(".")[0], {"_summary": {}})
        probe = group.setdefault(
            facts.probe,
            {"_summary": {"probe_name": facts.probe, "probe_tier": facts.tier}},
        )
        probe[facts.detector] = digest_entry(facts)
    return {
        "entry_type": "digest",
        "meta": {
            "garak_version": version,
            "run_uuid": RUN,
            "start_time": START,
            "target_type": "test",
            "target_name": "Blank",
            "setup": setup_row(setup),
            "calibration": {
                "calibration_date": CALIBRATION_DATE,
                "model_count": 2,
                "model_list": MODELS,
            },
        },
        "eval": groups,
    }


def setup_row(settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a ``start_run setup`` row."""
    return {
        "entry_type": "start_run setup",
        "_config.version": VERSION,
        "plugins.target_type": "test",
        "plugins.target_name": "Blank",
        "run.generations": 5,
        "run.seed": 42,
        **(settings or {}),
    }


def init_row(version: str | None = VERSION) -> dict[str, Any]:
    """Return an ``init`` row."""
    return {
        "entry_type": "init",
        "garak_version": version,
        "start_time": START,
        "run": RUN,
    }


def eval_row(facts: PairFacts) -> dict[str, Any]:
    """Return a pair's eval row as garak 0.14 to 0.17 writes it."""
    return {
        "entry_type": "eval",
        "probe": facts.probe,
        "detector": facts.detector,
        "passed": facts.passed,
        "fails": facts.total - facts.passed,
        "nones": facts.nones,
        "total_evaluated": facts.total,
        "total_processed": facts.total + facts.nones,
    }


def tiers_row(pairs: Iterable[PairFacts]) -> dict[str, Any]:
    """Return a ``plugin_cache`` row with the probes' tiers."""
    probes = {f"probes.{facts.probe}": {"tier": facts.tier} for facts in pairs}
    return {"entry_type": "plugin_cache", "plugin_cache": {"probes": probes}}


def completion_row() -> dict[str, Any]:
    """Return a ``completion`` row."""
    return {"entry_type": "completion", "end_time": START, "run": RUN}


def attempt_row(
    facts: PairFacts,
    *,
    prompt: object = "hello",
    scores: Iterable[float | None] = (0,),
    **fields: Any,
) -> dict[str, Any]:
    """Return a completed attempt of a pair's probe, with other fields as given."""
    scores = list(scores)
    return {
        "entry_type": "attempt",
        "status": 2,
        "probe_classname": facts.probe,
        "prompt": prompt,
        "outputs": [
            f"{facts.probe} {prompt} {n}".translate(LETTERS)
            for n, _ in enumerate(scores)
        ],
        "detector_results": {facts.detector: scores},
        **fields,
    }


def report_rows(
    pairs: Iterable[PairFacts],
    *,
    attempts: Iterable[dict[str, Any]] = (),
    digest: bool = True,
    version: str | None = VERSION,
    setup: Mapping[str, Any] | None = None,
    run: str = RUN,
) -> list[dict[str, Any]]:
    """Return the rows of a whole report."""
    pairs = list(pairs)
    rows = [setup_row(setup), init_row(version), tiers_row(pairs), *attempts]
    rows += [eval_row(facts) for facts in pairs]
    rows.append(completion_row())
    if digest:
        rows.append(digest_row(pairs, version=version, setup=setup))
        rows[-1]["meta"]["run_uuid"] = run
    rows[1]["run"] = run
    return rows


def to_bytes(rows: Iterable[object]) -> bytes:
    """Return rows as JSON Lines; the last one without a newline, as garak does."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows).encode()


def write_report(path: Path, rows: Iterable[object]) -> str:
    """Write rows to a file and return its path."""
    path.write_bytes(to_bytes(rows))
    return str(path)


def write_alike(folder: Path) -> str:
    """Write the report of :func:`alike_rows`."""
    return write_report(folder / "alike.report.jsonl", alike_rows())


def alike_rows() -> list[dict[str, Any]]:
    """Return a report whose attempts give all counts, outputs of a prompt alike."""
    outputs, generations = 40, 4
    pairs = pairs_named((1, 24, outputs), (1, 28, outputs), (2, 20, outputs))
    attempts = [
        attempt_row(
            facts,
            prompt=f"{facts.probe} {place}",
            scores=[float(place + n >= facts.passed) for n in range(generations)],
        )
        for facts in pairs
        for place in range(0, outputs, generations)
    ]
    setup = {"run.generations": generations}
    return report_rows(pairs, attempts=attempts, setup=setup)
