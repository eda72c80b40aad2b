# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whether length and punctuation alone tell hits from passes.

If they do, labelled data measures its authors' habits and not a detector. Two
classifiers of scikit-learn try, so that neither a trend nor a window goes unseen:
logistic regression, and boosted stumps (AdaBoost; Freund and Schapire 1997,
doi:10.1006/jcss.1997.1504). Both are judged on rows that they did not see.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

LIMIT = 0.8
"""Balanced accuracy above which a written reason is due."""

FOLDS = 5
REPEATS = 10
"""A single division into folds is luck: it moves the result by 0.05."""

FIRST_REPEATS, FAR_BELOW = 3, 0.1
"""So many repeats are enough where their mean is that far below the limit."""

GUESSING = 0.5
STUMPS = 30
INVERSE_PENALTY = 0.3
"""scikit-learn's ``C``: features outnumber the rows of each class."""

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

    def is_excessive(self, *, rows: int | None = None) -> bool:
        """Whether a written reason is due.

        Parameters
        ----------
        rows : int or None
            How many were judged, where they are so few that the result must be above
            the limit by more than its standard error.
        """
        accuracy = self.balanced_accuracy
        error = math.sqrt(accuracy * (1 - accuracy) / rows) if rows else 0.0
        return accuracy - error > LIMIT


@dataclass(frozen=True, kw_only=True)
class Glance:
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


def trivial_score(glances: Sequence[Glance], hits: Sequence[bool]) -> TrivialScore:
    """Tell hits from passes by length and punctuation; the same result every time.

    Parameters
    ----------
    glances : sequence of Glance
    hits : sequence of bool
        Which of them are labelled hit; each class at least ``FOLDS`` times.

    Raises
    ------
    ValueError
        A class has fewer rows than there are folds.
    """
    # seconds of every command, where only a check needs it
    from sklearn import config_context

    labels = numpy.asarray(hits, dtype=bool)
    if min(labels.sum(), (~labels).sum()) < FOLDS:
        raise ValueError(f"each class needs at least {FOLDS} rows")
    values = numpy.log1p(numpy.array([features(glance) for glance in glances]))
    # hundreds of small fits: most of their time went into checks of what is given
    with config_context(assume_finite=True, skip_parameter_validation=True):
        scores = {
            name: cross_validated(classifier, values, labels)
            for name, classifier in classifiers().items()
        }
    best = max(scores, key=lambda name: scores[name])
    return TrivialScore(balanced_accuracy=round(scores[best], 6), classifier=best)


def features(glance: Glance) -> list[float]:
    """Size, words and lines; counts and shares of punctuation, digits, capitals.

    All are at least 0.
    """
    text = glance.text
    length = max(1, len(text))
    digits = sum(character.isdigit() for character in text)
    capitals = sum(character.isupper() for character in text)
    marks = sum(not c.isalnum() and not c.isspace() for c in text)
    return [
        glance.size,
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


def classifiers() -> Mapping[str, Any]:
    """The two estimators, unfitted, by the name that a finding shows."""
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic regression": make_pipeline(
            StandardScaler(),
            LogisticRegression(C=INVERSE_PENALTY, solver="newton-cholesky"),
        ),
        "boosted stumps": AdaBoostClassifier(
            DecisionTreeClassifier(max_depth=1), n_estimators=STUMPS, random_state=0
        ),
    }


def cross_validated(
    classifier: Any, values: NDArray[numpy.float64], labels: NDArray[numpy.bool_]
) -> float:
    """Balanced accuracy on held-out rows, averaged over repeated stratified folds.

    All ``REPEATS`` of them, unless the first few are so far below the limit that luck
    does not decide.

    Parameters
    ----------
    values : array, shape (rows, features)
    labels : array of bool, shape (rows,)
    """
    from sklearn.metrics import balanced_accuracy_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    scores: list[float] = []
    for repeat in range(REPEATS):
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=repeat)
        try:
            predicted = cross_val_predict(classifier, values, labels, cv=folds)
        except ValueError as error:
            # AdaBoost refuses rows that no stump tells apart
            if "worse than random" not in str(error):
                raise
            return GUESSING
        scores.append(balanced_accuracy_score(labels, predicted))
        if len(scores) == FIRST_REPEATS and numpy.mean(scores) < LIMIT - FAR_BELOW:
            break
    return float(numpy.mean(scores))
