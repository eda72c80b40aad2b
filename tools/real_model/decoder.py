# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Batched sampling from a Llama model on a CPU, with a cache that never moves.

transformers' ``generate`` copies its cache at each token and repeats the keys of
grouped heads; this does neither, and drops rows that have ended.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as torch_functional
from torch import Tensor

TOP_K = 50
"""Only so many of the likeliest tokens are drawn from."""

COMPACT_AT = 0.75
"""Share of rows still speaking below which the others are dropped."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Sizes of a Llama model.

    Attributes
    ----------
    heads, key_heads, head_size : int
        Query heads, key heads that groups of them share, and numbers in each.
    epsilon : float
        Of the normalization.
    rope_base : float
    """

    heads: int
    key_heads: int
    head_size: int
    epsilon: float
    rope_base: float


@dataclass(frozen=True, kw_only=True)
class Layer:
    """Weights of one layer; projections of the same input are one matrix."""

    before_attention: Tensor
    query_key_value: Tensor
    attention_out: Tensor
    before_feed: Tensor
    gate_and_up: Tensor
    down: Tensor


@dataclass(frozen=True, kw_only=True)
class Sampled:
    """One sampled sequence.

    Attributes
    ----------
    tokens : list of int
        Without the one that ended it.
    cut : bool
        Whether the limit ended it.
    """

    tokens: list[int]
    cut: bool


@dataclass
class _Cache:
    """Keys and values by layer, each [rows, key heads, places, head size]."""

    keys: list[Tensor]
    values: list[Tensor]

    def take(self, rows: Tensor, places: int, filled: int) -> _Cache:
        """Return a cache of these rows with room for so many places."""

        def taken(old: Tensor) -> Tensor:
            new = old.new_zeros((len(rows), old.shape[1], places, old.shape[3]))
            new[:, :, :filled] = old[rows, :, :filled]
            return new

        return _Cache(
            keys=[taken(key) for key in self.keys],
            values=[taken(value) for value in self.values],
        )


