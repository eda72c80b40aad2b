# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Attempts are the same whether msgspec decodes their rows or ``json`` parses them."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import DecodeError

from garak_tbsa import GarakTbsaError
from garak_tbsa.report import attempts as module
from garak_tbsa.report.report import Reading
from tests.gold import FOLDER, gold_reports

OF_GARAK = sorted(FOLDER.glob("garak-*.jsonl"))
ATTEMPTS = [
    row
    for path in OF_GARAK
    for row in map(json.loads, path.read_bytes().splitlines())
    if row["entry_type"] == "attempt"
]
"""Of every release: outputs are texts up to garak 0.11, and messages later."""


class Refusing:
    """A decoder that leaves every line to ``json``."""

    def decode(self, line: bytes) -> object:
        raise DecodeError


def whole(attempt: module.Attempt) -> str:
    """All of an attempt; NaN equals itself."""
    texts = attempt.prompt, attempt.outputs, attempt.notes, attempt.goal
    translated = attempt.conversations, attempt.judged_texts, attempt.output_count
    judged = attempt.line, attempt.uuid, attempt.probe, attempt.results
    return repr((judged, texts, translated))


def everything_read(path: Path) -> list[str]:
    """What is made of a report, or why it is not."""
    found = []
    for read in (
        lambda: list(map(whole, module.read_attempts(str(path)))),
        lambda: Reading(str(path)).outcomes,
    ):
        try:
            found.append(repr(read()))
        except GarakTbsaError as error:
            found.append(str(error))
    return found


def read_by_json(path: Path) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DECODER", Refusing())
        return everything_read(path)


TEXTS = st.text(max_size=8) | st.sampled_from(
    ["", "é漢📜", 'a "b" \\ \n', "\x7f\u2028\x00", "dan.Dan", "probes.dan.Dan", "text"]
)
"""Without lone surrogates, which cannot be written as they are; see AS_WRITTEN."""

AS_WRITTEN = (
    *("1", "-0", "-0.0", "1E5", "1e400", "-1e400", "1e-400", "NaN", "-Infinity"),
    *("0.1000000000000000055511151231257827", "18446744073709551616", "2.0"),
    *("1" * 400, "2.5e-324", "123456789012345678901234567890.5", "9e22"),
    *('"\\ud800"', '"\\ud83d\\ude00"', '"\\udc00\\ud83dx"', '"\\u0064an.Dan"'),
    *('{"a": 1, "a": [2]}', '{"\\ud800": 1}', "[" * 40 + "]" * 40),
)
"""Values as they stand in a file, which ``json`` would write otherwise."""

MARKED = st.integers(0, len(AS_WRITTEN) - 1).map("@{}@".format)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | MARKED,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Each object or list within a value, with each key or index of it."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


@st.composite
def lines(draw: st.DrawFn) -> bytes:
    """An attempt as garak wrote it, or with what garak does not do to it."""
    row = copy.deepcopy(draw(st.sampled_from(ATTEMPTS)))
    row["uuid"] = draw(st.sampled_from([row["uuid"], "one", "two"]))
    for _ in range(draw(st.integers(0, 3))):
        inner, key = draw(st.sampled_from(list(places(row))))
        inner[key] = draw(VALUES)
    for name in draw(st.lists(st.sampled_from(sorted(row)), max_size=1)):
        del row[name]
    members = list(row.items())
    if draw(st.booleans()):
        members = draw(st.permutations(members))
        # a member that comes twice
        members += draw(st.lists(st.sampled_from(members), max_size=1))
        name, _ = draw(st.sampled_from(members))
        members += draw(st.sampled_from([[], [(name, draw(VALUES))]]))
    separators = draw(st.sampled_from([(", ", ": "), (",", ":"), ("\t, ", " :  ")]))
    is_ascii = draw(st.booleans())
    written = [
        json.dumps(name)
        + separators[1]
        + json.dumps(value, ensure_ascii=is_ascii, separators=separators)
        for name, value in members
    ]
    text = "{" + separators[0].join(written) + "}"
    return re.sub('"@(\\d+)@"', lambda mark: AS_WRITTEN[int(mark[1])], text).encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A line with a few bytes changed, most of which make it no JSON."""
    line = bytearray(draw(lines()))
    for _ in range(draw(st.integers(1, 2))):
        at = draw(st.integers(0, len(line) - 1))
        new = draw(st.sampled_from([b"", b"\xff", b"\xc3", b"2", b'"', b" ", b"\x01"]))
        line[at : at + draw(st.integers(0, 1))] = new
    return bytes(line)


@settings(max_examples=120)
@given(st.lists(lines() | damaged(), min_size=1, max_size=4))
@example([b'{"entry_type": "attempt", "status": 2, "goal": "\xff"}'])
@example([b'{"entry_type": "attempt", "status": 2, "prompt": ["\xff", 1e999]}'])
@example([b'{"entry_type": "attempt", "status": 2, "x": ' + b"[" * 9999, b"{}"])
@example([b'{"entry_type": "attempt", "status": true}', b"[2]", b"2"])
def test_both_parsers_give_the_same_attempts(
    tmp_path_factory: pytest.TempPathFactory, rows: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("decoding") / "r.jsonl"
    path.write_bytes(b"\n".join(rows))
    assert everything_read(path) == read_by_json(path)


def test_garaks_own_lines_are_decoded_without_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And of every gold report, both parsers give the same."""
    for path in gold_reports():
        assert everything_read(path) == read_by_json(path)
    monkeypatch.setattr(module, "attempt_of", pytest.fail)
    for path in OF_GARAK:
        assert list(map(whole, module.read_attempts(str(path))))
