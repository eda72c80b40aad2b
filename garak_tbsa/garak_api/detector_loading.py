# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Load a detector as a scan would, and show it labelled rows as garak's attempts."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any

from garak_tbsa.detector_eval.labelled_row import LOCAL_FILENAME, LabelledRow
from garak_tbsa.detector_eval.sources import sha256_of
from garak_tbsa.errors import UsageError
from garak_tbsa.garak_api.detector_options import cause_of, options_of
from garak_tbsa.garak_api.detectors import external_class, garak_module

_ANY_PROBE = "base.Probe"
"""An attempt's probe where the row names none: judges look one up, needed or not."""


@dataclass(frozen=True, kw_only=True)
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

    def identity(self) -> dict[str, Any]:
        """All that decides what is loaded, the bytes of garak's configuration too."""
        self.apply()
        read = garak_module("garak._config").config_files
        return asdict(self) | {"config_files": [sha256_of(str(path)) for path in read]}

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
        raise cause_of(error, detector) from None


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
        self._attempts = _Attempts(getattr(run, "target_lang", None) or "en")

    def __enter__(self) -> LoadedDetector:
        self._capture.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._capture.__exit__(kind, error, traceback)

    @property
    def _takes_paths(self) -> bool:
        """Whether it would open whatever file an output names."""
        base = garak_module("garak.detectors.base")
        return isinstance(self._detector, getattr(base, "FileDetector", ()))

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
            return self._detect(row, None if self._takes_paths else row.output)
        if row.file.content is None:
            return self._detect(row, row.file.name)
        folder = tempfile.mkdtemp(prefix="garak-tbsa-")
        try:
            path = os.path.join(folder, row.file.name)
            with open(path, "wb") as handle:
                handle.write(row.file.content)
            return self._detect(row, path)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def options(self) -> dict[str, Any]:
        """What it was set to; see :func:`~.detector_options.options_of`."""
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
        return list(self._detector.detect(self._attempts.make(row, output)) or ())


class _Attempts:
    """Makes garak's attempts of rows."""

    def __init__(self, lang: str) -> None:
        self._garak = garak_module("garak.attempt")
        self._lang = lang

    def make(self, row: LabelledRow, output: str | None) -> Any:
        """Return the attempt whose only output is ``output``."""
        garak = self._garak
        notes = dict(row.notes)
        if row.file is not None:
            notes.setdefault("format", LOCAL_FILENAME)
        attempt = garak.Attempt(
            status=garak.ATTEMPT_STARTED,
            probe_classname=row.probe or _ANY_PROBE,
            goal=row.goal,
            notes=notes,
            prompt=garak.Conversation(
                [garak.Turn(turn.role, self._message(turn.text)) for turn in row.prompt]
            ),
        )
        attempt.outputs = [self._message(output)]
        return attempt

    def _message(self, text: str | None) -> Any:
        return None if text is None else self._garak.Message(text, lang=self._lang)


def _logged(record: logging.LogRecord) -> str:
    """What was logged; a detector's faulty call must not break the evaluation."""
    try:
        said = record.getMessage()
        if record.exc_info and record.exc_info[1] is not None:
            kind, error, _ = record.exc_info
            said += f": {kind.__name__}: {error}"
    except Exception:
        # its arguments do not fit its format, or one of them cannot be printed
        return record.msg if isinstance(record.msg, str) else record.levelname
    return said


class _Capture(logging.Handler):
    """Keeps garak's prints off our stdout, and its last warning for a reason."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.last_warning: str | None = None
        self._stack = contextlib.ExitStack()

    def emit(self, record: logging.LogRecord) -> None:
        self.last_warning = _logged(record)

    def __enter__(self) -> None:
        self.last_warning = None
        self._stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        self._stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        logging.getLogger().addHandler(self)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        logging.getLogger().removeHandler(self)
        self._stack.close()
