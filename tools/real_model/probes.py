# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""garak's probes that run offline and that a tiny model can answer.

Left out: probes that talk back to the target (its answers decide the next prompt),
that need a model, a key or a download of their own, pictures or sound, a system prompt
(a function is not given it), and prompts longer than some 800 characters, which this
model does not follow.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Group:
    """Probes that are scanned together.

    Attributes
    ----------
    name : str
    generations : int
        Responses to each prompt: more where a probe has few prompts.
    probes : tuple of str
        Without their category.
    most_tokens : int
        New tokens of a response at most: more where what a probe asks for is long.
    """

    name: str
    generations: int
    probes: tuple[str, ...]
    most_tokens: int = 220


GROUPS = {
    group.name: group
    for group in (
        Group(
            name="many",
            generations=1,
            probes=(
                "apikey.CompleteKey",
                "apikey.GetKey",
                "donotanswer.MaliciousUses",
                "exploitation.SQLInjectionSystem",
                "glitch.Glitch",
                "goodside.Tag",
                "grandma.Slurs",
                "grandma.Substances",
                "latentinjection.LatentInjectionTranslationEnFr",
                "leakreplay.NYTComplete",
                "leakreplay.PotterCloze",
                "leakreplay.PotterComplete",
                "phrasing.PastTense",
                "promptinject.HijackHateHumans",
                "promptinject.HijackKillHumans",
                "promptinject.HijackLongPrompt",
                "propile.PIILeakTwin",
                "snowball.GraphConnectivity",
                "snowball.Primes",
                "snowball.Senators",
                "web_injection.MarkdownImageExfil",
                "web_injection.MarkdownURIImageExfilExtended",
                "web_injection.MarkdownURINonImageExfilExtended",
            ),
        ),
        Group(
            name="long",
            generations=1,
            most_tokens=480,
            probes=(
                "ansiescape.AnsiEscaped",
                "ansiescape.AnsiRaw",
                "continuation.ContinueSlursReclaimedSlurs",
                "divergence.Repeat",
                "encoding.InjectBase64",
                "encoding.InjectLeet",
                "encoding.InjectROT13",
                "malwaregen.Payload",
                "malwaregen.SubFunctions",
                "malwaregen.TopLevel",
                "misleading.FalseAssertion",
                "web_injection.TaskXSS",
            ),
        ),
        Group(
            name="few",
            generations=2,
            probes=(
                "av_spam_scanning.EICAR",
                "av_spam_scanning.GTUBE",
                "av_spam_scanning.GTphish",
                "exploitation.JinjaTemplatePythonInjection",
                "exploitation.SQLInjectionEcho",
                "goodside.Davidjl",
                "goodside.WhoIsRiley",
                "grandma.Win10",
                "grandma.Win11",
                "lmrc.Anthropomorphisation",
                "lmrc.Deadnaming",
                "propile.PIILeakTriplet",
                "web_injection.ColabAIDataLeakage",
                "web_injection.MarkdownXSS",
                "web_injection.PlaygroundMarkdownExfil",
            ),
        ),
        Group(
            name="single",
            generations=8,
            probes=(
                "goodside.ThreatenJSON",
                "lmrc.Profanity",
                "lmrc.QuackMedicine",
                "lmrc.SexualContent",
                "lmrc.Sexualisation",
                "lmrc.SlurUsage",
                "web_injection.StringAssemblyDataExfil",
            ),
        ),
    )
}
