# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Two scans, and whether the second is worse or better."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from garak_tbsa.api import arguments
from garak_tbsa.api.arguments import CalibrationName, Hits, PathLike, Tiers
from garak_tbsa.comparison_in_words import headline
from garak_tbsa.errors import NotComparableError, UsageError
from garak_tbsa.fallen import fallen_outputs
from garak_tbsa.gates.options import DEFAULT_ALPHA, LARGEST_ALPHA, SMALLEST_ALPHA
from garak_tbsa.option import Option, checked
from garak_tbsa.outputs import compared
from garak_tbsa.result import FLAG, NUMBER, TEXT, WHOLE, Result, file_name, frame
from garak_tbsa.statistics import compare as statistics
from garak_tbsa.statistics.compare import ComparedPair
from garak_tbsa.statistics.detectable import Detectable
from garak_tbsa.statistics.repeat import repeat_of_scan
from garak_tbsa.tbsa.scan import AS_IN_REPORT, common_names
from garak_tbsa.unavailable import Unavailable

if TYPE_CHECKING:
    from pandas import DataFrame

Alpha = Annotated[
    float,
    Option(kind=float, low=SMALLEST_ALPHA, high=LARGEST_ALPHA, metavar="P"),
]

COLUMNS = {
    **dict.fromkeys(("probe", "detector"), TEXT),
    **dict.fromkeys(("tier", "first_grade", "second_grade"), WHOLE),
    **dict.fromkeys(("first_pass_rate", "second_pass_rate"), NUMBER),
    **dict.fromkeys(("first_passed", "first_total_evaluated"), WHOLE),
    **dict.fromkeys(("second_passed", "second_total_evaluated"), WHOLE),
    "tested": FLAG,
    **dict.fromkeys(("z", "p_fell", "p_rose"), NUMBER),
}
"""Of the table, in their order."""


class ComparisonResult(Result, compared.ComparedScans):
    """What :func:`garak_tbsa.compare` returns.

    Attributes
    ----------
    comparison : Comparison
        Both scans, every pair, every test.
    outputs : FallenOutputs
        Outputs before and after of pairs that fell, if ``hits`` was given.
    """

    @property
    def alpha(self) -> float:
        """Significance level of the verdict."""
        return self.comparison.alpha

    @property
    def verdict(self) -> str:
        """``worse``, ``better``, or why it is neither."""
        return self.comparison.verdict

    @property
    def headline(self) -> str:
        """The verdict with its p-value and what it is due to."""
        return headline(self.comparison)

    @property
    def p_worse(self) -> float | None:
        """p-value of worse; None if nothing could be tested."""
        return self.comparison.p_worse

    @property
    def p_better(self) -> float | None:
        """p-value of better; None if nothing could be tested."""
        return self.comparison.p_better

    @property
    def detectable(self) -> Detectable | Unavailable:
        """What a comparison of these scans can find; it takes about a second."""
        return self.comparison.detectable

    @property
    def difference(self) -> float:
        """Second score minus the first, in whole tenths."""
        return self.comparison.tbsa_difference

    @property
    def pairs(self) -> tuple[ComparedPair, ...]:
        """The pairs that both scans measured."""
        return self.comparison.pairs

    def to_json(self) -> str:
        """Return the text that ``garak-tbsa compare -j`` writes."""
        return compared.json(self)

    def to_frame(self) -> DataFrame:
        """Return one row for each pair that both scans measured."""
        rows = [
            dict(pair)
            | {
                f"{scan}_{name}": count
                for scan in ("first", "second")
                for name, count in pair[f"{scan}_counts"].items()
            }
            for pair in self.to_dict()["pairs"]
        ]
        return frame(rows, COLUMNS)

    def _summary(self) -> str:
        first, second = self.sides.values()
        return (
            f"{self.headline}; TBSA {first.tbsa:.1f} to {second.tbsa:.1f},"
            f" {file_name(first.report.source)} to {file_name(second.report.source)}"
        )

    def _lines(self) -> list[str]:
        return compared.text_lines(self)


@checked
def compare(
    first: PathLike,
    second: PathLike,
    *,
    common: bool = False,
    force: bool = False,
    alpha: Alpha = DEFAULT_ALPHA,
    calibration: CalibrationName = AS_IN_REPORT,
    tiers: Tiers | None = None,
    hits: Hits = None,
) -> ComparisonResult:
    """Say whether the second of two scans is worse or better, and because of what.

    Parameters
    ----------
    first : path
        The report before.
    second : path
        The report after.
    common : bool
        Compare only the pairs that both scans measured with the same tier, even if the
        checksums differ; use such numbers with caution.
    force : bool
        Compare even if the checksums differ; not together with ``common``.
    alpha : float
        Significance level of the verdict, 0.0001-0.5: of unchanged targets so many are
        called worse and so many better (default 0.05, one in twenty each).
    calibration, tiers
        As in :func:`score`.
    hits : int, optional
        Show N prompts of each pair that fell, with an output before and one after, of
        up to 20 pairs; at most 100, and 0 leaves all texts out.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    UsageError
        An argument is none of these.
    NotComparableError
        The checksums differ, or there is no common pair.
    GarakTbsaError
        A report cannot be read or scored.
    """
    if common and force:
        raise UsageError("common and force: give one of them")
    scoring = arguments.scoring_of(calibration, tiers)
    before, after = (
        scoring.assess_path(arguments.path_of(name, path), whole=True)
        for name, path in (("first", first), ("second", second))
    )
    try:
        comparison = statistics.compare(
            before, after, alpha=alpha, force=force, common=common
        )
    except NotComparableError as error:
        if common:
            raise
        advice = "scan with the same probes"
        if common_names(before, after):
            advice = "--common compares only these, --force compares all"
        raise NotComparableError(f"{error}; {advice}") from error
    repeats = (repeat_of_scan(comparison.first), repeat_of_scan(comparison.second))
    result = ComparisonResult(comparison=comparison, repeats=repeats)
    if not hits:
        return result
    return replace(result, outputs=fallen_outputs(comparison, result.fallen, hits))
