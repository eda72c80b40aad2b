# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""A folder of one trial, whose outputs can be on a disk that is full or read-only."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tools.faults.commands import OUT, ROOT, lay_out

DISK = 4 << 20
PAGE = 4096
FILLER = "filler"
EPOCH = "1795219200"

Files = dict[str, bytes]


@lru_cache(maxsize=1)
def can_mount() -> bool:
    """Whether this process may mount a file system of its own."""
    with tempfile.TemporaryDirectory() as folder:
        if _mount(Path(folder)).returncode:
            return False
        _unmount(Path(folder))
    return True


def _mount(folder: Path) -> subprocess.CompletedProcess[bytes]:
    return _quietly("mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(folder))


def _unmount(folder: Path) -> None:
    _quietly("umount", str(folder))


def _quietly(*command: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, capture_output=True, check=False)
    except OSError:
        return subprocess.CompletedProcess(command, 1)


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How a process ended; ``code`` is None where it had to be stopped."""

    code: int | None
    out: str
    err: str


class Stage:
    """Inputs in ``in``, outputs in ``out``, garak's folders in ``home``.

    Parameters
    ----------
    installs : bool
        Whether garak's data folder is to be among the outputs.
    """

    def __init__(self, *, installs: bool = False) -> None:
        self.data = f"{OUT}/data" if installs else "home"
        self.folder = Path(tempfile.mkdtemp(prefix="garak-tbsa-faults-"))
        self.mounted = False
        lay_out(self.folder)

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        if self.mounted:
            _unmount(self.out)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def out(self) -> Path:
        """Where outputs go."""
        return self.folder / OUT

    def own_disk(self) -> None:
        """Put the outputs on a small disk of their own."""
        self.mounted = not _mount(self.out).returncode
        assert self.mounted

    def fill(self, left: int) -> None:
        """Leave so many bytes on the disk of the outputs, in whole pages."""
        with open(self.out / FILLER, "wb", buffering=0) as handle:
            try:
                while True:
                    handle.write(b"\0" * PAGE)
            except OSError:
                pass
        size = (self.out / FILLER).stat().st_size
        os.truncate(self.out / FILLER, max(0, size - left // PAGE * PAGE))

    def make_room(self) -> None:
        """Undo :meth:`fill`."""
        (self.out / FILLER).unlink()

    def read_only(self, switch: bool) -> None:
        """Revoke or restore the right to write outputs."""
        if self.mounted:
            how = f"remount,{'ro' if switch else 'rw'}"
            _quietly("mount", "-o", how, str(self.out))
        else:
            self.out.chmod(0o555 if switch else 0o755)

    def variables(self) -> dict[str, str]:
        """Environment of the commands: nothing is written outside the stage."""
        variables = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
        variables.pop("GARAK_TBSA_DEBUG", None)
        variables["SOURCE_DATE_EPOCH"] = EPOCH
        variables["PYTHONDONTWRITEBYTECODE"] = "1"
        variables["TMPDIR"] = str(self.folder / "tmp")
        variables["XDG_DATA_HOME"] = str(self.folder / self.data)
        for name in ("CONFIG", "CACHE"):
            variables[f"XDG_{name}_HOME"] = str(self.folder / "home")
        return variables

    def start(
        self, argv: tuple[str, ...], limit: int | None = None
    ) -> subprocess.Popen[bytes]:
        """Start the command; ``limit`` is the largest file that it may write."""
        before: Callable[[], None] | None = None
        if limit is not None:
            largest = limit

            def before() -> None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

        return subprocess.Popen(
            [sys.executable, "-m", "garak_tbsa", *argv],
            cwd=self.folder,
            env=self.variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=before,
        )

    def run(self, argv: tuple[str, ...], *, limit: int | None = None) -> Ended:
        """Run the command to its end."""
        with self.start(argv, limit) as process:
            return self.ended(process, process.communicate())

    def ended(
        self, process: subprocess.Popen[bytes], texts: tuple[bytes, bytes]
    ) -> Ended:
        """Say how a process ended that wrote these texts."""
        out, err = map(_text, texts)
        return Ended(code=process.returncode, out=out, err=err)

    def outputs(self) -> Files:
        """Return what is below ``out`` and ``tmp``, without garak's log."""
        found = {}
        for top in (OUT, "tmp"):
            for path in sorted((self.folder / top).rglob("*")):
                name = path.relative_to(self.folder).as_posix()
                if path.is_file() and path.name not in ("garak.log", FILLER):
                    found[name] = path.read_bytes()
        return found

    def inputs(self) -> Files:
        """Return what is below ``in``, pipes left out."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted((self.folder / "in").rglob("*"))
            if path.is_file()
        }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
