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

from garak_tbsa.cli.main import main
from tests.factories import PairFacts, digest_row, pairs_named, report_rows, to_bytes

pytestmark = pytest.mark.usefixtures("unmeasured_commands")

ALLOWED = 512 << 20
MIB = 1 << 20
ATTEMPT = b'{"entry_type": "attempt", "prompt": "'

MEASURED = """
import resource, sys
from garak_tbsa.cli.main import main
code = main(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(f"peak {peak}", file=sys.stderr)
sys.exit(code)
"""


def run(
    *arguments: object, stdin: int | IO[bytes] = subprocess.DEVNULL
) -> tuple[int, list[str]]:
    """Run a command in at most 512 MiB; return exit code and lines on stderr."""
    command = [sys.executable, "-c", MEASURED, *map(str, arguments)]
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
    assert int(last.split()[1]) <= ALLOWED, f"{int(last.split()[1]) / MIB:.0f} MiB"
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


@pytest.mark.parametrize(
    ("command", "shape", "size"),
    [
        *[("score", shape, 3 * MIB) for shape in SHAPES],
        *[("score", shape, 36 * MIB) for shape in ("lists", "a wide text", "keys")],
        ("compare", "objects in objects", 3 * MIB),
    ],
)
def test_values_that_are_much_larger_than_their_text(
    tmp_path: Path, command: str, shape: str, size: int
) -> None:
    path = tmp_path / "r.report.jsonl"
    hidden = b'{"entry_type": "other", "x": ' + SHAPES[shape](size) + b"}\n"
    path.write_bytes(hidden + to_bytes(report_rows(pairs_named((1, 9, 10)))))
    reports = [path] if command == "score" else [path, path]
    code, lines = run(command, *reports)
    # with a digest at its end nothing else is read
    assert (code, lines) == (0, [])
    rows = to_bytes(report_rows(pairs_named((1, 9, 10)), digest=False))
    path.write_bytes(hidden + rows)
    code, lines = run(command, *reports)
    if size == 3 * MIB:
        assert (code, lines) == (0, [])
    else:
        assert code == 1
        assert lines == [
            f"garak-tbsa: {path}, line 1: parsing the line may take more than 320 MiB"
            " of memory; give a garak report, or a larger --max-line-size"
        ]


def packed_zeros(path: Path, start: bytes, size: int) -> Path:
    """A Zstandard file of ``size`` bytes that takes no room."""
    with path.open("wb") as handle:
        packer = zstandard.ZstdCompressor().compressobj()
        handle.write(packer.compress(start))
        for _ in range(size // MIB):
            handle.write(packer.compress(b"x" * MIB))
        handle.write(packer.flush())
    return path


def test_a_small_file_that_unpacks_to_gigabytes(tmp_path: Path) -> None:
    """65 kB of .zst that decode to 4 GB took 4.2 GB of memory."""
    path = packed_zeros(tmp_path / "r.zst", b"", 1 << 30)
    assert path.stat().st_size < 65_000
    code, lines = run("score", path)
    assert code == 1
    assert lines == [
        f"garak-tbsa: {path}, line 1: parsing the line may take more than 320 MiB of"
        " memory; give a garak report, or a larger --max-line-size"
    ]
    code, lines = run("score", path, "--max-decoded-size", "40MB")
    assert (code, lines) == (
        1,
        [
            f"garak-tbsa: {path}, line 1: holds more than 40 MiB unpacked; give a garak"
            " report, or a larger --max-decoded-size"
        ],
    )


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
def test_long_attempts_are_passed_over_unparsed(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    rows = to_bytes(report_rows(pairs_named((1, 9, 10)), digest=False))
    path = tmp_path / "r.packed"
    path.write_bytes(pack(ATTEMPT + b"x" * (100 * MIB) + b'"}\n' + rows))
    assert run("score", path) == (0, [])
    code, lines = run("score", path, "--max-line-size", "50M")
    assert (code, lines) == (
        1,
        [
            f"garak-tbsa: {path}, line 1: the line is longer than 50 MiB; give a garak"
            " report, or a larger --max-line-size"
        ],
    )


def test_a_long_attempt_that_is_cut_off_is_left_out(tmp_path: Path) -> None:
    rows = to_bytes(report_rows(pairs_named((1, 9, 10)), digest=False))
    path = tmp_path / "r.report.jsonl"
    path.write_bytes(rows + b"\n" + ATTEMPT + b"x" * (3 * MIB))
    assert run("score", path) == (0, [])


def test_a_window_of_gigabytes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.zst"
    parameters = zstandard.ZstdCompressionParameters(window_log=30)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path.write_bytes(packer.compress(b"x\n" * MIB) + packer.flush())
    code, lines = run("score", path)
    assert (code, lines) == (
        1,
        [
            f"garak-tbsa: {path}, line 1: unpacking needs more than 128 MiB of memory;"
            " unpack it with zstd -d --long=31"
        ],
    )


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
@pytest.mark.parametrize("command", ["score", "explain"])
def test_a_device_without_end_is_refused(command: str) -> None:
    code, lines = run(command, "/dev/zero")
    assert code == 1
    assert len(lines) == 1
    assert lines[0].startswith("garak-tbsa: /dev/zero, line 1: ")


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_calibration_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.report.jsonl"
    path.write_bytes(to_bytes(report_rows(pairs_named((1, 9, 10)))))
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
            "score", "-", "--max-decoded-size", "64MiB", stdin=endless.stdout
        )
        endless.kill()
    assert code == 1
    assert "holds more than 64 MiB unpacked" in lines[0]


def test_a_report_through_a_pipe_is_scored(tmp_path: Path) -> None:
    """As in ``garak-tbsa score <(zcat r.gz)``."""
    content = to_bytes(report_rows(pairs_named((1, 9, 10))))
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; open(sys.argv[1], 'wb').write("
         "sys.stdin.buffer.read())", str(pipe)],
        stdin=subprocess.PIPE,
    ) as writer:  # fmt: skip
        assert writer.stdin is not None
        writer.stdin.write(content)
        writer.stdin.close()
        assert run("score", pipe) == (0, [])


