# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A classifier that sees length and punctuation only, against scikit-learn's."""

import numpy
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from garak_tbsa.detector_eval.trivial_features import (
    RIDGE,
    ROUNDS,
    Sample,
    boosted_stumps,
    features,
    logistic_regression,
    trivial_score,
)


def sample(text):
    return Sample(text=text, size=len(text))


def clouds(seed, rows=60, columns=8):
    generator = numpy.random.default_rng(seed)
    labels = numpy.where(numpy.arange(rows) % 2, 1.0, -1.0)
    values = generator.normal(size=(rows, columns))
    values[:, 0] += 0.8 * labels
    return values, labels


@pytest.mark.parametrize("seed", range(5))
def test_logistic_regression_is_scikit_learns(seed):
    known, labels = clouds(seed)
    unknown, _ = clouds(seed + 100)
    reference = LogisticRegression(C=1 / RIDGE, max_iter=10_000, tol=1e-10)
    expected = reference.fit(known, labels).predict(unknown)
    assert (logistic_regression(known, unknown, labels) == expected).all()


@pytest.mark.parametrize("seed", range(5))
def test_boosted_stumps_are_scikit_learns(seed):
    known, labels = clouds(seed)
    unknown, _ = clouds(seed + 100)
    stump = DecisionTreeClassifier(max_depth=1, criterion="entropy")
    reference = AdaBoostClassifier(stump, n_estimators=ROUNDS, random_state=0)
    expected = reference.fit(known, labels).predict(unknown)
    agreement = (boosted_stumps(known, unknown, labels) == expected).mean()
    # a tree picks its threshold by entropy and not by error, so not every row agrees
    assert agreement >= 0.8


def test_features_say_nothing_of_words():
    assert features(sample("Yes, 12 CATS!")) == features(sample("Nah, 56 DOGS!"))
    assert features(sample("a.b")) != features(sample("a,b"))
    assert all(value >= 0 for value in features(sample("")))


def texts_by(rule):
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
def test_what_gives_the_classes_away(rule, excessive):
    """It fails where it beats 0.8 balanced accuracy."""
    texts, hits = texts_by(rule)
    score = trivial_score([sample(text) for text in texts], hits)
    assert score.is_excessive == excessive
    assert 0 <= score.balanced_accuracy <= 1


def test_the_size_counts_where_the_text_is_a_name():
    samples = [Sample(text="x.bin", size=10 + 1000 * (n % 2)) for n in range(40)]
    score = trivial_score(samples, [bool(n % 2) for n in range(40)])
    assert score.balanced_accuracy == 1.0


def test_deterministic():
    texts, hits = texts_by(lambda hit, any_number: "word " * any_number)
    samples = [sample(text) for text in texts]
    assert trivial_score(samples, hits) == trivial_score(samples, hits)


def test_rows_that_differ_in_nothing_are_guessed():
    samples = [sample("the same")] * 40
    score = trivial_score(samples, [bool(n % 2) for n in range(40)])
    assert score.balanced_accuracy == 0.5


def test_too_few_rows():
    with pytest.raises(ValueError, match="each class needs at least 5 samples"):
        trivial_score([sample("a")] * 9, [True] * 5 + [False] * 4)
