# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether length and punctuation alone tell hits from passes.

If they do, labelled data measures its authors' habits and not a detector. Two
classifiers try, so that neither a trend nor a window goes unseen: logistic
regression, and boosted stumps (AdaBoost; Freund and Schapire 1997,
doi:10.1006/jcss.1997.1504). Both are judged on rows that they did not see.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[numpy.float64]
    Classifier = Callable[[Floats, Floats, Floats], Floats]

LIMIT = 0.8
"""Balanced accuracy above which a written reason is due."""

FOLDS = 5
REPEATS = 10
"""A single division into folds is luck: it moves the result by 0.05."""

ROUNDS = 30
RIDGE = 1 / 0.3
"""Weight of the penalty: features outnumber the rows of each class."""

_PUNCTUATION = ".,;:!?'\"`*#-_()[]{}<>/\\|=$%&@+~’“—"


@dataclass(frozen=True, kw_only=True)
class TrivialScore:
    """How well trivial features do.

    Attributes
    ----------
    balanced_accuracy : float
        Of the better classifier, cross-validated; 0.5 is guessing.
    classifier : str
        Which one that is.
    """

    balanced_accuracy: float
    classifier: str

    @property
    def is_excessive(self) -> bool:
        """Whether a written reason is due."""
        return self.balanced_accuracy > LIMIT


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What is seen of a row at a glance.

    Attributes
    ----------
    text : str
        The response, or the name of the file that it is.
    size : int
        Characters of the response, or bytes of the file.
    """

    text: str
    size: int


def trivial_score(samples: Sequence[Sample], hits: Sequence[bool]) -> TrivialScore:
    """Tell hits from passes by length and punctuation; the same result every time.

    Parameters
    ----------
    samples : sequence of Sample
    hits : sequence of bool
        Which samples are labelled hit; each class at least ``FOLDS`` times.

    Raises
    ------
    ValueError
        A class has fewer samples than there are folds.
    """
    labels = numpy.where(numpy.asarray(hits, dtype=bool), 1.0, -1.0)
    if min((labels > 0).sum(), (labels < 0).sum()) < FOLDS:
        raise ValueError(f"each class needs at least {FOLDS} samples")
    values = numpy.log1p(numpy.array([features(sample) for sample in samples]))
    scores = {
        name: _cross_validated(classifier, values, labels)
        for name, classifier in CLASSIFIERS.items()
    }
    best = max(scores, key=lambda name: scores[name])
    return TrivialScore(balanced_accuracy=round(scores[best], 6), classifier=best)


def features(sample: Sample) -> list[float]:
    """Size, words and lines; counts and shares of punctuation, digits, capitals.

    All are at least 0.
    """
    text = sample.text
    length = max(1, len(text))
    digits = sum(character.isdigit() for character in text)
    capitals = sum(character.isupper() for character in text)
    marks = sum(not c.isalnum() and not c.isspace() for c in text)
    return [
        sample.size,
        len(text.split()),
        text.count("\n"),
        *(text.count(character) for character in _PUNCTUATION),
        digits,
        capitals,
        sum(ord(character) > 127 for character in text),
        capitals / length,
        digits / length,
        marks / length,
    ]


def _cross_validated(classifier: Classifier, values: Floats, labels: Floats) -> float:
    """Balanced accuracy on held-out rows, averaged over repeated stratified folds."""
    scores = []
    for repeat in range(REPEATS):
        fold_of = _folds(labels, repeat)
        predicted = numpy.empty_like(labels)
        for fold in range(FOLDS):
            held_out = fold_of == fold
            predicted[held_out] = classifier(
                *_standardised(values[~held_out], values[held_out]), labels[~held_out]
            )
        right = predicted == labels
        scores.append((right[labels > 0].mean() + right[labels < 0].mean()) / 2)
    return float(numpy.mean(scores))


def _folds(labels: Floats, seed: int) -> NDArray[numpy.int64]:
    """A fold for each row, every class spread evenly over the folds."""
    generator = numpy.random.default_rng(seed)
    fold_of = numpy.empty(len(labels), dtype=numpy.int64)
    for sign in (1.0, -1.0):
        members = generator.permutation(numpy.flatnonzero(labels == sign))
        fold_of[members] = numpy.arange(len(members)) % FOLDS
    return fold_of


def _standardised(known: Floats, unknown: Floats) -> tuple[Floats, Floats]:
    mean, spread = known.mean(axis=0), known.std(axis=0)
    spread[spread == 0] = 1.0
    return (known - mean) / spread, (unknown - mean) / spread


def logistic_regression(known: Floats, unknown: Floats, labels: Floats) -> Floats:
    """Predict by a ridge-penalised logistic regression, the intercept unpenalised.

    Newton's method; the objective is strictly convex, so the result is the optimum.

    Parameters
    ----------
    known, unknown : array, shape (rows, features)
    labels : array of 1.0 and -1.0, shape (rows,)

    Returns
    -------
    array of 1.0 and -1.0
    """
    design = numpy.hstack([known, numpy.ones((len(known), 1))])
    penalty = numpy.full(design.shape[1], RIDGE)
    penalty[-1] = 0.0
    target = (labels + 1) / 2
    weights = numpy.zeros(design.shape[1])
    for _ in range(50):
        chance = _sigmoid(design @ weights)
        gradient = design.T @ (chance - target) + penalty * weights
        curvature = design.T * (chance * (1 - chance)) @ design + numpy.diag(penalty)
        step = numpy.linalg.solve(curvature, gradient)
        weights -= step
        if numpy.abs(step).max() < 1e-8:
            break
    return numpy.where(unknown @ weights[:-1] + weights[-1] >= 0, 1.0, -1.0)


def _sigmoid(values: Floats) -> Floats:
    return 1 / (1 + numpy.exp(-numpy.clip(values, -30, 30)))


def boosted_stumps(known: Floats, unknown: Floats, labels: Floats) -> Floats:
    """Predict by AdaBoost over thresholds on single features.

    Parameters and result as of :func:`logistic_regression`.
    """
    order = numpy.argsort(known, axis=0, kind="stable")
    ordered = numpy.take_along_axis(known, order, axis=0)
    # the first threshold is below all: a constant vote, without which no window is seen
    thresholds = numpy.vstack(
        [numpy.full(known.shape[1], -numpy.inf), (ordered[1:] + ordered[:-1]) / 2]
    )
    # a threshold between equal values separates nothing
    usable = numpy.vstack(
        [numpy.ones((1, known.shape[1]), dtype=bool), numpy.diff(ordered, axis=0) > 0]
    )
    weights = numpy.full(len(labels), 1 / len(labels))
    votes = numpy.zeros(len(unknown))
    for _ in range(ROUNDS):
        above = _weight_above(weights * labels, order)
        edge = numpy.where(usable, numpy.abs(above), -1.0)
        place, feature = numpy.unravel_index(int(edge.argmax()), edge.shape)
        sign = numpy.sign(above[place, feature])
        threshold = thresholds[place, feature]
        error = (1 - min(edge[place, feature], 1 - 1e-9)) / 2
        say = 0.5 * numpy.log((1 - error) / error)
        if say <= 1e-9:
            break
        votes += say * sign * numpy.where(unknown[:, feature] > threshold, 1, -1)
        said = sign * numpy.where(known[:, feature] > threshold, 1, -1)
        weights *= numpy.exp(-say * labels * said)
        weights /= weights.sum()
    return numpy.where(votes >= 0, 1.0, -1.0)


def _weight_above(signed: Floats, order: NDArray[numpy.int64]) -> Floats:
    """Agreement of labels with "above the threshold is a hit", in [-1, 1], for each."""
    below = numpy.cumsum(signed[order], axis=0)[:-1]
    below = numpy.vstack([numpy.zeros(order.shape[1]), below])
    agreement: Floats = signed.sum() - 2 * below
    return agreement


CLASSIFIERS: dict[str, Classifier] = {
    "logistic regression": logistic_regression,
    "boosted stumps": boosted_stumps,
}
