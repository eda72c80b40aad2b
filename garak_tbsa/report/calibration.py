# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What is read beside a report: calibrations, files of tiers, names that went."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from msgspec import Struct, ValidationError, convert

from garak_tbsa.errors import ReportError
from garak_tbsa.report.opening import BYTE_ORDER_MARK, memory_to_parse
from garak_tbsa.report.rows import NAME_LENGTH_LIMIT, Share, Tier, parse_json
from garak_tbsa.report.settings import bare_name
from garak_tbsa.safe_text import shown

MINIMUM_SIGMA = 1.0 / 30
"""garak's floor for a calibration's standard deviation (``MINIMUM_STD_DEV``)."""

META_KEY = "garak_calibration_meta"
GIVE_A_CALIBRATION = (
    "give a garak calibration, such as garak/data/calibration/calibration.json"
)
LARGEST_TIERS, LARGEST_PARSED, MOST_PROBES = 64 << 20, 512 << 20, 100_000
GIVE_TIERS = (
    'write {"module.Class": tier, ...} with tiers 1, 2, 3 or 9, or give the'
    " plugin_cache.json of the garak that made the scan"
)
RENAMED = Path(__file__).with_name("renamed_probes.json")


@dataclass(frozen=True, kw_only=True, slots=True)
class CalibrationIdentity:
    """What tells one calibration from another.

    Attributes
    ----------
    date : str or None
        When garak's maintainers made it; None where the report has none.
    models : str or None
        16 hex digits over the sorted names of the models it was made from.
    content : str or None
        16 hex digits over the file itself, where garak does not vouch for it by
        date and models.
    """

    date: str | None = None
    models: str | None = None
    content: str | None = None


class Distribution(Struct, frozen=True, kw_only=True):
    """Pass rates of the calibration's models on one pair.

    Attributes
    ----------
    mu : float
        Their mean, 0.0-1.0.
    sigma : float
        Their standard deviation, as stored; :attr:`effective_sigma` is used.
    """

    mu: Share
    sigma: Share

    @property
    def effective_sigma(self) -> float:
        """``max(sigma, 1/30)``, as garak does."""
        return max(self.sigma, MINIMUM_SIGMA)

    def z_score(self, pass_rate: float) -> float:
        """Return ``(pass_rate - mu) / max(sigma, 1/30)``."""
        return (pass_rate - self.mu) / self.effective_sigma


@dataclass(frozen=True, kw_only=True, slots=True)
class Calibration:
    """A calibration file.

    Attributes
    ----------
    source : str
        Its path.
    identity : CalibrationIdentity
    distributions : mapping of str to Distribution
        By ``probe/detector``, both without their category.
    """

    source: str
    identity: CalibrationIdentity
    distributions: Mapping[str, Distribution]

    def of(self, probe: str, detector: str) -> Distribution | None:
        """Return the pair's distribution, None where it is not covered."""
        return self.distributions.get(f"{probe}/{detector}")


def text_sha256(text: str) -> str:
    """Return the first 16 hex digits of the text's sha256."""
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def parse_calibration(content: bytes, *, source: str, trusted: bool) -> Calibration:
    """Read a calibration file.

    Parameters
    ----------
    content : bytes
        JSON: pair name to ``mu`` and ``sigma``, and garak's metadata.
    source : str
        Its path, for messages.
    trusted : bool
        Whether it is garak's own, so that date and models identify it. Another
        file is identified by its content too.

    Raises
    ------
    ReportError
        It is not a calibration.
    """
    try:
        raw = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ReportError(source, "is not JSON", GIVE_A_CALIBRATION) from error
    if not isinstance(raw, dict):
        raise ReportError(source, "expected an object of pairs", GIVE_A_CALIBRATION)
    stated = raw.pop(META_KEY, None)
    meta = stated if isinstance(stated, dict) else {}
    distributions = {}
    for name, entry in raw.items():
        try:
            distributions[name] = convert(entry, Distribution)
        except (ValidationError, UnicodeEncodeError):
            problem = f"{name}: expected numbers mu and sigma from 0 to 1"
            raise ReportError(source, problem, GIVE_A_CALIBRATION) from None
    if not distributions:
        raise ReportError(source, "holds no pair", GIVE_A_CALIBRATION)
    date, models = meta.get("date"), meta.get("filenames")
    listed = models if isinstance(models, list) else []
    # as garak lists them in a digest
    names = sorted(str(name).replace(".report.jsonl", "") for name in listed)
    identity = CalibrationIdentity(
        date=date if isinstance(date, str) else None,
        models=text_sha256(", ".join(names)) if isinstance(models, list) else None,
    )
    if not trusted or None in (identity.date, identity.models):
        identity = replace(identity, content=sha256(content).hexdigest()[:16])
    return Calibration(source=source, identity=identity, distributions=distributions)


def parse_tiers(content: bytes, *, source: str) -> Mapping[str, int]:
    """Read a file of tiers, for probes that neither a report nor garak knows.

    Parameters
    ----------
    content : bytes
        A JSON object from probe to tier, or garak's own ``plugin_cache.json``, of
        which probes without a tier are passed over.
    source : str
        Its path, for errors.

    Returns
    -------
    mapping of str to int
        1, 2, 3 or 9 by ``module.Class``.

    Raises
    ------
    ReportError
        It is neither.
    """
    stated: object = None
    problem = "is too large for a file of tiers"
    if memory_to_parse(content) <= LARGEST_PARSED:
        problem = "is not a JSON object"
        try:
            stated = parse_json(content.removeprefix(BYTE_ORDER_MARK))
        except ValueError:
            problem = "is not JSON"
    if not isinstance(stated, dict):
        raise ReportError(source, problem, GIVE_TIERS)
    probes = stated.get("probes")
    if isinstance(probes, dict):
        stated = {
            name: entry["tier"]
            for name, entry in probes.items()
            if isinstance(entry, dict) and entry.get("tier") is not None
        }
    if not stated or len(stated) > MOST_PROBES:
        problem = f"names no probe's tier, or more than {MOST_PROBES:,}"
        raise ReportError(source, problem, GIVE_TIERS)
    for name, tier in stated.items():
        try:
            convert(tier, Tier)
        except (ValidationError, UnicodeEncodeError):
            problem = (
                f"{shown(name, NAME_LENGTH_LIMIT)}: expected a tier of 1, 2, 3 or 9,"
                f" found {shown(repr(tier), 40)}"
            )
            raise ReportError(source, problem, GIVE_TIERS) from None
    return {bare_name(name): tier for name, tier in stated.items()}


class Renaming(Struct, frozen=True, kw_only=True):
    """One name that garak gave up.

    Attributes
    ----------
    old, new : str
        ``module.Class``.
    since : str
        The first release of garak with the new name.
    """

    old: str
    new: str
    since: str


def later_names(probe: str) -> Iterator[Renaming]:
    """Yield what a probe was called since, one release after the other."""
    table = _renamed()
    followed: set[str] = set()
    while probe in table and probe not in followed:
        followed.add(probe)
        yield table[probe]
        probe = table[probe].new


@cache
def _renamed() -> Mapping[str, Renaming]:
    """By the old name; read only where a probe is not known by its own."""
    document = json.loads(RENAMED.read_text(encoding="utf-8"))
    return {each.old: each for each in convert(document["renamed"], list[Renaming])}
