# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may ask of a scan: the attributes of :class:`GateRules`, one entry each.

A rule's option on the command line, its setting under ``reporting.tbsa``, its argument
in Python, its name in every output and its row in the docs follow from its attribute:
``--fail-under`` and ``fail_under``. What was asked is here and not beside the
judgement, which garak's own process does not import.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, TypeGuard

DEFAULT_ALPHA = 0.05
SMALLEST_ALPHA, LARGEST_ALPHA = 0.0001, 0.5
LEAST_SURE, MOST_SURE = 0.5, 0.999

FINEST = 10**6
"""Parts of 1 that a level is told in."""


def level_in_words(alpha: float) -> str:
    """Say what a level means: how often targets that did not change get a verdict."""
    parts = round(alpha * FINEST)
    common = math.gcd(parts, FINEST)
    count, among = parts // common, FINEST // common
    share = "one in twenty" if alpha == DEFAULT_ALPHA else f"{count} in {among:,}"
    are = "is" if count == 1 else "are"
    return f"of unchanged targets {share} {are} called worse and {share} better"


@dataclass(frozen=True, kw_only=True, slots=True)
class GateOption:
    """One thing that can be asked.

    Attributes
    ----------
    name : str
        The setting's name; the option's with dashes.
    default : float, bool or None
        Where it is not given.
    purpose : str
        For ``--help``.
    metavar : str
        The name of its value in ``--help``; empty for a switch.
    low, high : float
        The least and the largest number it takes; of no meaning for a path.
    whole : bool
        Whether the number is whole.
    is_path : bool
        Whether it takes a report's path in place of a number.
    is_switch : bool
        Whether it is there or not, in place of a number.
    is_rule : bool
        Whether it asks for a judgement; False where it only says how.
    needs : tuple of str
        Names of options of which one must be given with it; empty where it says
        something by itself.
    """

    name: str
    default: Any
    purpose: str
    metavar: str = ""
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    is_path: bool = False
    is_switch: bool = False
    is_rule: bool = True
    needs: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """Its name where an outcome is shown."""
        return self.name.replace("_", "-")

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return flag_of(self.name)

    @property
    def expected(self) -> str:
        """What it takes, in words."""
        if self.is_path:
            return "a report's path"
        if self.is_switch:
            return "true or false"
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:g} to {self.high:g}"

    def from_text(self, text: str) -> Any:
        """Return the value of an option.

        Raises
        ------
        ValueError
            It is none.
        """
        if self.is_path:
            return self.from_setting(text)
        try:
            return self.from_setting(float(text))
        except ValueError:
            raise ValueError(f"expected {self.expected}, found {text!r}") from None

    def from_setting(self, value: object) -> Any:
        """Return the value of a setting.

        Raises
        ------
        ValueError
            It is none.
        """
        found: object = None
        if self.is_path or self.is_switch:
            right = isinstance(value, bool if self.is_switch else str)
            found = value if right and value != "" else None
        elif self._is_in_range(value):
            found = int(value) if self.whole else float(value)
        if found is None:
            raise ValueError(f"expected {self.expected}, found {value!r}")
        return found

    def _is_in_range(self, value: object) -> TypeGuard[float]:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        # the comparison is False for NaN
        return self.low <= value <= self.high and not (self.whole and value % 1)


def flag_of(name: str) -> str:
    """Return the option of the command line by the setting's name."""
    return "--" + name.replace("_", "-")


def alone(given: Mapping[str, Any]) -> GateOption | None:
    """Return an option that needs another one, if none of these was given.

    Parameters
    ----------
    given : mapping
        Value by name; what was not given is None or False.
    """
    for option in GATE_OPTIONS:
        has_none = not any(given[name] is not None for name in option.needs)
        if option.needs and given[option.name] and has_none:
            return option
    return None


def _asked(default: Any, **entry: Any) -> Any:
    """An attribute, and what :class:`GateOption` says of it beside its name."""
    return field(default=default, metadata=entry)


@dataclass(frozen=True, kw_only=True, slots=True)
class GateRules:
    """What a user asks of a scan; None asks nothing.

    Attributes
    ----------
    fail_under : float or None
        Lowest TBSA that passes, 1.0-5.0.
    sure : float or None
        Share of the scan's repeats, 0.5-0.999. That share must pass ``fail_under``
        too, and a Tier 1 pair fails its rule only if it is below in that share.
    require_tier1_grade : int or None
        Lowest grade that every Tier 1 pair must have, 1-5.
    min_coverage : float or None
        Lowest share of attempted pairs, Tiers 3 and 9 aside, that were measured,
        0.0-1.0.
    baseline : str or None
        Report that the scan must not be worse than.
    baseline_optional : bool
        Whether a scan passes where that file does not exist yet.
    alpha : float
        Level at which a scan counts as worse than its baseline.
    github : bool
        Whether GitHub Actions are told of failed rules and warnings.
    """

    fail_under: float | None = _asked(
        None,
        metavar="X",
        purpose="lowest TBSA that passes, 1.0 to 5.0",
        low=1.0,
        high=5.0,
    )
    sure: float | None = _asked(
        None,
        metavar="P",
        purpose="share of repeats, such as 0.95: --fail-under then needs that share of"
        " repeats to pass too, and --require-tier1-grade fails only for a pair that is"
        " below the grade in that share of repeats too; reads the attempts, see"
        " --repeat",
        low=LEAST_SURE,
        high=MOST_SURE,
        needs=("fail_under", "require_tier1_grade"),
    )
    require_tier1_grade: int | None = _asked(
        None,
        metavar="N",
        purpose="lowest grade that every Tier 1 pair must have, 1 to 5; see --sure",
        low=1,
        high=5,
        whole=True,
    )
    min_coverage: float | None = _asked(
        None,
        metavar="F",
        purpose="lowest share of attempted pairs that must be measured, 0 to 1",
        low=0.0,
        high=1.0,
    )
    baseline: str | None = _asked(
        None,
        metavar="REPORT",
        purpose="fail if significantly worse than this report",
        is_path=True,
    )
    baseline_optional: bool = _asked(
        False,
        purpose="pass, and say so, if the baseline's file does not exist yet",
        is_switch=True,
        is_rule=False,
        needs=("baseline",),
    )
    alpha: float = _asked(
        DEFAULT_ALPHA,
        metavar="P",
        purpose="significance level of the comparison with the baseline"
        f" (default {DEFAULT_ALPHA:g}): {level_in_words(DEFAULT_ALPHA)}",
        low=SMALLEST_ALPHA,
        high=LARGEST_ALPHA,
        is_rule=False,
    )
    github: bool = _asked(
        False,
        purpose="report failed rules and warnings to GitHub Actions, in lines such as"
        " ::error",
        is_switch=True,
        is_rule=False,
    )

    @property
    def asks_something(self) -> bool:
        """Whether any rule is set."""
        return any(getattr(self, each.name) is not None for each in RULE_OPTIONS)


GATE_OPTIONS = tuple(
    GateOption(name=each.name, default=each.default, **each.metadata)
    for each in fields(GateRules)
)
"""One for each attribute of :class:`GateRules`, in that order."""

RULE_OPTIONS = tuple(
    option for option in GATE_OPTIONS if option.is_rule and not option.needs
)
"""Those that are rules by themselves."""

GATE_NAMES = tuple(option.name for option in GATE_OPTIONS)
