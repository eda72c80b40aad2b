# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""An output is there as a whole or not at all; the old file stays until then."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from garak_tbsa.errors import OutputError, UsageError
from garak_tbsa.files import remove_parts, require_distinct, write_whole

OLD = "the old result"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "out.json"
    path.write_text(OLD)
    return path


@pytest.mark.parametrize(
    ("content", "written"),
    [("é🟥\n", "é🟥\n".encode()), (b"\x00\xff", b"\x00\xff"), ("a\ud800b", b"a?b")],
)
def test_content_is_written_whole_in_new_folders(
    tmp_path: Path, content: str | bytes, written: bytes
) -> None:
    path = tmp_path / "a" / "b" / ("x" * 255)
    write_whole(str(path), content)
    assert path.read_bytes() == written
    assert os.listdir(path.parent) == [path.name]


def test_mode_and_links_of_an_existing_file_stay(target: Path) -> None:
    target.chmod(0o640)
    link = target.with_name("link.json")
    link.symlink_to(target)
    write_whole(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_device_is_written_through() -> None:
    write_whole(os.devnull, "anything")


def test_a_folder_in_the_place_is_told(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot be written \(Is a directory\)"):
        write_whole(str(tmp_path), "new")


def test_a_file_in_place_of_the_folder_is_told(target: Path) -> None:
    with pytest.raises(OutputError) as caught:
        write_whole(str(target / "below.json"), "new")
    assert str(caught.value) == (
        f"{target}/below.json: cannot be written (File exists); nothing was changed"
        f" there; choose a writable place with free space"
    )


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_full_disk_leaves_the_old_file(
    target: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OutputError, match=r"\(No space left on device\)"):
        write_whole(str(target), "new")
    assert target.read_text() == OLD
    assert os.listdir(target.parent) == [target.name]


WRITE_BIG = """
import resource, signal, sys
from garak_tbsa.errors import OutputError
from garak_tbsa.files import remove_parts, require_distinct, write_whole
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
from garak_tbsa.files import remove_parts, require_distinct, write_whole
print("first")
write_whole(sys.argv[1], "second\\n")
write_whole(sys.argv[1], "third\\n")
print("fourth")
"""


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_a_redirected_standard_output_is_written_on(tmp_path: Path, name: str) -> None:
    path = tmp_path / "all.txt"
    with path.open("wb") as handle:
        subprocess.run(
            [sys.executable, "-c", TO_STANDARD_OUTPUT, name],
            stdout=handle,
            check=True,
            cwd=tmp_path,
        )
    assert path.read_text().split() == ["first", "second", "third", "fourth"]
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize(
    "given", ["{0}", "{1}/link", "{1}/hard", "{1}/nowhere/../out.json", "file://{0}"]
)
def test_an_output_in_the_place_of_an_input_is_refused(
    target: Path, given: str
) -> None:
    target.with_name("link").symlink_to(target)
    os.link(target, target.with_name("hard"))
    given = given.format(target, target.parent)
    with pytest.raises(UsageError) as caught:
        require_distinct({"--html": str(target), "-j": None}, ["-", None, given])
    assert str(caught.value) == (
        f"--html {target}: would overwrite the input {given};"
        " give each output a path of its own"
    )


def test_two_outputs_in_one_place_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        require_distinct(
            {"-j": f"{tmp_path}/new", "--html": f"{tmp_path}/./new"}, inputs=[]
        )
    assert str(caught.value) == (
        f"--html {tmp_path}/./new: would overwrite the output of -j;"
        " give each output a path of its own"
    )


@pytest.mark.parametrize("path", ["-", "/dev/stdout", os.devnull, "/dev/fd/1"])
def test_what_replaces_nothing_may_repeat(path: str) -> None:
    require_distinct({"-j": path, "--html": path}, [path])


def test_other_paths_are_free(target: Path) -> None:
    require_distinct(
        {"-j": f"{target}.new", "--html": f"{target}.html"},
        [str(target), f"s3://bucket{target}.new"],
    )
