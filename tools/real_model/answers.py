# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The model's answers on disk: appended one by one, kept when a run is killed."""

from __future__ import annotations

import fcntl
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

from garak_tbsa.errors import DatasetError


@dataclass(frozen=True, kw_only=True)
class Key:
    """Which answer it is.

    Attributes
    ----------
    persona : str
    seed : int
    prompt : str
        As garak sent it.
    occurrence : int
        How often the prompt came before in the same scan, from 0.
    most_tokens : int
        New tokens of the answer at most; where they are reached, it is cut off.
    """

    persona: str
    seed: int
    prompt: str
    occurrence: int
    most_tokens: int


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the model said.

    Attributes
    ----------
    text : str
    tokens : int
        How many the model produced, without the one that ends an answer.
    cut : bool
        Whether it was still speaking when the limit was reached.
    """

    text: str
    tokens: int
    cut: bool


def keys_of(
    prompts: Iterable[str], persona: str, seed: int, most_tokens: int
) -> Iterator[Key]:
    """Yield a key for each prompt in the order in which garak sends them."""
    came: Counter[str] = Counter()
    for prompt in prompts:
        yield Key(
            persona=persona,
            seed=seed,
            prompt=prompt,
            occurrence=came[prompt],
            most_tokens=most_tokens,
        )
        came[prompt] += 1


class AnswerCache:
    """Answers by key, in a file of JSON Lines that is only ever appended to.

    A last line that a kill cut off is dropped; its answer is generated again.

    Parameters
    ----------
    path : Path
        Made where it does not exist.

    Raises
    ------
    DatasetError
        A line other than the last is no answer, or another run writes to the file.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "ab")  # noqa: SIM115 (closed by __exit__)
        try:
            _take_alone(self._file, path)
            self._answers, whole = _read(path)
            self._file.truncate(whole)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> AnswerCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    @property
    def answers(self) -> Mapping[Key, Answer]:
        """All answers by key."""
        return self._answers

    def put(self, key: Key, answer: Answer) -> None:
        """Keep an answer; a kill after this returns does not lose it."""
        line = json.dumps({**asdict(key), **asdict(answer)}, ensure_ascii=True)
        self._file.write(line.encode("ascii") + b"\n")
        self._file.flush()
        self._answers[key] = answer

    def missing(self, keys: Iterable[Key]) -> list[Key]:
        """Return the keys that have no answer yet, each once, in their order."""
        return [key for key in dict.fromkeys(keys) if key not in self._answers]


def read_answers(path: Path) -> Mapping[Key, Answer]:
    """Return the answers of a cache, without changing it.

    Raises
    ------
    DatasetError
        A line other than the last is no answer.
    OSError
        The file is not there.
    """
    return _read(path)[0]


def _take_alone(file: BinaryIO, path: Path) -> None:
    """Lock a file until it is closed; a second writer would cut off a line."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DatasetError(
            f"{path}: another run is writing to it; wait until that has ended"
        ) from None


def _read(path: Path) -> tuple[dict[Key, Answer], int]:
    """Read a cache: its answers, and the bytes up to the end of its last whole line."""
    answers: dict[Key, Answer] = {}
    whole = 0
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                break
            try:
                row = json.loads(line)
                answers[_made(Key, row)] = _made(Answer, row)
            except (ValueError, KeyError, TypeError) as error:
                raise DatasetError(
                    f"{path}:{number}: expected an answer of the model, found none"
                    f" ({type(error).__name__}); delete the line"
                ) from None
            whole += len(line)
    return answers, whole


_Record = TypeVar("_Record", Key, Answer)


def _made(kind: type[_Record], row: Mapping[str, Any]) -> _Record:
    return kind(**{field.name: row[field.name] for field in fields(kind)})
