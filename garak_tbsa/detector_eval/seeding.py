# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One random generator per detector and purpose, whatever the order or backend."""

from __future__ import annotations

import contextlib
import hashlib
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy
from numpy.random import Generator


def generator_for(seed: int, detector: str, purpose: str) -> Generator:
    """A generator that depends on the three arguments and on nothing else."""
    digest = hashlib.sha256(f"{purpose}\0{detector}".encode()).digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
    return numpy.random.default_rng(numpy.random.SeedSequence([seed, *words]))


_SHARED: Any = random.seed.__self__  # type: ignore[attr-defined]
"""The generator whose methods the functions of :mod:`random` are."""


@contextlib.contextmanager
def random_of_this_thread() -> Iterator[Callable[[str], None]]:
    """Let the functions of :mod:`random` draw, in this thread, from its own generator.

    The module has one generator for all threads. Where others draw as well, a seed does
    not decide what this one gets: a Dask worker's draws whenever it sizes a message.

    Yields
    ------
    callable
        Seeds the generator.
    """
    own, thread = type(_SHARED)(), threading.get_ident()

    def choosing(name: str) -> Callable[..., Any]:
        here, elsewhere = getattr(own, name), getattr(random, name)

        def draw(*arguments: Any, **named: Any) -> Any:
            mine = threading.get_ident() == thread
            return (here if mine else elsewhere)(*arguments, **named)

        return draw

    def seed(text: str) -> None:
        _SHARED.seed(text)  # for functions that were imported by their names
        own.seed(text)

    module = vars(random)
    functions = {
        name: function
        for name, function in module.items()
        if getattr(function, "__self__", None) is _SHARED
    }
    module.update({name: choosing(name) for name in functions})
    try:
        yield seed
    finally:
        module.update(functions)
