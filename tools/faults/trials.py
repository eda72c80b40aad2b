# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One fault on one command, and whether the promises held."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tools.faults.commands import WritingCommand
from tools.faults.stage import Ended, Files, Stage, can_mount

INTERRUPTED = 130
LONGEST_LINE = 1200


@dataclass(frozen=True, kw_only=True)
class Reference:
    """What a command does where nothing goes wrong.

    Attributes
    ----------
    files : mapping of str to bytes
        All that it writes.
    seconds : float
        How long it takes.
    """

    files: Files
    seconds: float


def reference_of(command: WritingCommand) -> Reference:
    """Run a command undisturbed.

    Raises
    ------
    RuntimeError
        It fails, or writes other bytes the second time: then nothing can be told.
    """
    written: list[Files] = []
    seconds = 0.0
    for _ in range(2):
        with Stage(installs=command.installs) as stage:
            start = time.monotonic()
            ended = stage.run(command.argv)
            seconds = time.monotonic() - start
            written.append(stage.outputs())
        if ended.code != 0:
            raise RuntimeError(f"{command.name}: {ended}")
    if written[0] != written[1]:
        differing = [n for n in written[0] if written[0][n] != written[1].get(n)]
        raise RuntimeError(f"{command.name}: {differing} differ between two runs")
    return Reference(files=written[0], seconds=seconds)


Problems = list[str]


def kill(command: WritingCommand, reference: Reference, rng: random.Random) -> Problems:
    """End the process at some moment of its life."""
    with Stage(installs=command.installs) as stage:
        old = _old_files(stage, reference, rng)
        with stage.start(command.argv) as process:
            time.sleep(rng.uniform(0, reference.seconds * 1.05))
            process.send_signal(signal.SIGKILL)
            process.communicate()
        problems = _torn(stage, reference, old)
        return problems + _again(stage, command, reference)


def full_disk(
    command: WritingCommand, reference: Reference, rng: random.Random
) -> Problems:
    """Let the disk be full somewhere between the first and the last byte."""
    size = sum(map(len, reference.files.values()))
    with Stage(installs=command.installs) as stage:
        if not can_mount():
            ended = stage.run(command.argv, limit=rng.randint(0, size))
            old: Files = {}
        else:
            stage.own_disk()
            old = _old_files(stage, reference, rng)
            stage.fill(rng.choice((0, rng.randint(0, size + 20_000))))
            ended = stage.run(command.argv)
            stage.make_room()
        problems = _torn(stage, reference, old)
        problems += _told(ended, stage, reference)
        return problems + _again(stage, command, reference)


def no_rights(
    command: WritingCommand, reference: Reference, rng: random.Random
) -> Problems:
    """Take away the right to write where the outputs go."""
    with Stage(installs=command.installs) as stage:
        if can_mount():
            stage.own_disk()
        old = _old_files(stage, reference, rng)
        blocked = None
        if rng.random() < 0.5:
            blocked = _block(stage, reference, rng)
            old.pop(blocked.relative_to(stage.folder).as_posix(), None)
        else:
            stage.read_only(True)
        ended = stage.run(command.argv)
        if blocked is None:
            stage.read_only(False)
        else:
            blocked.rmdir()
        problems = _torn(stage, reference, old)
        problems += _told(ended, stage, reference)
        return problems + _again(stage, command, reference)


def _block(stage: Stage, reference: Reference, rng: random.Random) -> Path:
    """Put a folder where an output is to be."""
    path = stage.folder / rng.choice(sorted(reference.files))
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    return path


def hang(command: WritingCommand, reference: Reference, rng: random.Random) -> Problems:
    """Put a pipe that says nothing in the place of an input, then press Ctrl-C.

    A pipe that is named as an input is waited for, as by every command; whoever
    interrupts that must find the files as they were.
    """
    with Stage(installs=command.installs) as stage:
        old = _old_files(stage, reference, rng)
        pipe = stage.folder / rng.choice(command.inputs)
        content = pipe.read_bytes()
        pipe.unlink()
        os.mkfifo(pipe)
        # a writer that says nothing lets the pipe be opened
        silent = os.open(pipe, os.O_RDWR) if rng.random() < 0.5 else None
        ended = _interrupted(stage, command, max(1.0, 2 * reference.seconds))
        if silent is not None:
            os.close(silent)
        pipe.unlink()
        pipe.write_bytes(content)
        problems = _torn(stage, reference, old, other_input=True)
        if ended.code is None:
            problems.append(f"waits for {pipe.name} and cannot be interrupted")
        elif ended.code not in (0, 1, 2, 3, INTERRUPTED) or not _is_short(ended.err):
            problems.append(f"exit {ended.code}: {ended.err[-500:]!r}")
        return problems + _again(stage, command, reference)


