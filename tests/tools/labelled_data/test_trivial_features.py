# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A classifier that sees length and punctuation only."""

from collections.abc import Callable

import numpy
import pytest

from tools.labelled_data import trivial_features as module
from tools.labelled_data.trivial_features import Glance, features, trivial_score


@pytest.fixture(autouse=True)
def _few_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REPEATS", 2)


def glance(text: str) -> Glance:
    return Glance(text=text, size=len(text))


def test_features_say_nothing_of_words() -> None:
    assert features(glance("Yes, 12 CATS!")) == features(glance("Nah, 56 DOGS!"))
    assert features(glance("a.b")) != features(glance("a,b"))
    assert all(value >= 0 for value in features(glance("")))


def texts_by(rule: Callable[[bool, int], str]) -> tuple[list[str], list[bool]]:
    chance = numpy.random.default_rng(7)
    hits = [bool(number % 2) for number in range(60)]
    return [rule(hit, int(chance.integers(0, 100))) for hit in hits], hits


@pytest.mark.parametrize(
    ("rule", "excessive"),
    [
        (lambda hit, any_number: "word " * (20 + any_number), False),
        (lambda hit, any_number: "word " * (20 + any_number + 90 * hit), True),
        (lambda hit, any_number: "word " * (20 + any_number) + "!" * hit, True),
        # hits of middling length: a window, which no trend sees
        (
            lambda hit, any_number: (
                "word " * (100 if hit else (10 if any_number % 2 else 300))
            ),
            True,
        ),
    ],
    ids=["nothing", "longer", "exclamation marks", "window"],
)
def test_what_gives_the_classes_away(
    rule: Callable[[bool, int], str], excessive: bool
) -> None:
    """It fails where it beats 0.8 balanced accuracy."""
    texts, hits = texts_by(rule)
    score = trivial_score([glance(text) for text in texts], hits)
    assert score.is_excessive() == excessive
    assert 0 <= score.balanced_accuracy <= 1


def test_the_size_counts_where_the_text_is_a_name() -> None:
    glances = [Glance(text="x.bin", size=10 + 1000 * (n % 2)) for n in range(40)]
    score = trivial_score(glances, [bool(n % 2) for n in range(40)])
    assert score.balanced_accuracy == 1.0


def test_deterministic() -> None:
    texts, hits = texts_by(lambda hit, any_number: "word " * any_number)
    glances = [glance(text) for text in texts]
    assert trivial_score(glances, hits) == trivial_score(glances, hits)


def test_rows_that_differ_in_nothing_are_guessed() -> None:
    glances = [glance("the same")] * 40
    score = trivial_score(glances, [bool(n % 2) for n in range(40)])
    assert score.balanced_accuracy == 0.5


def test_too_few_rows() -> None:
    with pytest.raises(ValueError, match="each class needs at least 5 rows"):
        trivial_score([glance("a")] * 9, [True] * 5 + [False] * 4)
