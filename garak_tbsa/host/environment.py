# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What environment variables say to us, read alike by commands and the hook."""

from __future__ import annotations

import os

from garak_tbsa.errors import UsageError

SWITCH = "GARAK_TBSA"
OFF = ("0", "garak")
"""With these nothing follows a scan; with ``garak`` we serve no module either."""

FORMULA_VARIABLE = "GARAK_TBSA_FORMULA"
GARAKS_OWN = (
    f"`{SWITCH}=garak python -m garak.analyze.tbsa -r REPORT` runs garak's own module"
)


def what_turns_off() -> str | None:
    """Return the variable that turns us off, with its value; None where none does."""
    value = os.environ.get(SWITCH)
    return f"{SWITCH}={value}" if value in OFF else None


def refuse_formula_variable() -> None:
    """Refuse to give our number to somebody who may expect garak's.

    Raises
    ------
    UsageError
        ``GARAK_TBSA_FORMULA`` is set.
    """
    if os.environ.get(FORMULA_VARIABLE):
        raise UsageError(f"{FORMULA_VARIABLE} is gone; unset it, {GARAKS_OWN}")
