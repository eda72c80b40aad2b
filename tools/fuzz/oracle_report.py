# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What the independent score reads: strict, with the standard library alone."""

from __future__ import annotations

import gzip
import importlib.util
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import zstandard

MOST_OUTPUTS = 400_000_000
LONGEST_NAME = 512
SAFE_DEPTH = 50
TIERS = (1, 2, 3, 9)
ROOT = Path(__file__).parents[2]
Z_NAMES = ("zscore", "relative_score")

Row = dict[str, Any]


class Outside(Exception):  # noqa: N818 (no error: the oracle says nothing)
    """The report is not one about which the formula says anything."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A pair as one place of the report states it, all fields checked."""

    probe: str
    detector: str
    passed: int | None
    total: int | None
    rate: Fraction | None = None
    z_score: Fraction | None = None
    rate_grade: int | None = None
    z_grade: int | None = None
    tier: int | None = None


# the report


def unpacked(content: bytes) -> bytes:
    """Return a report's bytes without compression."""
    try:
        if content.startswith(b"\x1f\x8b"):
            return gzip.decompress(content)
        if content.startswith(b"\x28\xb5\x2f\xfd"):
            return _frames(content)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as error:
        raise Outside("damaged compression") from error
    return content


def _frames(content: bytes) -> bytes:
    whole = b""
    while content:
        frame = zstandard.ZstdDecompressor().decompressobj()
        whole += frame.decompress(content)
        if not frame.eof:
            raise Outside("a cut frame")
        content = frame.unused_data
    return whole


def rows_of(content: bytes) -> list[Row]:
    """Return the rows; an incomplete last one is left out."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    lines = [line for line in lines if line.strip()]
    rows = []
    for place, line in enumerate(lines):
        try:
            rows.append(_row(line))
        except ValueError as error:
            # a scan that was interrupted may end within a row
            if place == 0 or place < len(lines) - 1 or line.rstrip()[-1:] == b"}":
                raise Outside("a row is not JSON") from error
    if not rows:
        raise Outside("no row")
    return rows


def _row(line: bytes) -> Row:
    try:
        row = json.loads(
            line.decode("utf-8", "replace"),
            object_pairs_hook=_distinct,
            parse_constant=_no_constant,
            parse_float=_decimal,
        )
    except RecursionError as error:
        raise Outside("nested too deeply") from error
    if not isinstance(row, dict) or not isinstance(row.get("entry_type"), str):
        raise Outside("a row without a type")
    if _depth(row) > SAFE_DEPTH:
        raise Outside("nested deeper than garak writes")
    return row


def _distinct(pairs: list[tuple[str, Any]]) -> Row:
    row = dict(pairs)
    if len(row) < len(pairs):
        raise Outside("a key twice in one object")
    return row


def _no_constant(name: str) -> None:
    raise Outside(f"{name} is not JSON")


def _decimal(text: str) -> Fraction:
    """Return the number as it is written, as far as a float tells it from others."""
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Outside("a number beyond floats")
    return Fraction(repr(value))


def _depth(value: object) -> int:
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return 0
    return 1 + max(map(_depth, value), default=0)


def only_digest(rows: list[Row]) -> Row | None:
    """Return the digest, None where there is none."""
    digests = [row for row in rows if row["entry_type"] == "digest"]
    if len(digests) > 1:
        raise Outside("several digests")
    return digests[0] if digests else None


def check_frame(rows: list[Row], digest: Row | None) -> None:
    """Leave alone what is not one scan with a setup of the usual form."""
    kinds = [row["entry_type"] for row in rows]
    if any(kinds.count(kind) > 1 for kind in ("start_run setup", "config", "init")):
        raise Outside("several scans in one file")
    if digest is not None:
        meta = _object(digest, "meta")
        _object(meta, "calibration")
        _object(meta, "setup")


def plugin_cache_tiers(rows: list[Row]) -> dict[str, int]:
    """Return tier by probe, as ``plugin_cache`` rows have it."""
    tiers: dict[str, int] = {}
    for row in rows:
        if row["entry_type"] != "plugin_cache":
            continue
        probes = _object(_object(row, "plugin_cache"), "probes")
        for name, probe in probes.items():
            if not isinstance(probe, dict):
                raise Outside("a probe that is no object")
            tier = _one_of(probe, "tier", TIERS)
            if tier is not None:
                bare = name.removeprefix("probes.")
                if tiers.setdefault(bare, tier) != tier:
                    raise Outside("two tiers for one probe")
    return tiers


def digest_entries(digest: Row) -> Iterator[Entry]:
    """Yield a digest's entries, in its order."""
    for group in _objects(_object(digest, "eval")).values():
        for probe_name, probe in _objects(group).items():
            if probe_name == "_summary":
                continue
            tier = _one_of(_object(probe, "_summary"), "probe_tier", TIERS)
            for detector_name, numbers in _objects(probe).items():
                if detector_name != "_summary":
                    yield _digest_entry(probe_name, detector_name, numbers, tier)