class Decoder:
    """A Llama model that samples many continuations at a time.

    Parameters
    ----------
    state : mapping of str to Tensor
        The weights by the names that transformers gives them.
    shape : Shape
    dtype : torch.dtype
        Of matrices; sums along the layers are kept in float32.
    """

    def __init__(
        self,
        state: Mapping[str, Tensor],
        shape: Shape,
        dtype: torch.dtype = torch.bfloat16,
    ) -> None:
        self.shape = shape
        self._dtype = dtype
        self._embedding = state["model.embed_tokens.weight"].to(dtype)
        head = state.get("lm_head.weight", state["model.embed_tokens.weight"])
        self._head = head.to(dtype)
        self._last_norm = state["model.norm.weight"].float()
        count = sum(name.endswith("mlp.down_proj.weight") for name in state)
        self._layers = [_layer(state, number, dtype) for number in range(count)]
        half = torch.arange(0, shape.head_size, 2).float() / shape.head_size
        self._frequencies = shape.rope_base**-half

    def sample(
        self,
        prompts: Sequence[Sequence[int]],
        rows: Sequence[int],
        uniforms: Tensor,
        temperature: float,
        ends: Sequence[int],
    ) -> list[Sampled]:
        """Sample one continuation for each row.

        Parameters
        ----------
        prompts : sequence of sequence of int
            Token ids; each is read once, however many rows it has.
        rows : sequence of int
            Which prompt each row continues.
        uniforms : Tensor, shape (rows, most tokens)
            In [0, 1): what decides each token, so that a row's answer does not hang
            on its neighbours (but for rounding).
        temperature : float
        ends : sequence of int
            Tokens that end an answer.

        Returns
        -------
        list of Sampled
            One for each row.
        """
        with torch.inference_mode():
            return self._sample(prompts, rows, uniforms, temperature, ends)

    def _sample(
        self,
        prompts: Sequence[Sequence[int]],
        rows: Sequence[int],
        uniforms: Tensor,
        temperature: float,
        ends: Sequence[int],
    ) -> list[Sampled]:
        places, most = max(map(len, prompts)), uniforms.shape[1]
        logits, cache, padding = self._read(prompts, places)
        chosen = torch.tensor(rows)
        cache = cache.take(chosen, places + most, places)
        logits, padding = logits[chosen], padding[chosen]
        alive = torch.arange(len(rows))
        tokens: list[list[int]] = [[] for _ in rows]
        cut = [True] * len(rows)
        ending = torch.tensor(sorted(ends))
        for step in range(most):
            drawn = _draw(logits, uniforms[alive, step], temperature)
            ended = torch.isin(drawn, ending)
            for row, token, end in zip(
                alive.tolist(), drawn.tolist(), ended.tolist(), strict=True
            ):
                if cut[row] and not end:
                    tokens[row].append(token)
                elif end:
                    cut[row] = False
            going = torch.tensor([cut[row] for row in alive.tolist()])
            if step + 1 == most or not going.any():
                break
            if going.float().mean() < COMPACT_AT:
                keep = going.nonzero()[:, 0]
                cache = cache.take(keep, places + most, places + step)
                alive, drawn, padding = alive[keep], drawn[keep], padding[keep]
            logits = self._next(drawn, cache, padding, places + step)
        return [
            Sampled(tokens=said, cut=was_cut)
            for said, was_cut in zip(tokens, cut, strict=True)
        ]

    def _read(
        self, prompts: Sequence[Sequence[int]], places: int
    ) -> tuple[Tensor, _Cache, Tensor]:
        """Read prompts, padded on the left: last logits, cache, padding by prompt."""
        count = len(prompts)
        padding = torch.tensor([places - len(prompt) for prompt in prompts])
        ids = torch.zeros((count, places), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, padding[row] :] = torch.tensor(prompt)
        place = torch.arange(places)
        seen = (place[None, None, :] <= place[None, :, None]) & (
            place[None, None, :] >= padding[:, None, None]
        )
        # padding sees itself: a row that sees nothing would be NaN
        seen |= torch.eye(places, dtype=torch.bool)
        cache = self._empty(count, places)
        positions = (place[None, :] - padding[:, None]).clamp(min=0)
        states = self._pass(ids, positions, seen[:, None], cache, 0)
        return self._logits(states[:, -1]), cache, padding

    def _next(
        self, tokens: Tensor, cache: _Cache, padding: Tensor, filled: int
    ) -> Tensor:
        """Read one token of each row, at the place after those that are filled."""
        seen = torch.arange(filled + 1)[None, :] >= padding[:, None]
        positions = (filled - padding)[:, None]
        states = self._pass(
            tokens[:, None], positions, seen[:, None, None, :], cache, filled
        )
        return self._logits(states[:, 0])

    def _pass(
        self,
        ids: Tensor,
        positions: Tensor,
        seen: Tensor,
        cache: _Cache,
        start: int,
    ) -> Tensor:
        shape = self.shape
        count, length = ids.shape
        group = shape.heads // shape.key_heads
        end = start + length
        angles = positions[..., None].float() * self._frequencies
        turn = (angles.cos()[:, None], angles.sin()[:, None])
        mask = seen.repeat(1, 1, group, 1)
        states = self._embedding[ids].float()
        sizes = [shape.heads, shape.key_heads, shape.key_heads]
        for number, layer in enumerate(self._layers):
            mixed = torch_functional.linear(
                self._normal(states, layer.before_attention), layer.query_key_value
            )
            heads = mixed.view(count, length, -1, shape.head_size).transpose(1, 2)
            query, key, value = torch.split(heads, sizes, 1)
            keys, values = cache.keys[number], cache.values[number]
            keys[:, :, start:end] = _turned(key, turn)
            values[:, :, start:end] = value
            # heads that share a key are more queries of one head
            query = _turned(query, turn).reshape(
                count, shape.key_heads, group * length, shape.head_size
            )
            attended = torch_functional.scaled_dot_product_attention(
                query, keys[:, :, :end], values[:, :, :end], attn_mask=mask
            )
            attended = (
                attended.reshape(count, shape.heads, length, shape.head_size)
                .transpose(1, 2)
                .reshape(count, length, -1)
            )
            states = states + torch_functional.linear(attended, layer.attention_out)
            gate, up = torch_functional.linear(
                self._normal(states, layer.before_feed), layer.gate_and_up
            ).chunk(2, -1)
            states = states + torch_functional.linear(
                torch_functional.silu(gate) * up, layer.down
            )
        return states

    def _empty(self, count: int, places: int) -> _Cache:
        size = (count, self.shape.key_heads, places, self.shape.head_size)
        return _Cache(
            keys=[torch.zeros(size, dtype=self._dtype) for _ in self._layers],
            values=[torch.zeros(size, dtype=self._dtype) for _ in self._layers],
        )

    def _logits(self, states: Tensor) -> Tensor:
        return torch_functional.linear(
            self._normal(states, self._last_norm), self._head
        ).float()

    def _normal(self, states: Tensor, weight: Tensor) -> Tensor:
        scale = torch.rsqrt(states.square().mean(-1, keepdim=True) + self.shape.epsilon)
        return (states * scale * weight).to(self._dtype)


def _layer(state: Mapping[str, Tensor], number: int, dtype: torch.dtype) -> Layer:
    def matrix(*names: str) -> Tensor:
        parts = [state[f"model.layers.{number}.{name}.weight"] for name in names]
        return torch.cat(parts).to(dtype).contiguous()

    def vector(name: str) -> Tensor:
        return state[f"model.layers.{number}.{name}.weight"].float()

    return Layer(
        before_attention=vector("input_layernorm"),
        query_key_value=matrix(
            "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"
        ),
        attention_out=matrix("self_attn.o_proj"),
        before_feed=vector("post_attention_layernorm"),
        gate_and_up=matrix("mlp.gate_proj", "mlp.up_proj"),
        down=matrix("mlp.down_proj"),
    )


def _turned(states: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate each half against the other by its position's angle."""
    cosine, sine = turn
    first, second = states.float().chunk(2, -1)
    return torch.cat(
        [first * cosine - second * sine, second * cosine + first * sine], -1
    ).to(states.dtype)


def _draw(logits: Tensor, uniforms: Tensor, temperature: float) -> Tensor:
    """Draw a token of each row by the inverse of its distribution function."""
    top, tokens = logits.topk(min(TOP_K, logits.shape[-1]))
    sums = torch.softmax(top / temperature, -1).cumsum(-1)
    place = torch.searchsorted(sums, (uniforms[:, None] * sums[:, -1:]))
    return tokens.gather(1, place.clamp(max=top.shape[1] - 1))[:, 0]
