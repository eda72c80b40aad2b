# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An output is there as a whole or not at all; what stood there stays until then."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa import files
from garak_tbsa.errors import OutputError
from garak_tbsa.files import write_whole

OLD = "the old result"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out.json"
    path.write_text(OLD)
    return path


def test_text_is_written_as_utf_8_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "out.txt"
    write_whole(str(path), "é🟥\n")
    assert path.read_bytes() == "é🟥\n".encode()


def test_bytes_are_written_as_they_are(target: Path) -> None:
    write_whole(str(target), b"\x00\xff")
    assert target.read_bytes() == b"\x00\xff"


def test_lone_surrogates_do_not_stop_an_output(target: Path) -> None:
    write_whole(str(target), "a\ud800b")
    assert target.read_bytes() == b"a?b"


def test_nothing_is_left_beside(target: Path) -> None:
    write_whole(str(target), "new")
    assert os.listdir(target.parent) == [target.name]


def test_the_mode_of_an_existing_file_stays(target: Path) -> None:
    target.chmod(0o640)
    write_whole(str(target), "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_link_stays_a_link(target: Path) -> None:
    link = target.with_name("link.json")
    link.symlink_to(target)
    write_whole(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_device_is_written_through() -> None:
    write_whole(os.devnull, "anything")


def test_a_folder_in_the_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot be written \(Is a directory\)"):
        write_whole(str(tmp_path), "new")


def test_a_file_in_place_of_the_folder_is_told(target: Path) -> None:
    with pytest.raises(OutputError) as caught:
        write_whole(str(target / "below.json"), "new")
    assert str(caught.value) == (
        f"{target}/below.json: cannot be written (File exists); nothing was"
        " changed there, choose a writable place with free space"
    )


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_full_disk_leaves_the_old_file(
    target: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, step, fail)
    with pytest.raises(OutputError, match=r"\(No space left on device\)"):
        write_whole(str(target), "new")
    assert target.read_text() == OLD
    assert os.listdir(target.parent) == [target.name]


WRITE_BIG = """
import resource, signal, sys
from garak_tbsa.errors import OutputError
from garak_tbsa.files import write_whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_whole(sys.argv[1], "x" * 100_000)
except OutputError as error:
    sys.exit(str(error))
"""


def test_the_real_limit_of_a_file_system_leaves_the_old_file(target: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WRITE_BIG, str(target)], capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert "cannot be written (File too large)" in ended.stderr
    assert target.read_text() == OLD
    assert os.listdir(target.parent) == [target.name]


KILLED = """
import os, signal, sys
from garak_tbsa import files
files.os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
files.write_whole(sys.argv[1], "new")
"""


def test_a_killed_process_leaves_the_old_file(target: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert target.read_text() == OLD