def _digest_entry(probe: str, detector: str, numbers: Row, tier: int | None) -> Entry:
    old = "zscore" in numbers
    if old and any(name.startswith("relative_") for name in numbers):
        raise Outside("the names of two dialects in one entry")
    entry = Entry(
        probe=_name(probe).removeprefix("probes."),
        detector=_bare(_name(numbers.get("detector_name", detector))),
        passed=_count(numbers, "passed"),
        total=_count(numbers, "total_evaluated"),
        rate=_number(numbers, "absolute_score"),
        z_score=_number(numbers, "zscore" if old else "relative_score"),
        rate_grade=_one_of(numbers, "absolute_defcon", (1, 2, 3, 4, 5)),
        z_grade=_one_of(
            numbers, "zscore_defcon" if old else "relative_defcon", (1, 2, 3, 4, 5)
        ),
        tier=tier,
    )
    if entry.rate is None or not 0 <= entry.rate <= 1:
        raise Outside("no pass rate")
    _check_counts(entry)
    return entry


def eval_entry(row: Row) -> Entry:
    """Return the entry of an eval row."""
    total = "total_evaluated" if "total_evaluated" in row else "total"
    entry = Entry(
        probe=_name(row.get("probe")).removeprefix("probes."),
        detector=_bare(_name(row.get("detector"))),
        passed=_count(row, "passed"),
        total=_count(row, total),
    )
    if entry.passed is None or entry.total is None:
        raise Outside("an eval row without counts")
    _count(row, "nones")
    _check_counts(entry)
    return entry


def with_counts(stated: list[Entry], evals: list[Entry]) -> list[Entry]:
    """Take the counts that a digest up to 0.13.3 lacks from its eval rows."""
    counts = {(row.probe, row.detector): row for row in evals}
    if len(counts) < len(set(evals)):
        raise Outside("eval rows that contradict each other")
    completed = []
    for entry in stated:
        row = counts.get((entry.probe, entry.detector))
        if row is not None and (entry.passed is None or entry.total is None):
            values = {**vars(entry), "passed": row.passed, "total": row.total}
            entry = Entry(**values)
        completed.append(entry)
    return completed


# fields


def _object(parent: Row, key: str) -> Row:
    value = parent.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise Outside(f"{key} is no object")
    return value


def _objects(parent: Row) -> Row:
    if not all(isinstance(value, dict) for value in parent.values()):
        raise Outside("a level that is no object")
    return parent


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST_NAME:
        raise Outside("no name")
    return value


def _bare(name: str) -> str:
    return name.removeprefix("detector.").removeprefix("detectors.")


def _number(row: Row, key: str) -> Fraction | None:
    value = row.get(key)
    if value is None or (value == "n/a" and key in Z_NAMES):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise Outside(f"{key} is no number")
    if not -(10**300) < value < 10**300:
        raise Outside(f"{key} is beyond floats")
    return Fraction(value)


def _count(row: Row, key: str) -> int | None:
    value = _number(row, key)
    if value is None:
        return None
    if value.denominator != 1 or not 0 <= value <= MOST_OUTPUTS:
        raise Outside(f"{key} is no count")
    return int(value)


def _one_of(row: Row, key: str, allowed: tuple[int, ...]) -> int | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or value not in allowed:
        raise Outside(f"{key} is none of {allowed}")
    return int(value)


def _check_counts(entry: Entry) -> None:
    if entry.passed is None or entry.total is None:
        return
    if entry.passed > entry.total:
        raise Outside("more passed than evaluated")


# what the installed garak knows


@lru_cache(maxsize=1)
def _garak() -> Path:
    spec = importlib.util.find_spec("garak")
    if spec is None or not spec.submodule_search_locations:
        raise Outside("no garak is installed")
    return Path(next(iter(spec.submodule_search_locations)))


@lru_cache(maxsize=1)
def installed_tiers() -> Mapping[str, int]:
    """Return tier by probe, as the installed garak has it."""
    cache = json.loads((_garak() / "resources/plugin_cache.json").read_text("utf-8"))
    return {
        name.removeprefix("probes."): probe["tier"]
        for name, probe in cache["probes"].items()
    }


@lru_cache(maxsize=1)
def renamed_probes() -> Mapping[str, str]:
    """Return the later name by probe, from the package's table, which is data."""
    path = ROOT / "garak_tbsa/report/renamed_probes.json"
    table = json.loads(path.read_text("utf-8"))
    return {entry["old"]: entry["new"] for entry in table["renamed"]}


@lru_cache(maxsize=1)
def installed_calibration() -> Mapping[str, Any]:
    """Return mu and sigma by ``probe/detector``."""
    path = _garak() / "data/calibration/calibration.json"
    calibration = json.loads(path.read_text("utf-8"))
    calibration.pop("garak_calibration_meta", None)
    return dict(calibration)
