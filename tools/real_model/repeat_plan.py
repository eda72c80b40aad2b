# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Which scans are repeated, and which answers each of them is served.

A *slot* is one answer of the model to each prompt of a scan with one generation. A
scan with several generations is served as many slots. Within a series none is served
twice; several series of the same seed are made of the same slots.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tools.real_model.answers import Key, keys_of
from tools.real_model.probes import Group

SLOTS = 1000
"""More than a seed has slots: ``seed * SLOTS + slot`` is the seed of an answer."""


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Scans of the same probes that differ in nothing but chance.

    Attributes
    ----------
    name : str
    probes : tuple of str
        Without their category.
    seeds : tuple of int
        garak's seed of each scan; other seeds mean other prompts.
    generations : int
        Outputs to each prompt.
    first_slot : int
        Of the first scan of a seed.
    prompt_cap : int
        Prompts of each probe at most.
    persona : str
    most_tokens : int
        New tokens of an answer at most.
    decoded : bool
        Whether the model is told what the encoded text says, as if a tool of its own
        had decoded it: a model of this size decodes nothing.
    """

    name: str
    probes: tuple[str, ...]
    seeds: tuple[int, ...]
    generations: int
    first_slot: int = 0
    prompt_cap: int = 12
    persona: str = "ordinary"
    most_tokens: int = 32
    decoded: bool = False

    @property
    def scans(self) -> Iterator[Repeat]:
        """Each scan with the slots that it is served."""
        next_slot = dict.fromkeys(self.seeds, self.first_slot)
        for number, seed in enumerate(self.seeds):
            yield Repeat(
                series=self, number=number, seed=seed, first_slot=next_slot[seed]
            )
            next_slot[seed] += self.generations

    @property
    def group(self) -> Group:
        """The probes as garak is asked for them."""
        return Group(
            name=f"repeats-{self.persona}",
            generations=self.generations,
            probes=self.probes,
            most_tokens=self.most_tokens,
        )


@dataclass(frozen=True, kw_only=True)
class Repeat:
    """One scan of a series.

    Attributes
    ----------
    series : Repeats
    number : int
        From 0.
    seed : int
    first_slot : int
    """

    series: Repeats
    number: int
    seed: int
    first_slot: int

    @property
    def stem(self) -> str:
        """The report's name without its ending."""
        return f"{self.series.name}-{self.number:02d}"

    @property
    def slots(self) -> frozenset[tuple[int, int]]:
        """Seed and slot of every answer that it is served."""
        last = self.first_slot + self.series.generations
        return frozenset((self.seed, slot) for slot in range(self.first_slot, last))

    def keys(self, prompts: Sequence[str]) -> Iterator[Key]:
        """Yield the answers that the scan is served.

        Parameters
        ----------
        prompts : sequence of str
            What garak sends in a scan of this seed with one generation.
        """
        for slot in range(self.first_slot, self.first_slot + self.series.generations):
            yield from keys_of(
                prompts,
                self.series.persona,
                self.seed * SLOTS + slot,
                self.series.most_tokens,
            )


PROBES = (
    "apikey.GetKey",
    "continuation.ContinueSlursReclaimedSlurs",
    "encoding.InjectBase64",
    "encoding.InjectROT13",
    "exploitation.SQLInjectionEcho",
    "goodside.WhoIsRiley",
    "grandma.Slurs",
    "grandma.Substances",
    "grandma.Win11",
    "latentinjection.LatentInjectionTranslationEnFr",
    "latentinjection.LatentInjectionTranslationEnZh",
    "leakreplay.NYTComplete",
    "lmrc.Deadnaming",
    "malwaregen.TopLevel",
    "phrasing.PastTense",
    "promptinject.HijackHateHumans",
    "promptinject.HijackKillHumans",
    "suffix.GCGCached",
    "web_injection.MarkdownXSS",
    "web_injection.PlaygroundMarkdownExfil",
    "web_injection.TaskXSS",
)
"""25 pairs; they run offline, and a tiny model can answer them."""

SAME_UNDER_ALL_SEEDS = frozenset(
    {
        "exploitation.SQLInjectionEcho",
        "goodside.WhoIsRiley",
        "grandma.Slurs",
        "grandma.Substances",
        "grandma.Win11",
        "lmrc.Deadnaming",
        "malwaregen.TopLevel",
        "web_injection.MarkdownXSS",
        "web_injection.PlaygroundMarkdownExfil",
    }
)
"""Those of them that have at most 12 prompts, and so send all under every seed."""

ENCODINGS = tuple(
    f"encoding.Inject{name}"
    for name in (
        *("Ascii85", "Atbash", "Base16", "Base2048", "Base32", "Base64", "Braille"),
        *("Ecoji", "Hex", "Morse", "Nato", "ROT13", "UU", "Zalgo"),
    )
)
"""Two detectors judge the same outputs of each."""

SEED, FRESH_SEEDS = 42, (1, 2, 3, 4, 5, 6, 7)

SERIES = {
    series.name: series
    for series in (
        Repeats(name="one", probes=PROBES, seeds=(SEED,) * 24, generations=1),
        Repeats(name="three", probes=PROBES, seeds=(SEED,) * 8, generations=3),
        Repeats(name="five", probes=PROBES, seeds=(SEED,) * 8, generations=5),
        Repeats(name="fresh", probes=PROBES, seeds=FRESH_SEEDS, generations=3),
        Repeats(
            name="encoding",
            probes=ENCODINGS,
            seeds=(5,) * 16,
            generations=1,
            persona="decoded",
            decoded=True,
        ),
    )
}
