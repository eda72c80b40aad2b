# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What a loaded detector was set to, and why one could not be loaded.

A judge is a detector that asks a model: its verdicts are that model's, so the model and
its options belong beside the metrics.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from garak_tbsa.garak_api.detectors import garak_module
from garak_tbsa.garak_files.settings import is_secret, without_secrets

MODEL = "detector_model"
"""What the options of a judge's model are recorded under."""

_MODEL_TYPE = f"{MODEL}_type"
_MODEL_CONFIG = f"{MODEL}_config"
_MODEL_ATTRIBUTE = "evaluation_generator"
_RUN_PARAMETERS = "_run_params"
"""Names of what a generator takes from ``run``, its seed among them."""

_OF_THE_SCAN = frozenset(("skip",))
"""Says whether a scan uses the detector, not how."""

_LONGEST_TEXT = 200
"""Characters, from which a text such as a judge's prompt is its sha256."""


def options_of(detector: Any) -> dict[str, Any]:
    """Return the options of a loaded detector that its verdicts depend on.

    Of a judge, all of them, with those of its model as they came to be; of other
    detectors, those that the configuration sets to something but the default. What a
    detector sets of itself is no option.

    Returns
    -------
    dict
        JSON-ready, sorted by name, without keys, tokens and passwords.
    """
    model = getattr(detector, _MODEL_ATTRIBUTE, None)
    if model is None:
        defaults = getattr(type(detector), "DEFAULT_PARAMS", {})
        configured = _configured_names(detector)
        changed = {
            name: value
            for name, value in _parameters(detector).items()
            if name in configured and value != defaults[name]
        }
        return _recorded(changed)
    found = _parameters(detector)
    found.pop(_MODEL_CONFIG, None)
    found[MODEL] = _parameters(model, more=_RUN_PARAMETERS)
    return _recorded(found)


def _configured_names(detector: Any) -> set[str]:
    """Names that the configuration has for a detector's module or for its class."""
    settings = garak_module("garak._config").plugins.detectors
    module = type(detector).__module__.rpartition(".")[2]
    names: set[str] = set()
    for key in (module, type(detector).__name__):
        settings = settings.get(key, {}) if isinstance(settings, dict) else {}
        names.update(settings)
    return names


def _parameters(plugin: Any, more: str = "") -> dict[str, Any]:
    """Options of a plugin, and those that the class names in another attribute."""
    names = {*getattr(plugin, "DEFAULT_PARAMS", {}), *getattr(plugin, more, ())}
    return {
        name: getattr(plugin, name)
        for name in names - _OF_THE_SCAN
        if hasattr(plugin, name)
    }


def _recorded(options: dict[str, Any]) -> dict[str, Any]:
    plain = {
        name: _plain(without_secrets(value))
        for name, value in sorted(options.items())
        if value is not None and not is_secret(name, value)
    }
    return {name: value for name, value in plain.items() if value not in (None, {}, [])}


def _plain(value: Any) -> Any:
    """A value as JSON has it, the same on every machine; None for what it has not."""
    if isinstance(value, dict):
        return _recorded({str(name): each for name, each in value.items()})
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return {"sha256": hashlib.sha256(value.encode("utf-8")).hexdigest()}
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return None  # an object of the detector's own, a set, a number without end


def cause_of(error: BaseException, detector: str) -> BaseException:
    """Return what kept a detector from being loaded, out of garak's wrappings.

    A judge says no more than that it "failed to load generator": what its generator
    said, and which variable is empty, is put behind it.
    """
    outer = error.__cause__ or error
    inner = _innermost(outer)
    if inner is outer:
        return outer
    said = f"{type(inner).__name__}: {' '.join(str(inner).split())}"
    empty = _empty_key(detector)
    if empty is not None:
        said = (
            f"{empty} is empty; set it to the key, or to any text where the endpoint"
            f" needs none ({said})"
        )
    return type(outer)(said)


def _innermost(error: BaseException) -> BaseException:
    """The first thing that went wrong, behind those that say nothing of it."""
    exceptions = garak_module("garak.exception")
    wrappings = exceptions.GarakException, exceptions.BadGeneratorException
    # garak raises a cause again, so that each comes about by the other
    seen: list[BaseException] = []
    while type(error) in wrappings and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__ or error
    return error


def _empty_key(detector: str) -> str | None:
    """The variable for the key of a judge's model, where it is set to nothing."""
    plugins = garak_module("garak._plugins")
    options = garak_module("garak._config").plugins.detectors
    for name in detector.split("."):
        options = options.get(name, {}) if isinstance(options, dict) else {}
    model_type = dict(options).get(_MODEL_TYPE)
    try:
        known = plugins.plugin_info(f"detectors.{detector}")["DEFAULT_PARAMS"]
        model_type = model_type or known[_MODEL_TYPE]
        module, _, name = str(model_type).partition(".")
        generator = garak_module(f"garak.generators.{module}")
        variable = getattr(generator, name or generator.DEFAULT_CLASS).ENV_VAR
    except (AttributeError, ImportError, KeyError, TypeError, ValueError):
        return None
    return variable if os.environ.get(variable) == "" else None