def _interrupted(stage: Stage, command: WritingCommand, patience: float) -> Ended:
    """Run a command; interrupt it after some time if it has not ended by itself."""
    with stage.start(command.argv) as process:
        for wait, number in ((patience, signal.SIGINT), (5.0, signal.SIGKILL)):
            try:
                return stage.ended(process, process.communicate(timeout=wait))
            except subprocess.TimeoutExpired:
                process.send_signal(number)
        out, err = process.communicate()
    return Ended(code=None, out=repr(out), err=repr(err))


FAULTS: dict[str, Callable[[WritingCommand, Reference, random.Random], Problems]] = {
    "killed": kill,
    "disk full": full_disk,
    "no rights": no_rights,
    "input hangs": hang,
}


def _old_files(stage: Stage, reference: Reference, rng: random.Random) -> Files:
    """Now and then let each output be there from an earlier run."""
    if rng.random() < 0.5:
        return {}
    old = {name: b"old\n" for name in reference.files if rng.random() < 0.7}
    # a data set is a folder of the command's own, and no single file to replace
    old = {name: text for name, text in old.items() if name.count("/") == 1}
    for name, text in old.items():
        (stage.folder / name).write_bytes(text)
    return old


def _torn(
    stage: Stage, reference: Reference, old: Files, *, other_input: bool = False
) -> Problems:
    """Name outputs that are neither the old file nor the new one as a whole."""
    problems = []
    found = stage.outputs()
    for name, expected in reference.files.items():
        content = found.get(name)
        allowed = [expected, old[name]] if name in old else [expected, None]
        if content in allowed:
            continue
        if other_input and content:
            # what was written from fewer inputs is another text
            continue
        size = "missing" if content is None else f"{len(content)} bytes"
        problems.append(f"{name} is {size} of {len(expected)}")
    if stage.inputs() != _untouched_inputs():
        problems.append("an input was changed")
    return problems


def _untouched_inputs() -> Files:
    if not _INPUTS:
        with Stage() as stage:
            _INPUTS.update(stage.inputs())
    return _INPUTS


_INPUTS: Files = {}


def _told(ended: Ended, stage: Stage, reference: Reference) -> Problems:
    """Whether exit code and stderr say what became of the outputs."""
    found = stage.outputs()
    complete = all(found.get(name) == text for name, text in reference.files.items())
    if ended.code == 0:
        return [] if complete else ["exit 0, and outputs are missing"]
    if ended.code not in (1, 2):
        return [f"exit {ended.code}: {ended.err[-500:]!r}"]
    if not _is_short(ended.err) or not ended.err:
        return [f"not one line: {ended.err[-700:]!r}"]
    return []


def _is_short(err: str) -> bool:
    lines = err.splitlines()
    defects = "Traceback" in err or "a defect of garak-tbsa" in err
    return len(lines) <= 1 and len(err) <= LONGEST_LINE and not defects


def _again(stage: Stage, command: WritingCommand, reference: Reference) -> Problems:
    """Run the command once more: all is there, and nothing else."""
    if not command.replaces:
        for name in reference.files:
            (stage.folder / name).unlink(missing_ok=True)
    ended = stage.run(command.argv)
    if ended.code != 0:
        return [f"afterwards exit {ended.code}: {ended.err[-500:]!r}"]
    found = stage.outputs()
    extra = sorted(set(found) - set(reference.files))
    wrong = [name for name, text in reference.files.items() if found.get(name) != text]
    problems = [f"left over: {', '.join(extra)}"] if extra else []
    return problems + ([f"afterwards wrong: {', '.join(wrong)}"] if wrong else [])
