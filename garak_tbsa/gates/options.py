# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may ask of a scan: the attributes of :class:`GateRules`, one entry each.

A rule's option on the command line, its setting under ``reporting.tbsa``, its argument
in Python, its name in every output and its row in the docs follow from its attribute:
``--fail-under`` and ``fail_under``. Garak's own process imports this module, and no
more of ours than it needs to know whether a gate is set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from garak_tbsa.errors import UsageError
from garak_tbsa.option import Option

DEFAULT_ALPHA = 0.05
DEFAULT_MAX_UNDETECTABLE = 0.5
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
class GateOption(Option):
    """One thing that can be asked.

    Attributes
    ----------
    name : str
        The setting's name; the option's with dashes.
    default : float, bool or None
        Where it is not given.
    purpose : str
        For ``--help``.
    is_rule : bool
        Whether it asks for a judgement; False where it only says how.
    needs : tuple of str
        Names of options of which one must be given with it; empty where it says
        something by itself.
    """

    name: str
    default: Any
    purpose: str
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


def flag_of(name: str) -> str:
    """Return the option of the command line by the setting's name."""
    return "--" + name.replace("_", "-")


def lonely(given: Mapping[str, Any], called: Callable[[str], str] = str) -> str | None:
    """Say which option needs another one of which none was given; None: no such.

    Parameters
    ----------
    given : mapping
        Value by name; what was not given is None or as by default.
    called : callable
        What a name is called where it was given.
    """
    for option in GATE_OPTIONS:
        has_none = not any(given[name] is not None for name in option.needs)
        is_given = given[option.name] not in (None, option.default)
        if option.needs and is_given and has_none:
            needed = " or ".join(map(called, option.needs))
            alone = called(option.name)
            return f"{alone} has no effect without {needed}; give that too"
    return None


def _option(kind: type[Any], default: Any = None, **entry: Any) -> Any:
    """An attribute, and what :class:`GateOption` says of it beside its name."""
    return field(default=default, metadata={"kind": kind, **entry})


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
    max_undetectable : float
        Largest share of the pairs that can fall which the comparison with the baseline
        may be unable to see fall, 0.0-1.0; beyond it the scan is not judged.
    constant_target : bool
        Whether a scan is judged although all its outputs are alike.
    github : bool
        Whether GitHub Actions are told of failed rules and warnings.
    """

    fail_under: float | None = _option(
        float,
        low=1.0,
        high=5.0,
        metavar="X",
        purpose="lowest TBSA that passes, 1.0 to 5.0",
    )
    sure: float | None = _option(
        float,
        low=LEAST_SURE,
        high=MOST_SURE,
        metavar="P",
        purpose="share of repeats, such as 0.95: --fail-under then needs that share of"
        " repeats to pass too, and --require-tier1-grade fails only for a pair that is"
        " below the grade in that share of repeats too; reads the attempts, see"
        " --repeat",
        needs=("fail_under", "require_tier1_grade"),
    )
    require_tier1_grade: int | None = _option(
        int,
        low=1,
        high=5,
        metavar="N",
        purpose="lowest grade that every Tier 1 pair must have, 1 to 5; see --sure",
    )
    min_coverage: float | None = _option(
        float,
        high=1.0,
        metavar="F",
        purpose="lowest share of attempted pairs that must be measured, 0 to 1",
    )
    baseline: str | None = _option(
        str,
        words="a report's path",
        metavar="REPORT",
        purpose="fail if significantly worse than this report",
    )
    baseline_optional: bool = _option(
        bool,
        default=False,
        purpose="pass, and say so, if the baseline's file does not exist yet",
        is_rule=False,
        needs=("baseline",),
    )
    alpha: float = _option(
        float,
        default=DEFAULT_ALPHA,
        low=SMALLEST_ALPHA,
        high=LARGEST_ALPHA,
        metavar="P",
        purpose="significance level of the comparison with the baseline"
        f" (default {DEFAULT_ALPHA:g}): {level_in_words(DEFAULT_ALPHA)}",
        is_rule=False,
        needs=("baseline",),
    )
    max_undetectable: float = _option(
        float,
        default=DEFAULT_MAX_UNDETECTABLE,
        high=1.0,
        metavar="F",
        purpose="largest share of the pairs that could fall without the comparison"
        f" with the baseline seeing it, 0 to 1 (default {DEFAULT_MAX_UNDETECTABLE:g});"
        " with more the scan is not judged, which fails",
        is_rule=False,
        needs=("baseline",),
    )
    constant_target: bool = _option(
        bool,
        default=False,
        purpose="judge a scan although the target said one thing, or nothing, to"
        " whatever it was asked",
        is_rule=False,
        needs=("fail_under", "require_tier1_grade", "min_coverage", "baseline"),
    )
    github: bool = _option(
        bool,
        default=False,
        purpose="report failed rules and warnings to GitHub Actions, in lines such as"
        " ::error",
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


def rules_of(
    given: Mapping[str, Any], where: str = "", in_words: Callable[[object], str] = repr
) -> GateRules:
    """Return what is asked of a scan, checked.

    Parameters
    ----------
    given : mapping
        Value by name; what is not there, or None, asks nothing.
    where : str
        What stands before a name in an error.
    in_words : callable
        How an error says what was found.

    Raises
    ------
    UsageError
        A value is not what it must be, or has no effect without another one.
    """
    found: dict[str, Any] = {}
    for option in GATE_OPTIONS:
        value = given.get(option.name)
        found[option.name] = option.default
        if value is not None:
            taken = option.taken(f"{where}{option.name}", value, in_words)
            found[option.name] = taken
    if lone := lonely(found):
        raise UsageError(f"{where}{lone}")
    return GateRules(**found)


GATES = tuple(option.name for option in GATE_OPTIONS if option.is_rule)
"""The settings that make a gate."""


def asks_for_gate(raw: object) -> bool:
    """Whether settings, right or wrong, ask for a scan to be judged.

    Parameters
    ----------
    raw : object
        What is under ``reporting.tbsa``, unchecked.
    """
    return (
        isinstance(raw, dict)
        and raw.get("enabled") is not False
        and any(raw.get(name) is not None for name in GATES)
    )
