# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA, served as ``garak.analyze.tbsa`` in place of garak's own module.

Keeps garak's names and signatures; the numbers are those of the documented
formula. See ``garak-tbsa score --help`` for what this module's ``main`` takes.
"""

from __future__ import annotations

import sys

from garak_tbsa.cli.main import guarded
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR as PROBE_DETECTOR_SEP
from garak_tbsa.tbsa.garak_formula import round_final_tbsa

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from garak_tbsa.tbsa.assessment import Assessment

__all__ = [
    "PROBE_DETECTOR_SEP",
    "build_tiers",
    "digest_to_tbsa",
    "main",
    "round_final_tbsa",
]

PROG = "python -m garak.analyze.tbsa"


def build_tiers() -> dict[int, list[str]]:
    """Return the installed garak's probes by tier, keyed by garak's ``Tier``."""
    from garak_tbsa.garak_api.tiers import probes_by_tier

    return probes_by_tier()


def digest_to_tbsa(
    digest: dict[str, object], verbose: bool = False, quiet: bool = False
) -> tuple[float, str, int]:
    """Score a digest.

    Parameters
    ----------
    digest : dict
        A report's digest row, parsed.
    verbose : bool
        Print every pair.
    quiet : bool
        Print nothing.

    Returns
    -------
    tbsa : float
        1.0-5.0, one decimal.
    version_probe_hash : str
        Hexadecimal.
    pairs : int
        How many count.

    Raises
    ------
    ValueError
        The digest is not one, or has no pair in Tier 1 or 2. garak's callers
        expect this type.
    """
    from garak_tbsa.errors import GarakTbsaError

    try:
        assessment = _assess(digest)
    except GarakTbsaError as error:
        raise ValueError(str(error)) from error
    if not quiet:
        _print(assessment, verbose)
    return assessment.tbsa, assessment.version_probe_hash, assessment.contributing


def _assess(digest: dict[str, object]) -> Assessment:
    from garak_tbsa.garak_api.scoring import find_calibration, tier_of
    from garak_tbsa.garak_files.report import report_from_digest
    from garak_tbsa.tbsa.assessment import assess

    report = report_from_digest(digest, name="digest")
    return assess(report, tier_of=tier_of, find_calibration=find_calibration)


def _print(assessment: Assessment, verbose: bool) -> None:
    from garak_tbsa.cli.terminal import write_line, write_lines
    from garak_tbsa.tbsa.outputs import text, wording

    write_line(f"📐 Calibration: {wording.calibration_text(assessment.calibration)}")
    if verbose:
        write_lines(text.pair_table(assessment))


def main(argv: Sequence[str] | None = None) -> None:
    """Run ``garak-tbsa score`` under garak's name; exits only when it failed."""
    from garak_tbsa.cli.score import run

    arguments = list(sys.argv[1:] if argv is None else argv)
    code = guarded(lambda: run(arguments, prog=PROG))
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
