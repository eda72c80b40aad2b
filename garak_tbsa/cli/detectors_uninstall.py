# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors uninstall``, and the installing that it undoes.

The files are the one that garak reads first, our record beside it, which restores what
was there, and a lock that is not in their folder.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

from filelock import FileLock, Timeout

from garak_tbsa.detector_eval.installed import (
    Installed,
    MergedSummary,
    content_of,
    plan_installation,
    record_beside,
    record_of,
    record_path,
    record_text,
)
from garak_tbsa.detector_eval.summary_file import read_document, summary_text
from garak_tbsa.errors import InstallError, OutputError, reason_of
from garak_tbsa.files import write_whole
from garak_tbsa.garak_api.installed import MetricsFiles, metrics_files
from garak_tbsa.terminal import write_line

LONGEST_WAIT = 60.0
"""Seconds; an installation reads, merges and writes within two."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Say what the command is, and what it takes."""
    parser.description = (
        "Restore the detector metrics that garak read before the first"
        " `evaluate --install`, byte for byte."
    )
    parser.epilog = "Exit codes: 0 done, 1 could not, 2 usage."
    parser.add_argument(
        "--force",
        action="store_true",
        help="also if something else has changed the installed file since",
    )


def run(options: argparse.Namespace) -> None:
    """Run the command.

    Raises
    ------
    GarakTbsaError
        Nothing was installed, it was changed since, or the folder is not writable.
    """
    users = metrics_files().users
    with alone(users):
        record = record_beside(users)
        if record is None:
            raise InstallError(
                f"{record_path(users)}: does not exist, so garak-tbsa has installed"
                " nothing; there is nothing to undo"
            )
        before = record.restored(content_of(users), users, force=options.force)
        if before is None:
            _remove(users)
        else:
            write_whole(users, before)
        # last, so that the same command goes on after a kill
        _remove(record_path(users))
        if before is None:
            with contextlib.suppress(OSError):
                os.rmdir(os.path.dirname(users))
    if before is not None:
        write_line(f"restored: {users}")
    else:
        write_line(f"removed: {users}; garak reads its own metrics again")


def install(
    document: Mapping[str, Any], place: MetricsFiles, *, source: str, force: bool
) -> tuple[MergedSummary, dict[str, str]]:
    """Merge a summary into what garak reads, and write the record that restores it.

    Parameters
    ----------
    source : str
        By what the metrics were measured.

    Returns
    -------
    MergedSummary, dict
        As of :func:`~garak_tbsa.detector_eval.installed.plan_installation`.

    Raises
    ------
    DatasetError, InstallError
        What garak reads now is no summary, or another process installs.
    OutputError
        The folder cannot be written to; garak's metrics are as before.
    """
    with alone(place.users):
        base = None if place.in_use is None else read_document(place.in_use)
        merged, refused = plan_installation(document, base, force=force)
        detectors = (*merged.new, *merged.replaced)
        if detectors:
            content = summary_text(merged.document).encode("utf-8")
            date = document["metadata"]["evaluation_date"]
            installed = Installed(date=date, source=source, detectors=detectors)
            earlier = record_beside(place.users)
            record = record_of(content, content_of(place.users), earlier, installed)
            write_whole(record_path(place.users), record_text(record))
            write_whole(place.users, content)
    return merged, refused


@contextlib.contextmanager
def alone(users: str) -> Iterator[None]:
    """Let nobody else install or uninstall meanwhile.

    The system lets go of the lock when a process ends, even if it is killed.

    Raises
    ------
    InstallError
        Another process keeps it.
    OutputError
        The folder cannot be written to.
    """
    path = f"{os.path.dirname(users)}.lock"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        held = FileLock(path).acquire(timeout=LONGEST_WAIT)
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
    with held:
        yield


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be removed ({reason_of(error)}); make its folder writable"
        ) from None
