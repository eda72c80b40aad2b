# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Names for Python: of the package, of its documented modules, of what garak serves."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import garak_tbsa
from tests.behaviour.listed.commands import SERVED
from tests.behaviour.product import GOLD, REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "python.md"
DEMO_TARGET = ("garak_tbsa.demo_target", "respond")
"""What garak is given as ``garak_tbsa.demo_target#respond``."""

NOT_FOLLOWED = {
    # everything known, as the stages pass it on
    *("scored", "compared", "found", "audited"),
    *("assessment", "comparison", "summary", "document"),
    # members whose own are listed elsewhere, or that no page speaks of
    *("best", "latest", "failed", "first", "second", "pair"),
    *("measured", "stress", "mirrored", "assumed", "priors", "distribution"),
}


def signature_of(called: Callable[..., Any]) -> str:
    """Return a signature with annotations, without quotes around them."""
    return re.sub(r"""(: |-> )(["'])(.*?)\2""", r"\1\3", str(inspect.signature(called)))


def public_entries() -> dict[str, str]:
    """Every name of ``garak_tbsa.__all__``."""
    return {
        f"python: {name}": _described(getattr(garak_tbsa, name))
        for name in garak_tbsa.__all__
    }


def served_entries() -> dict[str, str]:
    """Every public name of the modules that we answer for in garak's namespace."""
    found: dict[str, str] = {}
    for name in SERVED:
        module = importlib.import_module(name)
        own = [
            each
            for each, value in vars(module).items()
            if not each.startswith("_") and getattr(value, "__module__", "") == name
        ]
        for each in getattr(module, "__all__", own):
            found[f"{name}: {each}"] = _described(getattr(module, each))
    return found


def documented_entries() -> dict[str, str]:
    """Every name of other modules that the page on Python shows."""
    text = PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"automodule:: (\S+)\n +:members: (.*)", text)
    listed += re.findall(r"^from (garak_tbsa\.\S+) import (.*)", text, re.MULTILINE)
    listed += re.findall(r"`(?:\w+=)?(garak_tbsa\.[\w.]+)\.(\w+)\(", text)
    pairs = [(module, name) for module, names in listed for name in names.split(", ")]
    offered = [getattr(garak_tbsa, name) for name in garak_tbsa.__all__]
    found: dict[str, str] = {}
    for module, name in [*pairs, DEMO_TARGET]:
        value = getattr(importlib.import_module(module), name)
        if not any(value is each for each in offered):
            found[f"python {module}: {name}"] = _described(value)
    return found


def _described(value: Any) -> str:
    if isinstance(value, type):
        if issubclass(value, garak_tbsa.GarakTbsaError):
            bases = ", ".join(base.__name__ for base in value.__bases__)
            return f"exception, {bases}, exit code {value.exit_code}"
        fields = inspect.get_annotations(value).items()
        return ", ".join(["class", *(f"{name}: {kind}" for name, kind in fields)])
    return signature_of(value) if callable(value) else type(value).__name__


def result_entries(folder: Path) -> dict[str, str]:
    """Every public member of results, and of the records that they hold.

    Parameters
    ----------
    folder : Path
        Has the files of the demo.
    """
    before, after = _demo(folder)
    results: dict[str, list[Any]] = {
        "ScoreResult": [
            garak_tbsa.score(
                before, hits=1, fail_under=5, require_tier1_grade=5, baseline=after
            ),
            garak_tbsa.score(GOLD / "cut-short.report.jsonl", interval=False),
        ],
        "ComparisonResult": [garak_tbsa.compare(before, after)],
        "HistoryResult": [_history(folder)],
        "AuditResult": [garak_tbsa.audit(before, fail_under=5)],
        "MetricsResult": [garak_tbsa.load_summary()],
    }
    found: dict[str, str] = {}
    for name, values in results.items():
        _members(f"python {name}", values, found)
        for each in dir(values[0]):
            method = getattr(values[0], each)
            if not each.startswith("_") and inspect.ismethod(method):
                found[f"python {name}.{each}()"] = signature_of(method)
    return found


def _history(folder: Path) -> garak_tbsa.HistoryResult:
    """Two scans of one target, one of another like the second, and none."""
    paths = _demo(folder)
    other = folder / "other.report.jsonl"
    after = paths[1].read_text(encoding="utf-8")
    other.write_text(after.replace("tools.real_model", "other"), encoding="utf-8")
    none = folder / "none.report.jsonl"
    none.write_text("", encoding="utf-8")
    return garak_tbsa.history([*paths, other, none])


def table_entries(folder: Path) -> dict[str, str]:
    """Every column of the tables that results make.

    Parameters
    ----------
    folder : Path
        Has the files of the demo.
    """
    before, after = _demo(folder)
    audited = garak_tbsa.audit(before)
    tables = {
        "ScoreResult.to_frame()": garak_tbsa.score(before).to_frame(),
        "ComparisonResult.to_frame()": garak_tbsa.compare(before, after).to_frame(),
        "HistoryResult.to_frame()": garak_tbsa.history([before, after]).to_frame(),
        "AuditResult.to_frame()": audited.to_frame(),
        "AuditResult.to_frame('detectors')": audited.to_frame("detectors"),
        "AuditResult.to_frame('next')": audited.to_frame("next"),
        "MetricsResult.to_frame()": garak_tbsa.load_summary().to_frame(),
    }
    return {
        f"python {name}: column {column}": str(kind)
        for name, table in tables.items()
        for column, kind in table.dtypes.items()
    }


def _demo(folder: Path) -> list[Path]:
    return [folder / f"{name}.report.jsonl" for name in ("before", "after")]


def _members(path: str, records: Iterable[Any], found: dict[str, str]) -> None:
    """Note the members of records that are no functions, and theirs in turn."""
    values: dict[str, list[Any]] = {}
    for each in records:
        for name in dir(each):
            if not name.startswith("_") and not inspect.isroutine(getattr(each, name)):
                values.setdefault(name, []).append(getattr(each, name))
    for name in sorted(values):
        place = f"{path}.{name}"
        if name in NOT_FOLLOWED:
            found[place] = "not followed"
        else:
            found[place] = _kinds(values[name])
            for way, inner in _held(values[name]).items():
                _members(place + way, inner, found)


def _kinds(values: Iterable[Any]) -> str:
    """What values are, and what those that hold others hold together."""
    found: set[str] = set()
    held: dict[str, list[Any]] = {}
    for value in values:
        if value is None:
            found.add("None")
        elif _is_record(value):
            found.add("record")
        elif isinstance(value, Mapping):
            held.setdefault("mapping", []).extend(value.values())
        elif isinstance(value, (list, tuple)):
            held.setdefault(type(value).__name__, []).extend(value)
        else:
            found.add(type(value).__name__)
    for name, inner in held.items():
        found.add(f"{name} of {_kinds(inner)}" if inner else name)
    return " or ".join(sorted(found))


def _is_record(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == garak_tbsa.__name__


def _held(values: Iterable[Any]) -> dict[str, list[Any]]:
    """The records in values, by how they are reached."""
    found: dict[str, list[Any]] = {}
    for value in values:
        if _is_record(value):
            found.setdefault("", []).append(value)
        elif isinstance(value, (Mapping, list, tuple)):
            inner, way = value, "[]"
            if isinstance(value, Mapping):
                inner, way = [*value.values()], "[*]"
            for further, records in _held(inner).items():
                found.setdefault(way + further, []).extend(records)
    return found
