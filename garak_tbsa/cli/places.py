# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Where a command writes: each output its own place, one of them standard output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from garak_tbsa.errors import UsageError
from garak_tbsa.files import is_standard_output, require_distinct
from garak_tbsa.garak_files.beside import holds_labels, kept_beside
from garak_tbsa.terminal import text_to_stderr


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
        Paths that are read. What lies beside a report counts as read with it.

    Raises
    ------
    UsageError
        An output would replace something, labels of any scan too, or two go to
        standard output.
    """
    given = [path for path in inputs if path is not None]
    require_distinct(
        outputs, chain.from_iterable((path, *kept_beside(path)) for path in given)
    )
    for option, path in outputs.items():
        if path and holds_labels(path):
            raise UsageError(
                f"{option} {path}: holds labels, which are only appended to; give the"
                " output a path of its own"
            )
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
