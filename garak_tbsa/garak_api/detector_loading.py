# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Load a detector as a scan would, and show it labelled rows as garak's attempts.

A judge is a detector that asks a model: its verdicts are that model's, so the model and
its options belong beside the metrics.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import inspect
import io
import json
import logging
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from garak_tbsa.detector_eval.rows import LOCAL_FILENAME, LabelledRow
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detectors import external_class, garak_module
from garak_tbsa.report.settings import without_secrets

_ANY_PROBE = "base.Probe"
"""An attempt's probe where the row names none: judges look one up, needed or not."""

MODEL = "detector_model"
"""What the options of a judge's model are recorded under."""

_MODEL_CONFIG = f"{MODEL}_config"
_MODEL_ATTRIBUTE = "evaluation_generator"
_RUN_PARAMETERS = "_run_params"
"""Names of what a generator takes from ``run``, its seed among them."""

_OF_THE_SCAN = {"skip"}
"""Says whether a scan uses the detector, not how."""

_LONGEST_TEXT = 200
"""Characters, from which a text such as a judge's prompt is its sha256."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DetectorSettings:
    """How detectors are loaded; the same value in every worker.

    Attributes
    ----------
    config : str or None
        A configuration file of garak's, as for ``garak --config``.
    options : str
        JSON as for ``garak --detector_options``, or empty.
    seed : int
        What ``run.seed`` is where the configuration sets none.
    """

    config: str | None = None
    options: str = ""
    seed: int = 42

    def open(self, detector: str) -> LoadedDetector:
        """Load a detector; raises whatever its loading raises."""
        self.apply()
        capture = _Capture()
        with capture:
            loaded = LoadedDetector(_load(detector), capture)
        if loaded.is_skipped:
            loaded.close()
            raise ValueError("the configuration says `skip` for this detector")
        return loaded

    def apply(self) -> None:
        """Make garak's configuration the one of these settings.

        Raises
        ------
        UsageError
            The configuration file or the options cannot be used.
        """
        global _applied
        if _applied == self:
            return
        _applied = None
        config = garak_module("garak._config")
        config.config_files = []
        config.plugins.detectors = config.nested_dict()
        try:
            config.load_config(run_config_filename=self.config)
        except (ValueError, OSError) as error:
            raise UsageError(f"--config {self.config}: {error}") from None
        except (AttributeError, TypeError):
            raise UsageError(
                f"--config {self.config}: not garak's structure; expected mappings"
                " such as plugins: {detectors: {module: {Class: {option: value}}}}"
            ) from None
        if self.options:
            config.plugins.detectors = config._combine_into(
                _parsed_options(self.options), config.plugins.detectors
            )
        if getattr(config.run, "seed", None) is None:
            config.run.seed = self.seed
        _applied = self


_applied: DetectorSettings | None = None
"""The settings that this process's garak has."""


def _parsed_options(options: str) -> dict[str, Any]:
    try:
        parsed = json.loads(options)
    except ValueError as error:
        parsed = error
    if not isinstance(parsed, dict):
        raise UsageError(
            f"--detector-options: not a JSON object ({options[:60]!r});"
            ' expected {"module": {"Class": {"option": "value"}}}'
        )
    return parsed


def _load(detector: str) -> Any:
    config = garak_module("garak._config")
    if ":" in detector:
        external = external_class(detector)
        if "config_root" in inspect.signature(external).parameters:
            return external(config_root=config)
        return external()
    plugins = garak_module("garak._plugins")
    exceptions = garak_module("garak.exception")
    try:
        return plugins.load_plugin(f"detectors.{detector}", config_root=config)
    except (exceptions.GarakException, ValueError) as error:
        raise cause_of(error) from None


def _not_imported(detector: Any) -> str | None:
    """Why the detector goes without a module; garak hides that below a warning."""
    for name in getattr(detector, "extra_dependency_names", ()):
        try:
            importlib.import_module(name)
        except Exception as error:
            return f"`import {name}`: {error}"
    return None


