# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""TBSA, served as ``garak.analyze.tbsa`` in place of garak's own module.

Keeps garak's names and signatures; the numbers are those of the documented
formula, unless a caller or a setting asks for garak's own (see
:mod:`garak_tbsa.host.settings`). See ``garak-tbsa score --help`` for what this
module's ``main`` takes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from garak_tbsa.cli.main import guarded, run_as
from garak_tbsa.errors import GarakTbsaError
from garak_tbsa.garak_api.installed import find_calibration, tier_of
from garak_tbsa.garak_api.scan import probes_by_tier, settings_in_effect
from garak_tbsa.garak_files.measurement import PAIR_SEPARATOR as PROBE_DETECTOR_SEP
from garak_tbsa.garak_files.report import report_from_digest
from garak_tbsa.host.settings import chosen_formula
from garak_tbsa.outputs import text, wording
from garak_tbsa.tbsa.assessment import assess
from garak_tbsa.tbsa.garak_formula import round_final_tbsa
from garak_tbsa.terminal import write_line, write_lines

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
    return probes_by_tier()


def digest_to_tbsa(
    digest: dict[str, object],
    verbose: bool = False,
    quiet: bool = False,
    *,
    formula: str | None = None,
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
    formula : str, optional
        ``documented``, or ``garak`` for the number that garak's own module gives.
        By default what ``GARAK_TBSA_FORMULA`` or ``reporting.tbsa.formula`` says,
        ``documented`` where neither does.

    Returns
    -------
    tbsa : float
        1.0-5.0, one decimal; garak's own may have more.
    version_probe_hash : str
        Hexadecimal.
    pairs : int
        How many count.

    Raises
    ------
    ValueError
        The digest is not one, or has no pair in Tier 1 or 2, or there is no such
        formula. garak's callers expect this type.
    """
    try:
        assessment = assess(
            report_from_digest(digest, name="digest"),
            tier_of=tier_of,
            find_calibration=find_calibration,
            formula=_chosen(formula),
        )
    except GarakTbsaError as error:
        raise ValueError(str(error)) from error
    if not quiet:
        calibration = wording.calibration_text(assessment.calibration)
        write_line(f"📐 Calibration: {calibration}")
        if verbose:
            write_lines(text.pair_table(assessment))
    return assessment.tbsa, assessment.version_probe_hash, assessment.contributing


def _chosen(formula: str | None) -> str:
    settings = settings_in_effect()
    configured = settings.get("formula") if isinstance(settings, dict) else None
    return chosen_formula(formula, configured)


def main(argv: Sequence[str] | None = None) -> None:
    """Run ``garak-tbsa score`` under garak's name; exits only when it failed."""
    given = list(sys.argv[1:] if argv is None else argv)
    # an option that is given comes later, and the last one counts
    code = guarded(lambda: run_as(PROG, "score", ["--formula", _chosen(None), *given]))
    if code:
        sys.exit(code)


if __name__ == "__main__":
    main()
