# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The files of ``detectors evaluate --install`` and ``detectors uninstall``.

They are the file that garak reads first, our record beside it, which restores what was
there, and a lock that is not in their folder.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from filelock import FileLock, Timeout

from garak_tbsa.detector_eval.installed import (
    Installation,
    Installed,
    content_of,
    plan_installation,
    record_in,
    record_of,
    record_path,
    record_text,
    restored,
)
from garak_tbsa.detector_eval.summary import summary_text
from garak_tbsa.detector_eval.summary_file import read_document
from garak_tbsa.errors import InstallError, OutputError, reason_of
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.metrics_files import MetricsFiles

LONGEST_WAIT = 60.0
"""Seconds; an installation reads, merges and writes within two."""


def lock_path(place: MetricsFiles) -> str:
    """Return what is locked while metrics are read, merged and written."""
    return f"{os.path.dirname(place.users)}.lock"


def file_in_use(place: MetricsFiles) -> str | None:
    """Return the file that garak reads now."""
    return place.users if os.path.isfile(place.users) else place.shipped


@contextlib.contextmanager
def alone(place: MetricsFiles) -> Iterator[None]:
    """Let nobody else install or uninstall meanwhile.

    The system lets go of the lock when a process ends, even if it is killed.

    Raises
    ------
    InstallError
        Another process keeps it.
    OutputError
        The folder cannot be written to.
    """
    path = lock_path(place)
    lock = FileLock(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        lock.acquire(timeout=LONGEST_WAIT)
    except Timeout:
        raise InstallError(
            f"{path}: another process has installed detector metrics for"
            f" {LONGEST_WAIT:g} s and has not ended; nothing was changed; run the same"
            " command when it has"
        ) from None
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written ({reason_of(error)}); make its folder writable"
        ) from None
    try:
        yield
    finally:
        lock.release()


def install(
    document: Mapping[str, Any], place: MetricsFiles, *, source: str, force: bool
) -> Installation:
    """Merge a summary into what garak reads, and write the record that restores it.

    ``source`` says by what the metrics were measured.

    Raises
    ------
    DatasetError, InstallError
        What garak reads now is no summary, or another process installs.
    OutputError
        The folder cannot be written to; garak's metrics are as before.
    """
    with alone(place):
        base = file_in_use(place)
        planned = plan_installation(
            document, None if base is None else read_document(base), force=force
        )
        if planned.installs_any:
            content = summary_text(planned.merged.document).encode("utf-8")
            installed = Installed(
                date=document["metadata"]["evaluation_date"],
                source=source,
                detectors=(*planned.merged.new, *planned.merged.replaced),
            )
            earlier = record_in(place.users)
            record = record_of(content, content_of(place.users), earlier, installed)
            write_whole(record_path(place.users), record_text(record))
            write_whole(place.users, content)
    return planned


def uninstall(place: MetricsFiles, *, force: bool) -> bool:
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
        record = record_in(place.users)
        if record is None:
            raise InstallError(
                f"{record_path(place.users)}: does not exist, so garak-tbsa has"
                " installed nothing; there is nothing to undo"
            )
        before = restored(content_of(place.users), record, place.users, force=force)
        if before is None:
            _remove(place.users)
        else:
            write_whole(place.users, before)
        # last, so that the same command goes on after a kill
        _remove(record_path(place.users))
        if before is None:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(place.users))
    return before is not None


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be removed ({reason_of(error)}); make its folder writable"
        ) from None