class LoadedDetector:
    """A detector of garak that scores labelled rows, one attempt each."""

    def __init__(self, detector: Any, capture: _Capture) -> None:
        self._detector = detector
        self._capture = capture
        self._loading_complaint = capture.last_warning or _not_imported(detector)
        # an attempt speaks the language of the scan: with another one, garak would
        # show an English detector a translation, and without a service nothing
        run = garak_module("garak._config").run
        self._lang = getattr(run, "target_lang", None) or "en"

    def __enter__(self) -> LoadedDetector:
        self._capture.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._capture.__exit__()

    @property
    def is_skipped(self) -> bool:
        """Whether a scan with this configuration would leave the detector out."""
        return bool(getattr(self._detector, "skip", False))

    def scores(self, row: LabelledRow) -> Sequence[Any]:
        """All that the detector returned for the row's output.

        Raises
        ------
        ValueError
            The detector judges by a goal, and the row names no probe that has one.
        Exception
            Whatever the detector raises.
        """
        if row.probe is None and getattr(self._detector, "detector_goal", "") is None:
            raise ValueError(
                "the detector judges by the goal of a probe; name it in the rows'"
                " `probe`, or set the option `detector_goal`"
            )
        if row.file is None:
            base = garak_module("garak.detectors.base")
            # it would open whatever file an output names
            takes_paths = isinstance(self._detector, getattr(base, "FileDetector", ()))
            return self._detect(row, None if takes_paths else row.output)
        if row.file.content is None:
            return self._detect(row, row.file.name)
        with tempfile.TemporaryDirectory(
            prefix="garak-tbsa-", ignore_cleanup_errors=True
        ) as folder:
            path = os.path.join(folder, row.file.name)
            with open(path, "wb") as handle:
                handle.write(row.file.content)
            return self._detect(row, path)

    def options(self) -> dict[str, Any]:
        """What it was set to; see :func:`options_of`."""
        return options_of(self._detector)

    def complaint(self) -> str | None:
        """The last warning that garak logged since the chunk began, or at loading."""
        return self._capture.last_warning or self._loading_complaint

    def close(self) -> None:
        """Take the detector out of garak's cache of instances, and drop it."""
        provider = getattr(garak_module("garak._plugins"), "PluginProvider", None)
        cache = getattr(provider, "_instance_cache", {})
        cache.pop(type(self._detector), None)
        del self._detector

    def _detect(self, row: LabelledRow, output: str | None) -> Sequence[Any]:
        # a generator is exhausted while the row's file still exists
        attempt = attempt_of(row, output, self._lang)
        return list(self._detector.detect(attempt) or ())


def attempt_of(row: LabelledRow, output: str | None, lang: str) -> Any:
    """Return garak's attempt of a row, whose only output this is."""
    garak = garak_module("garak.attempt")

    def message(text: str | None) -> Any:
        return None if text is None else garak.Message(text, lang=lang)

    notes = dict(row.notes)
    if row.file is not None:
        notes.setdefault("format", LOCAL_FILENAME)
    attempt = garak.Attempt(
        status=garak.ATTEMPT_STARTED,
        probe_classname=row.probe or _ANY_PROBE,
        goal=row.goal,
        notes=notes,
        prompt=garak.Conversation(
            [garak.Turn(turn.role, message(turn.text)) for turn in row.prompt]
        ),
    )
    attempt.outputs = [message(output)]
    return attempt


class _Capture(logging.Handler):
    """Keeps garak's prints off our stdout, and its last warning for a reason."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last_warning: str | None = None
        self._stack = contextlib.ExitStack()

    def emit(self, record: logging.LogRecord) -> None:
        """Keep what was logged; a faulty call must not break the evaluation."""
        try:
            said = record.getMessage()
            if record.exc_info and record.exc_info[1] is not None:
                kind, error, _ = record.exc_info
                said += f": {kind.__name__}: {error}"
        except Exception:
            # its arguments do not fit its format, or one of them cannot be printed
            said = record.msg if isinstance(record.msg, str) else record.levelname
        self.last_warning = said

    def __enter__(self) -> None:
        self.last_warning = None
        self._stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        self._stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        logging.getLogger().addHandler(self)
        self._stack.callback(logging.getLogger().removeHandler, self)

    def __exit__(self, *_: object) -> None:
        self._stack.close()


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
    found = _parameters(detector)
    model = getattr(detector, _MODEL_ATTRIBUTE, None)
    if model is None:
        defaults = getattr(type(detector), "DEFAULT_PARAMS", {})
        configured = _configured_names(detector)
        found = {
            name: value
            for name, value in found.items()
            if name in configured and value != defaults[name]
        }
    else:
        found.pop(_MODEL_CONFIG, None)
        found[MODEL] = _parameters(model, more=_RUN_PARAMETERS)
    options: dict[str, Any] = _plain(without_secrets(found))
    return options


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


def _plain(value: Any) -> Any:
    """A value as JSON has it, the same on every machine; None for what it has not."""
    if isinstance(value, dict):
        plain = {str(name): _plain(each) for name, each in value.items()}
        given = [name for name in sorted(plain) if plain[name] not in (None, {}, [])]
        return {name: plain[name] for name in given}
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return {"sha256": hashlib.sha256(value.encode("utf-8")).hexdigest()}
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return None  # an object of the detector's own, a set, a number without end


def cause_of(error: BaseException) -> BaseException:
    """Return what kept a detector from being loaded, out of garak's wrappings."""
    exceptions = garak_module("garak.exception")
    wrappings = exceptions.GarakException, exceptions.BadGeneratorException
    inner = error.__cause__ or error
    # garak raises a cause again, so that each comes about by the other
    seen: list[BaseException] = []
    while type(inner) in wrappings and inner not in seen:
        seen.append(inner)
        inner = inner.__cause__ or inner.__context__ or inner
    return inner
