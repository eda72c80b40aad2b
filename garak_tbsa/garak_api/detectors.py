# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which detectors the installed garak has, and what it says of them."""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import inspect
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from garak_tbsa.detector_eval.data import DetectorCatalogue
from garak_tbsa.errors import GarakMissingError, UsageError

TRIGGER_LIST_DETECTORS = frozenset(
    {"base.TriggerListDetector", "goodside.Glitch", "propile.PIILeakExact"}
)
"""Their strings come with each attempt, so they have no parameter to know them by."""

_PREFIX = "detectors."


def garak_module(name: str) -> Any:
    """Import a module of garak, or end with one line that says what is missing.

    Raises
    ------
    GarakMissingError
        garak is not installed, or it lacks the module.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise GarakMissingError(
            f"garak: cannot be imported ({error}); install it with `pip install garak`"
        ) from None


def garak_version() -> str:
    """Version of the installed garak, e.g. ``0.17.1``."""
    return str(garak_module("garak").__version__)


@lru_cache(maxsize=1)
def known_detectors() -> frozenset[str]:
    """Every detector class of the installed garak, base classes too: ``dan.DAN``."""
    plugins = garak_module("garak._plugins")
    found = plugins.enumerate_plugins("detectors", skip_base_classes=False)
    return frozenset(name.removeprefix(_PREFIX) for name, _ in found)


def own_detectors() -> tuple[str, ...]:
    """The detectors that a scan can use: all but the base classes, sorted."""
    return tuple(
        sorted(name for name in known_detectors() if not name.startswith("base."))
    )


def is_detector(name: str) -> bool:
    """Whether ``name`` is garak's or reads like ``package.module:Class``."""
    return name in known_detectors() or ":" in name


def resolve_detectors(spec: str) -> tuple[str, ...]:
    """The detectors that a ``--detectors`` value names, sorted.

    Parameters
    ----------
    spec : str
        Comma-separated: ``*`` or ``all`` (garak's active detectors), a module
        (its active detectors, or all where none is active), a class, a pattern
        such as ``unsafe_content.Surge*``, or ``package.module:Class``.

    Raises
    ------
    UsageError
        A part names nothing; the message suggests the nearest name.
    """
    names: set[str] = set()
    for part in filter(None, (part.strip() for part in spec.split(","))):
        names |= _resolve_part(part.removeprefix("garak.").removeprefix(_PREFIX))
    if not names:
        raise UsageError(f"--detectors {spec!r}: names no detector; try dan.DAN or all")
    return tuple(sorted(names))


def _resolve_part(part: str) -> set[str]:
    known = known_detectors()
    if ":" in part:
        external_class(part)
        return {part}
    if part in known:
        return {part}
    if part in ("*", "all") or "." not in part:
        config = garak_module("garak._config")
        active, _ = config.parse_plugin_spec(
            "*" if part == "all" else part, "detectors"
        )
        pattern = f"{part}.*"
    else:
        active, pattern = (), part
    chosen = {name.removeprefix(_PREFIX) for name in active}
    chosen = chosen or set(fnmatch.filter(known, pattern))
    if not chosen:
        raise UsageError(f"--detectors: garak has no {part!r}{nearest(part)}")
    return chosen


def nearest(name: str) -> str:
    """Advice for a mistyped name: the nearest one, else where names are listed."""
    modules = {known.split(".")[0] for known in known_detectors()}
    by_lower = {known.lower(): known for known in (*known_detectors(), *modules)}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {by_lower[close[0]]!r}?"
    return "; `garak --list_detectors` lists the names"


def external_class(name: str) -> type:
    """The class that ``package.module:Class`` names.

    Raises
    ------
    UsageError
        There is no such module or class, or it has no ``detect``.
    """
    module_name, _, class_name = name.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name, None)
    except Exception as error:  # a module of the user's may raise anything
        raise UsageError(
            f"{name}: {module_name} cannot be imported ({type(error).__name__}:"
            f" {error}); check the name and PYTHONPATH"
        ) from None
    if not inspect.isclass(found) or not callable(getattr(found, "detect", None)):
        raise UsageError(
            f"{name}: {module_name} has no class {class_name!r} with a detect method;"
            " expected package.module:Class"
        )
    return found


def matches_strings(name: str) -> bool:
    """Whether a detector looks for given strings and for nothing else.

    A detector of garak's is known by the parameter that ``StringDetector`` has:
    importing all detector modules would take seconds.
    """
    if ":" in name:
        base = garak_module("garak.detectors.base")
        kinds = (base.StringDetector, base.TriggerListDetector)
        return issubclass(external_class(name), kinds)
    if name in TRIGGER_LIST_DETECTORS:
        return True
    if name not in known_detectors():
        return False  # of another garak's summary
    info = garak_module("garak._plugins").plugin_info(f"detectors.{name}")
    return "matchtype" in (info.get("DEFAULT_PARAMS") or {})


@lru_cache(maxsize=64)
def word_list(name: str) -> Sequence[str]:
    """The distinct words that a string detector of garak looks for, sorted.

    Raises
    ------
    ValueError
        garak has no such detector, or it looks for no words.
    """
    if name not in known_detectors():
        raise ValueError(name)
    detector = garak_module("garak._plugins").load_plugin(_PREFIX + name)
    words = {word.strip() for word in getattr(detector, "substrings", ())} - {""}
    if not words:
        raise ValueError(name)
    return sorted(words)


def detector_catalogue() -> DetectorCatalogue:
    """All that an evaluation asks of the installed garak.

    Raises
    ------
    GarakMissingError
        garak is not installed.
    """
    return DetectorCatalogue(
        garak_version=garak_version(),
        names=own_detectors(),
        has=is_detector,
        resolve=resolve_detectors,
        nearest=nearest,
        word_list=word_list,
    )
