# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What changed between two summaries, and which changes exceed noise."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import numpy
import pytest
from scipy import stats

from garak_tbsa.detector_eval import diff as module
from garak_tbsa.detector_eval.diff import diff
from garak_tbsa.detector_eval.summary import parse_summary
from tests.behaviour.labelled import Counts, summary_of, write_summary
from tests.behaviour.product import Shown, tbsa
from tests.values import known

Entry = dict[str, Any]
SAME = "On the same rows every changed count is a change of the detector;"
OTHER = "1 of the changed detectors were measured on other rows: d.D"


def measured(cells: Counts, **members: Any) -> Entry:
    """The entry of a detector; members that are None are left out."""
    entry: Entry = summary_of({"d.D": cells})["results"]["d.D"] | members
    return {name: member for name, member in entry.items() if member is not None}


def f1_alone(f1: float) -> Entry:
    """An entry that states no counts."""
    return measured((1, 1, 1, 1), metrics={"hit_f1": f1}, counts=None)


def compared(folder: Path, old: Entry, new: Entry, *options: object) -> Shown:
    paths = []
    for name, entry in (("old", old), ("new", new)):
        summary = summary_of({}) | {"results": {"d.D": entry}}
        paths.append(write_summary(folder / f"{name}.json", summary))
    return tbsa("detectors", "diff", *paths, *options)


def changes(shown: Shown) -> dict[str, list[str]]:
    """Each block that has changed: what it was and is, P(worse), and which change."""
    assert (shown.code, shown.err) == (0, "")
    rows = (re.split(" {2,}", line.strip()) for line in shown.lines)
    return {cells[1]: cells[2:] for cells in rows if cells[0] == "d.D"}


def chance_worse(folder: Path, old: Counts, new: Counts, *options: object) -> float:
    found = changes(compared(folder, measured(old), measured(new), *options))
    return float(found["typical"][2])


def exact_probability(old: Counts, new: Counts) -> float:
    """P(F1_new < F1_old) by integrating the distribution of F1, with no draw at all.

    F1 <= x if and only if FP >= TP (2 - x) / x - hits, TP and FP being the rates'
    Beta posteriors times the class sizes.
    """

    middles, xs = (numpy.arange(500) + 0.5) / 500, numpy.linspace(1e-6, 1, 200)

    def below(counts: Counts) -> Any:
        tp, fp, fn, tn = counts
        sensitivity = stats.beta(tp + 0.5, fn + 0.5).ppf(middles)
        found = sensitivity * (tp + fn) * (2 - xs[:, None]) / xs[:, None]
        least = (found - tp - fn) / (fp + tn)
        return stats.beta.sf(least, fp + 0.5, tn + 0.5).mean(axis=1)

    cdf_old, cdf_new = below(old), below(new)
    halfway = (cdf_new[1:] + cdf_new[:-1]) / 2
    return float((halfway * numpy.diff(cdf_old)).sum() + cdf_new[0] * cdf_old[0])


def test_the_probability_is_that_of_the_two_distributions(tmp_path: Path) -> None:
    both = (20, 5, 10, 25), (15, 5, 15, 25)
    found = chance_worse(tmp_path, *both)
    assert found == pytest.approx(exact_probability(*both), abs=0.008)
    assert found == chance_worse(tmp_path, *both)


def exact_chance(old: Counts, new: Counts) -> float:
    """As it is before a table rounds it to three digits."""
    before, after = (parse_summary(summary_of({"d.D": c}), "s") for c in (old, new))
    (change,) = diff(before, after)
    return known(change.probability_worse)


def test_the_probability_is_not_rounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = (20, 5, 10, 25), (15, 5, 15, 25)
    found = exact_chance(*both)
    assert found == exact_chance(*both)
    assert f"{found:.3f}" == f"{chance_worse(tmp_path, *both):.3f}"
    with monkeypatch.context() as patch:
        patch.setattr(module, "SEED", 43)
        assert found != exact_chance(*both)
    just_below = math.nextafter(0.975, 0)
    monkeypatch.setattr(module, "probability_worse", lambda *_: just_below)
    assert exact_chance(*both) == just_below


