# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Whatever the input: at most 512 MiB, and a result or one clear line."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
import zstandard

from tests.behaviour.product import tbsa
from tests.report_rows import (
    PairFacts,
    digest_row,
    pairs_named,
    report_rows,
    to_bytes,
)

MIB = 1 << 20
ATTEMPT = b'{"entry_type": "attempt", "prompt": "'
WHOLE = to_bytes(report_rows(pairs_named((1, 9, 10))))
ROWS = to_bytes(report_rows(pairs_named((1, 9, 10)), digest=False))

MEASURED = """
import resource, sys
from garak_tbsa.cli.main import main
from garak_tbsa.report import opening as source
{limits}
code = main(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print("peak", peak, file=sys.stderr)
sys.exit(code)
"""


def run(
    *arguments: object,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    most: int = 512,
    limits: str = "",
) -> tuple[int, list[str]]:
    """Run a command in so many MiB at most; return exit code and lines on stderr.

    ``limits`` are lines that set other limits of what is read.
    """
    script = MEASURED.format(limits=limits)
    command = [sys.executable, "-c", script, *map(str, arguments)]
    ended = subprocess.run(
        # a child of a small shell: one of ours would count what the test runner holds
        ["sh", "-c", '"$@"; exit $?', "sh", *command],
        stdin=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        # what a defect takes must not take the machine
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )
    *lines, last = ended.stderr.splitlines()
    assert last.startswith("peak "), ended.stderr
    assert int(last.split()[1]) <= most * MIB, f"{int(last.split()[1]) / MIB:.0f} MiB"
    return ended.returncode, lines