@pytest.mark.parametrize("command", ["score", "history"])
def test_a_pipe_in_a_folder_is_left_out_and_told(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A FIFO in a folder hung ``history``."""
    (tmp_path / "a.report.jsonl").write_bytes(
        to_bytes(report_rows(pairs_named((1, 9, 10))))
    )
    os.mkfifo(tmp_path / "b.report.jsonl")
    assert main([command, str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert "a.report.jsonl" in out
    assert err == (
        f"garak-tbsa: {tmp_path}/b.report.jsonl: is a folder, pipe or device, it was"
        " left out; name it by itself to read it\n"
    )


def test_names_of_megabytes_are_cut_or_refused(tmp_path: Path) -> None:
    """A 5 MB target name made 15 MB of HTML."""
    digest = digest_row(pairs_named((1, 9, 10)))
    digest["meta"] |= {"target_name": "n" * 5_000_000, "garak_version": "v" * 5_000_000}
    path = tmp_path / "r.json"
    path.write_text(json.dumps(digest), encoding="utf-8")
    outputs = [tmp_path / name for name in ("j", "html", "markdown", "junit", "sarif")]
    options = [f"--{path.name}" if path.name != "j" else "-j" for path in outputs]
    arguments = [str(x) for both in zip(options, outputs, strict=True) for x in both]
    assert run("score", "-v", path, *arguments) == (0, [])
    assert all(output.stat().st_size < 100_000 for output in outputs)


@pytest.mark.parametrize("where", ["probe", "detector"])
def test_a_long_name_of_a_pair_is_refused_in_one_line(
    tmp_path: Path, where: str
) -> None:
    long = "x" * 200_000
    facts = PairFacts(probe=long) if where == "probe" else PairFacts(detector=long)
    digest = digest_row([facts])
    if where == "detector":
        del digest["eval"]["dan"][facts.probe][long]["detector_name"]
    path = tmp_path / "r.json"
    path.write_text(json.dumps(digest), encoding="utf-8")
    code, lines = run("score", path)
    assert code == 1
    (line,) = lines
    assert len(line) < 1100
    assert "expected a name of at most 512 characters" in line


@pytest.mark.parametrize("size", ["", "0", "-1", "x", "1.5G", "5PiB", "M"])
def test_a_size_that_is_none_is_a_usage_error(
    size: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["score", "r", f"--max-line-size={size}"])
    assert ended.value.code == 2
    assert (
        f"expected a size such as 512MiB or 64GiB, found {size!r}"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize("digest", [True, False])
def test_more_results_than_any_scan_has_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], digest: bool
) -> None:
    path = tmp_path / "r.report.jsonl"
    pairs = pairs_named(*[(1, 9, 10)] * 5001)
    path.write_bytes(to_bytes(report_rows(pairs[:-1], digest=digest)))
    assert main(["score", "-q", str(path)]) == 0
    path.write_bytes(to_bytes(report_rows(pairs, digest=digest)))
    capsys.readouterr()
    assert main(["score", "-q", str(path)]) == 1
    assert capsys.readouterr().err == (
        f"garak-tbsa: {path}: expected at most 5,000 results of pairs, found 5,001;"
        " garak has about 600 pairs; score the reports that it wrote, one by one\n"
    )