@pytest.mark.parametrize(
    ("confidence", "probability", "kind"),
    [
        (0.95, 0.975, "worse"),
        (0.95, math.nextafter(0.975, 0), "within noise"),
        (0.95, (1 - 0.95) / 2, "better"),
        (0.95, math.nextafter((1 - 0.95) / 2, 1), "within noise"),
        (1.0, 1.0, "worse"),
        (1.0, math.nextafter(1.0, 0), "within noise"),
        (0.0, math.nextafter(0.5, 1), "worse"),
    ],
)
def test_the_bounds_are_included(
    confidence: float,
    probability: float,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Worse (better) where that is at least (1 + confidence) / 2 likely."""
    name = "garak_tbsa.detector_eval.diff.probability_worse"
    monkeypatch.setattr(name, lambda *_: probability)
    both = measured((9, 1, 1, 9)), measured((8, 1, 2, 9))
    found = changes(compared(tmp_path, *both, "--confidence", confidence))
    assert found["typical"][2:] == [f"{probability:.3f}", kind]


@pytest.mark.parametrize(
    ("old", "new", "is_known"),
    [
        (measured((9, 1, 1, 9)), measured((0, 1, 0, 9)), False),
        (f1_alone(0.9), f1_alone(0.9), True),
        (f1_alone(0.9), f1_alone(0.8), False),
        (f1_alone(0.5), measured((1, 1, 1, 1)), False),
    ],
)
def test_without_counts_of_hits_only_sameness_is_known(
    old: Entry, new: Entry, is_known: bool, tmp_path: Path
) -> None:
    shown = compared(tmp_path, old, new)
    kind = "unchanged" if is_known else "changed, noise unknown"
    assert f"typical: 1 {kind}" in shown.lines
    cells = [each[2:] for each in changes(shown).values()]
    assert cells == ([] if is_known else [["-", kind]])


def test_whether_both_used_the_same_files_and_settings(tmp_path: Path) -> None:
    """Versions are settings too."""
    for old, new, said in (("0", "0", SAME), ("0", "1", OTHER), (None, "1", None)):
        before, after = (
            measured(counts, data=None if data is None else [{"sha256": data * 64}])
            for counts, data in (((9, 1, 1, 9), old), ((8, 1, 2, 9), new))
        )
        for both in ((before, after), (after, before)):
            text = compared(tmp_path, *both).out
            assert [each for each in (SAME, OTHER) if each in text] == (
                [] if said is None else [said]
            )
    stated: tuple[Entry, ...] = (
        {"random_seed": 1, "confidence": 0.9, "versions": {}},
        {"random_seed": 2, "balance_datasets": None},
    )
    paths = [
        write_summary(tmp_path / f"{number}.json", summary_of({}, **metadata))
        for number, metadata in enumerate(stated)
    ]
    assert tbsa("detectors", "diff", *paths).lines[2:] == [
        "balance_datasets: False -> not stated",
        "confidence: 0.9 -> 0.95",
        "random_seed: 1 -> 2",
        "garak: not stated -> 0.17.1",
        "neither summary has a detector",
    ]


def of_stress(folder: Path, *both: Counts | None) -> Shown:
    """Compare a detector whose stress rows give these counts."""
    entries = []
    for counts in both:
        stress = None
        if counts is not None:
            tp, fp, fn, tn = counts
            stress = {"hits_found": tp, "hits": tp + fn}
            stress |= {"passes_left_alone": tn, "passes": fp + tn}
        entries.append(measured((30, 0, 0, 30), stress=stress))
    return compared(folder, *entries)


@pytest.mark.parametrize(("old", "new"), [(9, 5), (0, 2)])
def test_a_share_s_probability_is_that_of_the_two_posteriors(
    old: int, new: int, tmp_path: Path
) -> None:
    """The same kind of probability: Beta(k + 1/2, n - k + 1/2) each."""
    shown = of_stress(tmp_path, (old, 0, 17 - old, 0), (new, 0, 20 - new, 0))
    was, now, probability, _ = changes(shown)["stress hits"]
    middles = (numpy.arange(20_000) + 0.5) / 20_000
    drawn = stats.beta(old + 0.5, 17 - old + 0.5).ppf(middles)
    exact = stats.beta(new + 0.5, 20 - new + 0.5).cdf(drawn).mean()
    assert (was, now) == (f"{old} of 17", f"{new} of 20")
    # 5 standard errors of a share of 200,000, at most
    assert float(probability) == pytest.approx(float(exact), abs=5.6e-3)


@pytest.mark.parametrize(
    ("both", "counted"),
    [
        (
            ((15, 10, 2, 10), (2, 10, 15, 10)),
            ["stress hits: 1 worse", "stress passes: 1 unchanged"],
        ),
        (
            ((5, 0, 5, 0), (0, 5, 0, 5)),
            [
                "stress hits: 1 no longer evaluated",
                "stress passes: 1 newly evaluated",
            ],
        ),
        ((None, (1, 1, 1, 1)), ["stress: no rows that both summaries state"]),
    ],
)
def test_each_block_has_a_verdict(
    both: tuple[Counts | None, Counts], counted: list[str], tmp_path: Path
) -> None:
    """Typical rows alone decide about hit F1, stress rows about their shares."""
    lines = of_stress(tmp_path, *both).lines
    start = lines.index("typical: 1 unchanged")
    assert lines[start + 1 : start + 1 + len(counted)] == counted
