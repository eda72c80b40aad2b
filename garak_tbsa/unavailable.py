# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A value that is not there, with the reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Unavailable:
    """Takes the place of a value, so that nobody takes its absence for a number.

    Attributes
    ----------
    reason : str
        Why there is no value, in words that continue "there is none: ".
    """

    reason: str
