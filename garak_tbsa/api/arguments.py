# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of Python callers, checked before anything is read.

On a command line argparse does this; the errors here name the argument as Python does.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from garak_tbsa.api.scoring import ScoringOptions, given_tiers
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_files.source import ReadLimits
from garak_tbsa.garak_files.tiers import parse_tiers
from garak_tbsa.tbsa.gate_options import GATE_OPTIONS, GateRules, alone
from garak_tbsa.tbsa.score import FORMULAS

PathLike = str | os.PathLike[str]
Paths = PathLike | Iterable[PathLike]
Tiers = PathLike | Mapping[str, int]


def path_of(name: str, value: PathLike) -> str:
    """Return a path as text.

    Raises
    ------
    UsageError
        It is none.
    """
    if isinstance(value, str | os.PathLike):
        found = os.fspath(value)
        if isinstance(found, str) and found:
            return found
    raise UsageError(f"{name}: expected a path, found {value!r}")


def paths_of(name: str, value: Paths, *, may_be_empty: bool = False) -> list[str]:
    """Return one path or several as a list of texts.

    Raises
    ------
    UsageError
        One is none, or there is none.
    """
    if isinstance(value, str | os.PathLike) or not isinstance(value, Iterable):
        return [path_of(name, value)]
    found = [path_of(name, each) for each in value]
    if not found and not may_be_empty:
        raise UsageError(f"{name}: expected at least one path, found none")
    return found


def reports_of(value: Paths, *, merge: bool) -> list[str]:
    """Return the paths of one scan.

    Raises
    ------
    UsageError
        There are several and nobody says that they are one scan, or one is a folder.
    """
    found = paths_of("report", value)
    if len(found) > 1 and not merge:
        raise UsageError(
            f"report: expected one report, found {len(found)}; give merge=True if they"
            " hold parts of one scan, or score each by itself"
        )
    for path in found:
        if os.path.isdir(path):
            raise UsageError(
                f"report: {path} is a folder; garak_tbsa.history scores every report"
                " below it"
            )
    return found


def require_one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse a word that is none of these."""
    if value not in allowed:
        raise UsageError(
            f"{name}: expected {' or '.join(map(repr, allowed))}, found {value!r}"
        )


def require_number(
    name: str, value: float, low: float, high: float = math.inf, *, whole: bool = False
) -> None:
    """Refuse what is no number, or not between these, ends included."""
    kind = int if whole else int | float
    is_number = isinstance(value, kind) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        noun = "a whole number" if whole else "a number"
        bounds = f"of at least {low:g}"
        if high != math.inf:
            bounds = f"from {low:g} to {high:g}"
        raise UsageError(f"{name}: expected {noun} {bounds}, found {value!r}")


def require_share(name: str, value: float) -> None:
    """Refuse what is not between 0 and 1, ends excluded."""
    if not isinstance(value, float) or not 0 < value < 1:
        raise UsageError(f"{name}: expected a number between 0 and 1, found {value!r}")


def limits_of(max_decoded_size: int, max_line_size: int) -> ReadLimits:
    """Return how much is read of a report.

    Raises
    ------
    UsageError
        One is no whole number of bytes.
    """
    require_number("max_decoded_size", max_decoded_size, 1, whole=True)
    require_number("max_line_size", max_line_size, 1, whole=True)
    return ReadLimits(decoded=max_decoded_size, line=max_line_size)


def scoring_of(
    formula: str,
    calibration: PathLike,
    tiers: Tiers | None,
    max_decoded_size: int,
    max_line_size: int,
) -> ScoringOptions:
    """Return how reports are to be scored.

    Raises
    ------
    UsageError
        An argument is not what it must be.
    ReportError
        The file of tiers is none.
    """
    require_one_of("formula", formula, FORMULAS)
    limits = limits_of(max_decoded_size, max_line_size)
    if isinstance(tiers, Mapping):
        known = _tiers_of(tiers)
    else:
        known = given_tiers(None if tiers is None else path_of("tiers", tiers))
    return ScoringOptions(
        formula=formula,
        calibration=path_of("calibration", calibration),
        limits=limits,
        tiers=known,
    )


def _tiers_of(given: Mapping[str, int]) -> Mapping[str, int]:
    try:
        content = json.dumps(dict(given), allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise UsageError(f"tiers: expected numbers by probe name ({error})") from None
    return parse_tiers(content, source="tiers")


def gate_rules_of(**given: Any) -> GateRules:
    """Return what is asked of a scan.

    Parameters
    ----------
    **given
        Value by the name of its :class:`~garak_tbsa.tbsa.gate_options.GateOption`; None
        asks nothing.

    Raises
    ------
    UsageError
        A value is not what it must be, or has no effect without another one.
    """
    for option in GATE_OPTIONS:
        value = given.setdefault(option.name, option.default)
        if value is None:
            continue
        try:
            given[option.name] = option.from_setting(value)
        except ValueError as error:
            raise UsageError(f"{option.name}: {error}") from None
    lonely = alone(given)
    if lonely is not None:
        raise UsageError(
            f"{lonely.name} has no effect without {' or '.join(lonely.needs)};"
            " give that too"
        )
    return GateRules(**given)


def labels_by_value(given: Mapping[str, str] | None) -> dict[str, Any]:
    """Return other spellings of the labels, checked.

    Raises
    ------
    UsageError
        One is neither for ``hit`` nor for ``pass``.
    """
    found = dict(given or {})
    for value, label in found.items():
        if label not in ("hit", "pass"):
            raise UsageError(
                f"label_values: expected 'hit' or 'pass' for {value!r}, found {label!r}"
            )
    return found


def detector_options_text(given: Mapping[str, Any] | None) -> str:
    """Return options of detectors as garak's ``--detector_options`` takes them.

    Raises
    ------
    UsageError
        They are nothing that JSON can say.
    """
    if not given:
        return ""
    try:
        return json.dumps(dict(given), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(
            f'detector_options: expected {{"module": {{"Class": {{"option": value}}}}}}'
            f" ({error})"
        ) from None