def repeated(piece: bytes, size: int) -> bytes:
    return b"[" + piece * (size // len(piece)) + b"0]"


def distinct_keys(size: int) -> bytes:
    return b"{" + b",".join(b'"%x":0' % number for number in range(size // 9)) + b"}"


SHAPES: dict[str, Callable[[int], bytes]] = {
    "lists": lambda size: repeated(b"[],", size),
    "objects in objects": lambda size: repeated(b'{"":{"":{"":{}}}},', size),
    "texts": lambda size: repeated(b'"ab",', size),
    "wide texts": lambda size: repeated('"\N{GRINNING FACE}",'.encode(), size),
    "a wide text": lambda size: f'["{"x" * size}\N{GRINNING FACE}"]'.encode(),
    "keys": distinct_keys,
}


ONE_ROW = (
    "; give a garak report, each line of which is one row; split a line that holds"
    " several"
)
TOO_LARGE = f"parsing the line may take more than 320 MiB of memory{ONE_ROW}"
AS_A_FILE = (
    "; give a garak report, or save it unpacked: a plain file may be of any size"
)


@pytest.mark.surroundings
@pytest.mark.parametrize(
    ("command", "shape", "size"),
    [
        *[("score", shape, 3) for shape in SHAPES],
        *[("score", shape, 36) for shape in ("lists", "a wide text", "keys")],
        ("compare", "objects in objects", 3),
    ],
)
def test_values_that_are_much_larger_than_their_text(
    tmp_path: Path, command: str, shape: str, size: int
) -> None:
    """A line of some MiB may take hundreds; with a digest nothing else is read."""
    path = tmp_path / "r.report.jsonl"
    hidden = b'{"entry_type": "other", "x": ' + SHAPES[shape](size * MIB) + b"}\n"
    reports = [path] * (1 if command == "score" else 2)
    if shape == "lists":
        path.write_bytes(hidden + WHOLE)
        assert run(command, *reports) == (0, [])
    path.write_bytes(hidden + ROWS)
    refused = (1, [f"garak-tbsa: {path}, line 1: {TOO_LARGE}"])
    assert run(command, *reports) == ((0, []) if size == 3 else refused)


def packed(content: bytes, *, zeros: int = 0, window: int | None = None) -> bytes:
    """Zstandard of this content, and of MiB that take no room."""
    options = {} if window is None else {"window_log": window}
    parameters = zstandard.ZstdCompressionParameters(**options)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    parts = [packer.compress(content)]
    parts += [packer.compress(b"x" * MIB) for _ in range(zeros)]
    return b"".join([*parts, packer.flush()])


LONG_ATTEMPT = ATTEMPT + b"x" * (100 * MIB) + b'"}\n' + ROWS
FILES: dict[str, tuple[Callable[[], bytes], str, str | None]] = {
    # 65 kB of .zst that decode to 4 GB took 4.2 GB of memory
    "gigabytes": (lambda: packed(b"", zeros=1024), "", TOO_LARGE),
    "unpacked size": (
        lambda: packed(b"", zeros=64),
        "source.MOST_UNPACKED = 40 << 20",
        f"holds more than 40 MiB unpacked{AS_A_FILE}",
    ),
    "window": (
        lambda: packed(b"x\n" * MIB, window=30),
        "",
        "unpacking needs more than 128 MiB of memory; unpack it with zstd -d --long=31",
    ),
    "long attempt, gzip": (lambda: gzip.compress(LONG_ATTEMPT, 1), "", None),
    "long attempt": (lambda: packed(LONG_ATTEMPT), "", None),
    "longest line": (
        lambda: packed(LONG_ATTEMPT),
        "source.LONGEST_LINE = 50 << 20",
        f"the line is longer than 50 MiB{ONE_ROW}",
    ),
    "cut off": (lambda: ROWS + b"\n" + ATTEMPT + b"x" * (3 * MIB), "", None),
}


@pytest.mark.surroundings
@pytest.mark.parametrize("name", FILES)
def test_files_larger_than_they_look(name: str, tmp_path: Path) -> None:
    """Long attempts are passed over unparsed; the rest is refused by its size."""
    content, limits, problem = FILES[name]
    path = tmp_path / "r.packed"
    path.write_bytes(content())
    said = [] if problem is None else [f"garak-tbsa: {path}, line 1: {problem}"]
    assert run("score", path, limits=limits) == (len(said), said)


@pytest.mark.surroundings
@pytest.mark.parametrize(
    ("after", "code", "most"),
    [
        # the end is read alone
        (WHOLE, 0, 60),
        # one line at a time: put together once from its pieces
        (ROWS, 0, 2 * 200 + 60),
        (b"", 1, 2 * 200 + 60),
        (b'{"entry_type": "eval", "pro', 1, 2 * 200 + 60),
    ],
)
def test_a_line_of_200_mb_costs_no_more_than_itself(
    tmp_path: Path, after: bytes, code: int, most: int
) -> None:
    """The digest alone is read where nobody asks for a range."""
    path = tmp_path / "long.report.jsonl"
    with path.open("wb") as file:
        file.write(b'{"entry_type": "attempt", "outputs": ["')
        # mostly a hole in the file
        file.seek(200 * MIB)
        file.write(b'"]}\n' + after)
    assert run("score", path, "--no-interval", most=most)[0] == code


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_device_without_end_is_refused(tmp_path: Path) -> None:
    """As a report, and as a calibration."""
    code, (line,) = run("score", "/dev/zero")
    assert code == 1
    assert line.startswith("garak-tbsa: /dev/zero, line 1: ")
    path = tmp_path / "r.report.jsonl"
    path.write_bytes(WHOLE)
    assert run("score", path, "--calibration", "/dev/zero") == (
        1,
        [
            "garak-tbsa: /dev/zero: is larger than 64 MiB; give a garak calibration,"
            " such as garak/data/calibration/calibration.json"
        ],
    )


def test_a_pipe_without_end_is_refused() -> None:
    with subprocess.Popen(["yes", ATTEMPT.decode()], stdout=subprocess.PIPE) as endless:
        assert endless.stdout is not None
        code, lines = run(
            *("score", "-"),
            stdin=endless.stdout,
            limits="source.MOST_UNPACKED = 8 << 20",
        )
        endless.kill()
    assert code == 1
    assert "holds more than 8 MiB unpacked" in lines[0]


@pytest.mark.parametrize("command", ["score", "history"])
def test_a_pipe_in_a_folder_is_left_out_and_told(tmp_path: Path, command: str) -> None:
    """A FIFO in a folder hung ``history``."""
    (tmp_path / "a.report.jsonl").write_bytes(WHOLE)
    os.mkfifo(tmp_path / "b.report.jsonl")
    shown = tbsa(command, tmp_path)
    assert shown.code == 0
    assert "a.report.jsonl" in shown.out
    assert shown.err == (
        f"garak-tbsa: {tmp_path}/b.report.jsonl: is a folder, pipe or device, it was"
        " left out; name it by itself to read it\n"
    )


def test_names_of_megabytes_are_cut_or_refused(tmp_path: Path) -> None:
    """A 5 MB target name made 15 MB of HTML; a pair's may have 512 characters."""
    digest = digest_row(pairs_named((1, 9, 10)))
    digest["meta"] |= {"target_name": "n" * 5_000_000, "garak_version": "v" * 5_000_000}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(digest), encoding="utf-8")
    outputs = [tmp_path / name for name in ("j", "html", "markdown", "junit", "sarif")]
    options = [f"--{path.name}" if path.name != "j" else "-j" for path in outputs]
    arguments = [str(x) for both in zip(options, outputs, strict=True) for x in both]
    assert run("score", "-v", path, *arguments) == (0, [])
    assert all(output.stat().st_size < 100_000 for output in outputs)
    long = "x" * 200_000
    for facts in (PairFacts(probe=long), PairFacts(detector=long)):
        digest = digest_row([facts])
        for group in digest["eval"].values():
            group[facts.probe][facts.detector].pop("detector_name")
        path.write_text(json.dumps(digest), encoding="utf-8")
        error = tbsa("score", path).error
        assert len(error) < 1100
        assert "expected a name of at most 512 characters" in error


def test_more_results_than_any_scan_has_are_refused(tmp_path: Path) -> None:
    """They would take minutes; 5,000 are taken."""
    path = tmp_path / "r.report.jsonl"
    pairs = pairs_named(*[(1, 9, 10)] * 5001)
    path.write_bytes(to_bytes(report_rows(pairs[:-1])))
    assert tbsa("score", "-q", path).code == 0
    for digest in (True, False):
        path.write_bytes(to_bytes(report_rows(pairs, digest=digest)))
        shown = tbsa("score", "-q", path)
        assert shown.code == 1
        assert shown.error == (
            f"garak-tbsa: {path}: expected at most 5,000 results of pairs, found 5,001;"
            " garak has about 600 pairs; score the reports that it wrote, one by one"
        )
