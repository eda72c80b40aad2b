# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The files of ``detectors evaluate --install`` and ``detectors uninstall``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from filelock import FileLock, Timeout

from garak_tbsa.detector_eval.installed import (
    RECORD_NAME,
    Installation,
    InstallRecord,
    parse_record,
    plan_installation,
    record_of,
    record_text,
    restored,
)
from garak_tbsa.detector_eval.summary import summary_text
from garak_tbsa.detector_eval.summary_file import read_document
from garak_tbsa.errors import InstallError, OutputError
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.metrics_files import MetricsFiles, metrics_files

LONGEST_WAIT = 60.0
"""Seconds; an installation reads, merges and writes within two."""


@dataclass(frozen=True, kw_only=True)
class InstallPlace:
    """The file that garak reads first, and our record beside it."""

    files: MetricsFiles

    @property
    def path(self) -> str:
        """The user's file."""
        return self.files.users

    @property
    def record_path(self) -> str:
        """What is needed to restore it."""
        return os.path.join(os.path.dirname(self.path), RECORD_NAME)

    @property
    def lock_path(self) -> str:
        """Held while the metrics are read, merged and written; not in their folder."""
        return f"{os.path.dirname(self.path)}.lock"

    @property
    def base(self) -> str | None:
        """The file that garak reads now."""
        return self.path if os.path.isfile(self.path) else self.files.shipped

    @property
    def base_words(self) -> str:
        """Whose metrics those are."""
        return "garak" if self.base == self.files.shipped else self.path


def install_place() -> InstallPlace:
    """Where the installed garak looks.

    Raises
    ------
    GarakMissingError
        garak is missing or older than 0.17.
    """
    return InstallPlace(files=metrics_files())


@contextlib.contextmanager
def alone(place: InstallPlace) -> Iterator[None]:
    """Let nobody else install or uninstall meanwhile.

    The system lets go of the lock when a process ends, even if it is killed.

    Raises
    ------
    InstallError
        Another process keeps it.
    OutputError
        The folder cannot be written to.
    """
    lock = FileLock(place.lock_path)
    try:
        os.makedirs(os.path.dirname(place.lock_path), exist_ok=True)
        lock.acquire(timeout=LONGEST_WAIT)
    except Timeout:
        raise InstallError(
            f"{place.lock_path}: another process has installed detector metrics for"
            f" {LONGEST_WAIT:g} s and has not ended; nothing was changed; run the same"
            " command when it has"
        ) from None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OutputError(
            f"{place.lock_path}: cannot be written ({reason}); make its folder writable"
        ) from None
    try:
        yield
    finally:
        lock.release()


def plan(
    document: Mapping[str, Any], place: InstallPlace, *, force: bool
) -> Installation:
    """Merge a summary with what garak reads now; nothing is written.

    Until it is installed, nobody else may: both belong within one :func:`alone`.

    Raises
    ------
    DatasetError, InstallError
        What garak reads now is no summary.
    """
    base = None if place.base is None else read_document(place.base)
    return plan_installation(document, base, force=force)


def install(planned: Installation, place: InstallPlace) -> None:
    """Write the merged metrics, and first the record that restores what was there.

    Raises
    ------
    OutputError
        The folder cannot be written to; garak's metrics are as before.
    """
    content = summary_text(planned.merged.document).encode("utf-8")
    record = record_of(content, _content(place.path), _record(place))
    write_whole(place.record_path, record_text(record))
    write_whole(place.path, content)


def uninstall(place: InstallPlace, *, force: bool) -> bool:
    """Restore what was there before the first installation.

    Returns
    -------
    bool
        Whether there was a file of the user's; if not, garak reads its own again.

    Raises
    ------
    InstallError
        Nothing was installed, or somebody has changed it since.
    OutputError
        The folder cannot be written to.
    """
    with alone(place):
        return _restore(place, force=force)


def _restore(place: InstallPlace, *, force: bool) -> bool:
    """Undo what was installed, while nobody else may."""
    record = _record(place)
    if record is None:
        raise InstallError(
            f"{place.record_path}: does not exist, so garak-tbsa has installed nothing;"
            " there is nothing to undo"
        )
    before = restored(_content(place.path), record, place.path, force=force)
    if before is None:
        _remove(place.path)
    else:
        write_whole(place.path, before)
    # last, so that the same command goes on after a kill
    _remove(place.record_path)
    if before is None:
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(place.path))
    return before is not None


def _record(place: InstallPlace) -> InstallRecord | None:
    content = _content(place.record_path)
    return None if content is None else parse_record(content, place.record_path)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise InstallError(
            f"{path}: cannot be read ({reason}); make it readable first"
        ) from None


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise OutputError(
            f"{path}: cannot be removed ({reason}); make its folder writable"
        ) from None
