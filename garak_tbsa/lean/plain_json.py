# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""JSON by CPython's own accelerator, without importing ``json``.

``json`` imports ``re``, and both take 8 ms, a third of what a score may take. The
accelerator is private to CPython, so wherever it is missing, behaves otherwise or
fails in a way that no JSON text explains, the same functions use ``json``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Scan = Callable[[str, int], tuple[object, int]]
    Encode = Callable[[object, int], tuple[str, ...]]

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
    if _scan is None:
        return _by_json(text)
    start = len(text) - len(text.lstrip(WHITE_SPACE))
    try:
        value, end = _scan(text, start)
    except (ValueError, RecursionError, MemoryError):
        raise
    except Exception:
        # without json in memory the scanner has no way to say what is wrong
        return _by_json(text)
    if text[end:].strip(WHITE_SPACE):
        return _by_json(text)
    return value


def _by_json(text: str) -> object:
    import json

    value: object = json.loads(text)
    return value


def canonical(value: object) -> bytes:
    """Return one ASCII text per JSON value, whatever its key order, no blanks."""
    if _encode is not None:
        try:
            return "".join(_encode(value, 0)).encode("ascii")
        except (ValueError, RecursionError, MemoryError):
            raise
        except Exception:
            # json says the same of what it cannot write either
            return _canonical_by_json(value)
    return _canonical_by_json(value)


def _canonical_by_json(value: object) -> bytes:
    import json

    text = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return text.encode("ascii")


class _Context:
    """What the scanner asks of a ``json.JSONDecoder``."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = staticmethod(CONSTANTS.__getitem__)
    memo: dict[str, str] = {}  # noqa: RUF012 - the scanner clears it itself


PROBE_TEXT = '{"a":[1,2.5,null,true],"b":"\\u00e9"}'
PROBE_VALUE = {"b": "é", "a": [1, 2.5, None, True]}
"""What the accelerator must agree on before it is trusted."""


def _accelerated() -> tuple[Scan | None, Encode | None]:
    """Return CPython's scanner and encoder; None for what is not as expected."""
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner

        scan: Scan = make_scanner(_Context())  # type: ignore[arg-type]
        encode: Encode = make_encoder(
            None, str, encode_basestring_ascii, None, ":", ",", True, False, True
        )
        if scan(PROBE_TEXT, 0) != (PROBE_VALUE, len(PROBE_TEXT)):
            return None, None
        if "".join(encode(PROBE_VALUE, 0)) != PROBE_TEXT:
            return None, None
    except Exception:
        return None, None
    return scan, encode


_scan, _encode = _accelerated()
