# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA, served as ``garak.analyze.tbsa`` in place of garak's own module.

Keeps garak's names and signatures; the numbers are those of the documented
formula. See ``garak-tbsa score --help`` for what this module's ``main`` takes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from garak_tbsa.cli.main import guarded, run_as
from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.garak_api.scan import probes_by_tier
from garak_tbsa.host.environment import refuse_formula_variable
from garak_tbsa.outputs import said, text
from garak_tbsa.outputs.scored import ScoredReport
from garak_tbsa.report.garak_here import find_calibration, tier_of
from garak_tbsa.report.report import report_from_digest
from garak_tbsa.report.rows import PAIR_SEPARATOR
from garak_tbsa.tbsa.scan import assess
from garak_tbsa.terminal import write_line, write_lines

PROBE_DETECTOR_SEP = PAIR_SEPARATOR
PROG = "python -m garak.analyze.tbsa"


def build_tiers() -> dict[int, list[str]]:
    """Return the installed garak's probes by tier, keyed by garak's ``Tier``."""
    return probes_by_tier()


def round_final_tbsa(raw_tbsa: float) -> float:
    """Round half up to one decimal between 1.0 and 5.0, in floats, as garak does."""
    return math.floor(min(max(raw_tbsa, 1.0), 5.0) * 10 + 0.5) / 10


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
        The digest is not one, or has no pair in Tier 1 or 2, or
        ``GARAK_TBSA_FORMULA`` is set. garak's callers expect this type.
    """
    try:
        refuse_formula_variable()
        assessment = assess(
            report_from_digest(digest, name="digest"),
            tier_of=tier_of,
            find_calibration=find_calibration,
        )
    except GarakTbsaError as error:
        raise ValueError(str(error)) from error
    if not quiet:
        calibration = said.calibration_text(assessment)
        write_line(f"📐 Calibration: {calibration}")
        if verbose:
            write_lines(text.pair_table(ScoredReport(assessment=assessment)))
    return assessment.tbsa, assessment.version_probe_hash, assessment.contributing


def main(argv: Sequence[str] | None = None) -> None:
    """Run ``garak-tbsa score`` under garak's name; exits only when it failed."""
    given = sys.argv[1:] if argv is None else argv
    code = guarded(lambda: run_as(PROG, "score", given))
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
