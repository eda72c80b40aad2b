# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JSON by CPython's own accelerator, without importing ``json``.

``json`` imports ``re``, and both take 8 ms, a third of what a score may take.
Where the accelerator is missing (PyPy) the same functions use ``json``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

WHITE_SPACE = " \t\n\r"
CONSTANTS = {
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}


def loads(text: str) -> object:
    """Parse one JSON text; a number may be NaN, as in ``json``.

    Raises
    ------
    ValueError
        It is not JSON.
    RecursionError
        It is nested deeper than the interpreter goes.
    """
    start = len(text) - len(text.lstrip(WHITE_SPACE))
    try:
        value, end = _scan(text, start)
    except (StopIteration, SystemError):
        # without json in memory the scanner has no way to say what is wrong
        return _said_by_json(text)
    if text[end:].strip(WHITE_SPACE):
        return _said_by_json(text)
    return value


def _said_by_json(text: str) -> object:
    """Let ``json`` raise its own error for a text that is not JSON."""
    import json

    value: object = json.loads(text)
    return value


def canonical(value: object) -> bytes:
    """Return one ASCII text per JSON value, whatever its key order, no blanks."""
    return "".join(_encode(value, 0)).encode("ascii")


class _Context:
    """What the scanner asks of a ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(CONSTANTS.__getitem__)
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner clears it itself


_scan: Callable[[str, int], tuple[object, int]]
_encode: Callable[[object, int], tuple[str, ...]]
try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    _scan = make_scanner(_Context())  # type: ignore[arg-type]
    _encode = make_encoder(
        None, str, encode_basestring_ascii, None, ":", ",", True, False, True
    )
except ImportError:
    import json

    _scan = json.JSONDecoder().raw_decode

    def _encode(value: object, _: int) -> tuple[str, ...]:
        return (json.dumps(value, sort_keys=True, separators=(",", ":"), default=str),)
