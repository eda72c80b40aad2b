# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Commands with their options and arguments, from what ``--help`` prints."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.behaviour.product import PROGRAM, Shown, analyze, document, shown_by, tbsa

SERVED = ("garak.analyze.tbsa", "garak.analyze.detector_eval")
HELP_FLAGS = ("-h", "--help")
MAYBE_COMMAND = re.compile(r"^ {2,6}([a-z][a-z-]+)(?: |$)", re.MULTILINE)
COMMANDS_FOLLOW = "COMMAND"
"""An argument that stands for the commands, which are listed by themselves."""

GARAKS_FLAGS = ("-v", "--verbose", "--nohash", "-q", "--quiet")
GARAKS_FLAGS_OF_FILES = ("-j", "--json_output")
GARAKS_FLAGS_OF_REPORTS = ("-r", "--report_path")
"""What garak's own module takes; it must be taken whether or not a help shows it."""

DEFAULT = re.compile(r"\(default:? ([^\s;,)]+(?: [KMGT]iB)?)[;,)]")
DEFAULT_BEHIND = re.compile(r"([\w-]+) \(default\)|(?:^|; )(\w+): [^;]*\(the default\)")


def commands() -> list[tuple[str, ...]]:
    """Return every command as its words; the first has none."""
    return list(_from(()))


def _from(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    yield words
    for name in dict.fromkeys(MAYBE_COMMAND.findall(help_of(*words).out)):
        # a line of help may begin like a command and be none
        if usage_of(help_of(*words, name).out, PROGRAM, *words, name):
            yield from _from((*words, name))


@cache
def help_of(*words: str) -> Shown:
    """Run a command with ``--help``."""
    return tbsa(*words, "--help")


def usage_of(text: str, *program: str) -> str:
    """Return the usage of a help text in one line.

    It is empty where the usage is of another program or command.
    """
    found = re.match(r"usage: (.*?)\n\n", text, re.DOTALL)
    usage = " ".join(found[1].split()) if found else ""
    return usage if f"{usage} ".startswith(f"{' '.join(program)} ") else ""


def command_entries() -> dict[str, str]:
    """Every command of the program, with what it takes."""
    found: dict[str, str] = {}
    for words in commands():
        name = " ".join(("command", *words)) if words else "program"
        found[name] = "has --help"
        found |= _taken(name, help_of(*words).out, PROGRAM, *words)
    return found


def served_commands() -> dict[str, str]:
    """What the modules take that garak's users start."""
    found: dict[str, str] = {}
    for module in SERVED:
        shown = shown_by(importlib.import_module(module).main, ("--help",))
        program = f"python -m {module}"
        found[program] = "has --help"
        found |= _taken(program, shown.out, *program.split())
    return found


def tried_flags(folder: Path) -> dict[str, str]:
    """What no help tells, tried: flags of garak's own module, a list in two parts.

    Parameters
    ----------
    folder : Path
        Has the files of the demo.
    """
    report, written = folder / "before.report.jsonl", folder / "written.json"
    labels = [
        folder / name for name in ("before.labels.jsonl", "before.all_labels.csv")
    ]
    twice = (each for path in labels for each in ("--labels", path))
    read = document(folder, "audit", report, *twice)["labels"]["files"]
    lines: list[tuple[object, ...]] = [
        (flag, report) for flag in GARAKS_FLAGS_OF_REPORTS
    ]
    lines += [(flag, written, report) for flag in GARAKS_FLAGS_OF_FILES]
    lines += [(flag, report) for flag in GARAKS_FLAGS]
    found = {
        f"tried: python -m {SERVED[0]} {line[0]}": f"exit {analyze(*line).code}"
        for line in lines
    }
    return found | {"tried: audit --labels FILE --labels FILE": f"{len(read)} files"}


def _taken(name: str, text: str, *program: str) -> dict[str, str]:
    usage = usage_of(text, *program)
    found: dict[str, str] = {}
    for head, sentence in described(text):
        if head.startswith("-"):
            for flag, what in _option(head, sentence, usage):
                found[f"{name}: {flag}"] = what
        elif head != COMMANDS_FOLLOW:
            default = _default(head, sentence)
            said = f"; default {default}" if default else ""
            found[f"{name}: argument {head}"] = _count(head, usage) + said
    return found


def described(text: str) -> Iterator[tuple[str, str]]:
    """Yield what a help text lists: an option or argument, and its sentence.

    They are indented by two, their sentences by more. Words in the place of an option
    are an argument where the title above says so.
    """
    title, head, sentence = "", "", ""
    for line in [*text.splitlines(), ""]:
        if head and line.startswith("   "):
            # what was broken behind a dash or slash is one word
            gap = "" if sentence.endswith(("-", "/")) else " "
            sentence = (sentence + gap + line.strip()).strip()
            continue
        if head:
            yield head, sentence
            head = ""
        if line[:1].strip():
            title = line
        elif re.match(r" {2}\S", line) and (
            line[2] == "-" or title.startswith("positional")
        ):
            head, _, sentence = line.strip().partition("  ")
            sentence = sentence.strip()


def _option(head: str, sentence: str, usage: str) -> Iterator[tuple[str, str]]:
    """Each flag of an option, and what the option takes."""
    parts = [part.partition(" ") for part in re.split(r", (?=-)", head)]
    takes = parts[-1][2]
    flags = [flag for flag, _, _ in parts if flag not in HELP_FLAGS]
    said = [takes or "switch"]
    default = _default(takes, sentence)
    if default:
        said.append(f"default {default}")
    if "may be repeated" in sentence:
        said.append("repeatable")
    for group in re.findall(r"\[(-[^\[\]]*(?: \| -[^\[\]]*)+)\]", usage):
        either = [each.split()[0] for each in group.split(" | ")]
        if set(either) & set(flags):
            others = [each for each in either if each not in flags]
            said.append(f"not with {', '.join(others)}")
    for flag in flags:
        yield flag, "; ".join(said)


def _default(takes: str, sentence: str) -> str:
    """What the sentence says in one word; what it says in several is its own."""
    found = DEFAULT.search(sentence)
    if found:
        return found[1]
    behind = DEFAULT_BEHIND.search(sentence)
    word = (behind[1] or behind[2]) if behind else ""
    return word if word in re.split(r"[{},|]", takes) else ""


def _count(name: str, usage: str) -> str:
    """How many of an argument a command takes."""
    if f"{name} [{name} ...]" in usage and f"[{name} [{name} ...]]" not in usage:
        return "one or more"
    if f"[{name} ...]" in usage:
        return "any number"
    return "one or none" if f"[{name}]" in usage else "one"
