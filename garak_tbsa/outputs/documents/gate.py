# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What came of a gate, as types: of a score, and of an audit."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class Culprit(Struct, frozen=True, kw_only=True):
    """A pair that something is wrong with.

    Attributes
    ----------
    pair
        Its name.
    problem
        What is wrong, in words that continue the name.
    """

    pair: str
    problem: str


class Rule(Struct, frozen=True, kw_only=True):
    """One rule of a gate and how the scan did.

    Attributes
    ----------
    rule
        Its name.
    passed
        Whether the scan passes it.
    expected, found
        In words.
    culprits
        Pairs for which the rule fails; empty if it passed, or if it fails for the scan
        as a whole.
    not_sure
        Pairs below the required grade that the rule lets pass, because they are below
        it in a smaller share of repeats than sure.
    is_doubtful
        Whether a person should look at a rule that passed.
    """

    rule: str
    passed: bool
    expected: str
    found: str
    culprits: list[Culprit]
    not_sure: list[Culprit]
    is_doubtful: bool


class Gate(Struct, frozen=True, kw_only=True):
    """The outcome of every rule.

    Attributes
    ----------
    passed
        Whether no rule failed.
    rules
        Those that were set, and those that always hold.
    """

    passed: bool
    rules: Annotated[list[Rule], Meta(min_length=1)]
