# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Records behave as frozen, keyword-only dataclasses do."""

from __future__ import annotations

import copy
import pickle

import pytest

from garak_tbsa.lean.record import changed, record, values_of


@record
class Point:
    x: int
    y: int = 7


def test_a_record_holds_its_values_and_defaults() -> None:
    assert (Point(x=1).x, Point(x=1).y, Point(x=1, y=2).y) == (1, 7, 2)


@pytest.mark.parametrize("values", [{}, {"y": 1}, {"x": 1, "z": 2}])
def test_missing_and_unknown_fields_are_refused(values: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="Point: missing"):
        Point(**values)


def test_positions_are_refused() -> None:
    with pytest.raises(TypeError):
        Point(1)  # type: ignore[call-arg]


def test_a_record_is_frozen() -> None:
    point = Point(x=1)
    with pytest.raises(AttributeError, match="Point is frozen, x cannot be set"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Point is frozen, x cannot be deleted"):
        del point.x


def test_equality_and_hash_go_by_value_and_class() -> None:
    @record
    class Other:
        x: int
        y: int = 7

    assert Point(x=1) == Point(x=1, y=7)
    assert hash(Point(x=1)) == hash(Point(x=1, y=7))
    assert Point(x=1) != Point(x=2)
    other: object = Other(x=1)
    assert Point(x=1) != other


def test_repr_shows_every_field() -> None:
    assert repr(Point(x=1)) == "Point(x=1, y=7)"


def test_values_and_changed_keep_the_class_order() -> None:
    assert list(values_of(Point(y=2, x=1)).items()) == [("x", 1), ("y", 2)]
    assert changed(Point(x=1), y=3) == Point(x=1, y=3)


def test_records_travel_between_processes() -> None:
    assert pickle.loads(pickle.dumps(Point(x=1))) == Point(x=1)
    assert copy.deepcopy(Point(x=1)) == Point(x=1)
