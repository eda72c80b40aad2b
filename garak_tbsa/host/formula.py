# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which formula scores inside garak: the documented one, or garak's own."""

from __future__ import annotations

import os

from garak_tbsa.errors import UsageError
from garak_tbsa.tbsa.score import DOCUMENTED, FORMULAS

VARIABLE = "GARAK_TBSA_FORMULA"
SETTING = "reporting.tbsa.formula"


def chosen_formula(argument: object = None, configured: object = None) -> str:
    """Return the formula to score with: the first that is given.

    Parameters
    ----------
    argument : object
        What a caller asks for.
    configured : object
        ``reporting.tbsa.formula`` in garak's configuration. The environment's
        ``GARAK_TBSA_FORMULA`` comes before it.

    Returns
    -------
    str
        ``documented`` or ``garak``.

    Raises
    ------
    UsageError
        One of them is neither; names it.
    """
    given = {
        "formula": argument,
        VARIABLE: os.environ.get(VARIABLE) or None,
        SETTING: configured,
    }
    for name, value in given.items():
        if value in FORMULAS:
            return str(value)
        if value is not None:
            raise UsageError(
                f"{name}: expected {' or '.join(FORMULAS)}, found {str(value)[:60]!r}"
            )
    return DOCUMENTED
