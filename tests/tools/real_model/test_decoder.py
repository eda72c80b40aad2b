# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Our decoder says what transformers says, on a tiny model of random weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from tools.real_model.decoder import Decoder, Sampled, Shape

PROMPTS = [[5, 9, 2, 30, 17, 8], [7, 7, 40], [3, 11, 12, 13]]
NEVER = 10_000


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def reference() -> Any:
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    llama: Any = LlamaForCausalLM
    return llama(
        LlamaConfig(
            vocab_size=60,
            hidden_size=24,
            intermediate_size=40,
            num_hidden_layers=2,
            num_attention_heads=6,
            num_key_value_heads=2,
            initializer_range=0.4,
        )
    ).eval()


@pytest.fixture(scope="module")
def decoder(reference: Any) -> Decoder:
    shape = Shape(heads=6, key_heads=2, head_size=4, epsilon=1e-6, rope_base=10_000.0)
    return Decoder(reference.state_dict(), shape, torch.float32)


def sampled(
    decoder: Decoder,
    prompts: list[list[int]],
    rows: list[int],
    uniforms: torch.Tensor,
    end: int = NEVER,
) -> list[Sampled]:
    return decoder.sample(prompts, rows, uniforms, 0.7, [end])


def test_the_likeliest_tokens_are_those_of_transformers(
    reference: Any, decoder: Decoder
) -> None:
    found = decoder.sample(PROMPTS, [0, 1, 2], torch.full((3, 12), 0.5), 1e-4, [NEVER])
    for prompt, ours in zip(PROMPTS, found, strict=True):
        theirs = reference.generate(
            torch.tensor([prompt]),
            attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
            do_sample=False,
            min_new_tokens=12,
            max_new_tokens=12,
            pad_token_id=0,
            eos_token_id=None,
        )
        assert ours.tokens == theirs[0, len(prompt) :].tolist()
        assert ours.cut


def test_an_answer_does_not_hang_on_its_neighbours(decoder: Decoder) -> None:
    """\"What decides each token, so that a row's answer does not hang on its
    neighbours.\""""
    uniforms = torch.rand(4, 15, generator=torch.Generator().manual_seed(3))
    together = sampled(decoder, PROMPTS, [0, 1, 2, 1], uniforms, end=8)
    for row, prompt in enumerate([0, 1, 2, 1]):
        alone = sampled(decoder, [PROMPTS[prompt]], [0], uniforms[row : row + 1], end=8)
        assert alone == [together[row]]


def test_an_answer_ends_before_its_last_token(decoder: Decoder) -> None:
    uniforms = torch.rand(3, 30, generator=torch.Generator().manual_seed(1))
    endless = sampled(decoder, PROMPTS, [0, 1, 2], uniforms)
    end = endless[1].tokens[4]
    for whole, ended in zip(
        endless, sampled(decoder, PROMPTS, [0, 1, 2], uniforms, end=end), strict=True
    ):
        if end in whole.tokens:
            assert ended.tokens == whole.tokens[: whole.tokens.index(end)]
            assert not ended.cut
        else:
            assert ended == whole
            assert ended.cut
