# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where a command writes: each output its own place, one of them standard output."""

from __future__ import annotations

from garak_tbsa.cli.terminal import text_to_stderr
from garak_tbsa.errors import UsageError
from garak_tbsa.files import is_standard_output, require_distinct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def claim_outputs(
    outputs: Mapping[str, str | None], inputs: Iterable[str | None]
) -> None:
    """Refuse outputs that would spoil one another or an input.

    Where one goes to standard output, what is said to people goes to standard error.

    Parameters
    ----------
    outputs : mapping of str to str or None
        Path by option; None where not asked for, ``-`` for standard output.
    inputs : iterable of str or None
        Paths that are read.

    Raises
    ------
    UsageError
        An output would replace something, or two go to standard output.
    """
    require_distinct(outputs, inputs)
    printed = [
        option for option, path in outputs.items() if path and is_standard_output(path)
    ]
    if len(printed) > 1:
        raise UsageError(
            f"{' and '.join(printed)}: one output can go to standard output;"
            " give the others a file"
        )
    if printed:
        text_to_stderr()
