# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Writers that die or meet leave whole files, as do those of a device."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.files import remove_parts, write_whole

OLD = "the old result"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out.json"
    path.write_text(OLD)
    return path


def test_content_is_written_whole_in_new_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / ("x" * 255)
    for content, written in (("é🟥\n", "é🟥\n".encode()), ("a\ud800b", b"a?b")):
        write_whole(str(path), content)
        assert path.read_bytes() == written
        assert os.listdir(path.parent) == [path.name]


KILLED = """
import os, signal, sys
from garak_tbsa import files
files.os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
files.write_whole(sys.argv[1], "new")
"""


def test_what_a_killed_process_left_is_removed_by_its_number(target: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED, str(target)]) as killed:
        killed.wait()
    assert killed.returncode == -signal.SIGKILL
    assert target.read_text() == OLD
    assert len(os.listdir(target.parent)) == 2
    others = [".garak-tbsa.4711.12345678.part", f"out.json.{killed.pid}.part"]
    for name in others:
        target.with_name(name).write_text("another's")
    remove_parts(str(target), killed.pid)
    assert sorted(os.listdir(target.parent)) == sorted([target.name, *others])


WAITING = """
import sys
from garak_tbsa import files
files.os.fsync = lambda handle: (print("writing", flush=True), sys.stdin.read())
files.write_whole(sys.argv[1], "from the slow one")
"""


def test_two_writers_of_one_target_leave_each_other_alone(target: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(target)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as slow:
        assert slow.stdout is not None
        slow.stdout.readline()
        write_whole(str(target), "from the quick one")
        assert target.read_text() == "from the quick one"
        slow.communicate()
    assert slow.returncode == 0
    assert target.read_text() == "from the slow one"
    assert os.listdir(target.parent) == [target.name]


TO_STANDARD_OUTPUT = """
import sys
from garak_tbsa.files import write_whole
print("first")
for name in ("-", "/dev/stdout", "/dev/fd/1"):
    write_whole(name, f"{name}\\n")
    print("after", name)
"""


def test_a_redirected_standard_output_is_written_on(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    with path.open("wb") as handle:
        command = [sys.executable, "-c", TO_STANDARD_OUTPUT]
        subprocess.run(command, stdout=handle, check=True, cwd=tmp_path)
    names = ("-", "/dev/stdout", "/dev/fd/1")
    expected = [line for name in names for line in (name, f"after {name}")]
    assert path.read_text().splitlines() == ["first", *expected]
    assert os.listdir(tmp_path) == [path.name]
