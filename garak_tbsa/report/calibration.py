# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A calibration: the pass rates that other models had, per pair."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert

from garak_tbsa.errors import ReportError

MINIMUM_SIGMA = 1.0 / 30
"""garak's floor for a calibration's standard deviation (``MINIMUM_STD_DEV``)."""

META_KEY = "garak_calibration_meta"
ADVICE = "give a garak calibration, such as garak/data/calibration/calibration.json"


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


Share = Annotated[float, Meta(ge=0, le=1)]


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


def models_sha256(names: list[object]) -> str:
    """Return 16 hex digits over model names, as garak lists them in a digest."""
    models = sorted(str(name).replace(".report.jsonl", "") for name in names)
    return text_sha256(", ".join(models))


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
        raise ReportError(source, "is not JSON", ADVICE) from error
    if not isinstance(raw, dict):
        raise ReportError(source, "expected an object of pairs", ADVICE)
    meta = raw.pop(META_KEY, None)
    distributions = {}
    for name, entry in raw.items():
        try:
            distributions[name] = convert(entry, Distribution)
        except (ValidationError, UnicodeEncodeError):
            problem = f"{name}: expected numbers mu and sigma from 0 to 1"
            raise ReportError(source, problem, ADVICE) from None
    if not distributions:
        raise ReportError(source, "holds no pair", ADVICE)
    stated = meta if isinstance(meta, dict) else {}
    date, models = stated.get("date"), stated.get("filenames")
    identity = CalibrationIdentity(
        date=date if isinstance(date, str) else None,
        models=models_sha256(models) if isinstance(models, list) else None,
    )
    if not trusted or None in (identity.date, identity.models):
        identity = replace(identity, content=sha256(content).hexdigest()[:16])
    return Calibration(source=source, identity=identity, distributions=distributions)
