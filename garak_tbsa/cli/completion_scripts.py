# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Completion scripts for bash, zsh and fish, of the same commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from garak_tbsa.cli.command_tree import Command, Option

FILES, NOTHING = "@files", "@nothing"
"""What follows an option that has no list of values."""

BASH = """\
# bash completion of garak-tbsa, made by `garak-tbsa completion bash`
_garak_tbsa() {
    local current=${COMP_WORDS[COMP_CWORD]} key="" next="" words="" values="" i
    local previous=${COMP_WORDS[COMP_CWORD-1]}
    for ((i = 1; i < COMP_CWORD; i++)); do
        next="${key:+$key }${COMP_WORDS[i]}"
        case "$next" in
            %(names)s) key=$next ;;
            *) break ;;
        esac
    done
    case "$key" in
%(words)s
    esac
    case "$key:$previous" in
%(values)s
    esac
    COMPREPLY=()
    if [[ $values == @nothing ]]; then
        compopt +o default 2> /dev/null
    elif [[ $values == @files ]]; then
        return
    elif [[ -n $values ]]; then
        [[ $values == *@files ]] || compopt +o default 2> /dev/null
        COMPREPLY=($(compgen -W "${values%%@files}" -- "$current"))
    elif [[ $current == -* || $words != -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$current"))
    fi
}
complete -o default -F _garak_tbsa garak-tbsa"""

ZSH = """\
#compdef garak-tbsa
# zsh completion of garak-tbsa, made by `garak-tbsa completion zsh`
_garak_tbsa() {
    local key="" next="" i found=1
    local -a told listed
    for ((i = 2; i < CURRENT; i++)); do
        next="${key:+$key }${words[i]}"
        case "$next" in
            %(names)s) key=$next ;;
            *) break ;;
        esac
    done
    case "$key" in
%(words)s
    esac
    case "$key:${words[CURRENT-1]}" in
%(values)s
    esac
    case "${listed[1]}" in
        @nothing) return ;;
        @files) _files; return ;;
        ?*)
            compadd -- ${listed:#@files} && found=0
            (( ${listed[(I)@files]} )) && _files && found=0
            return $found ;;
    esac
    if [[ ${words[CURRENT]} == -* ]]; then
        _describe -o option told
    elif [[ ${told[1]} != -* ]]; then
        _describe command told
    else
        _files
    fi
}
if [[ ${funcstack[1]} == _garak_tbsa ]]; then
    _garak_tbsa "$@"
else
    compdef _garak_tbsa garak-tbsa
fi"""

FISH = """\
# fish completion of garak-tbsa, made by `garak-tbsa completion fish`
function __garak_tbsa_at
    set -l key
    for word in (commandline -opc)[2..-1]
        switch (string join ' ' -- $key $word)
            case %(names)s
                set key $key $word
            case '*'
                break
        end
    end
    test (string join ' ' -- '@' $key) = (string join ' ' -- '@' $argv)
end"""


def bash(commands: Sequence[Command]) -> str:
    """Return the script for bash 4.4 or newer."""
    return BASH % {
        "names": "|".join(_quoted_names(commands)),
        "words": _cases(
            (_quoted(command.name), f"words={_quoted(' '.join(_words(command)))}")
            for command in commands
        ),
        "values": _cases(
            (patterns, f"values={_quoted(' '.join(values))}")
            for patterns, values in _values(commands)
        ),
    }


def zsh(commands: Sequence[Command]) -> str:
    """Return the script for zsh."""
    return ZSH % {
        "names": "|".join(_quoted_names(commands)),
        "words": _cases(
            (
                _quoted(command.name),
                f"told=({' '.join(map(_quoted, _described(command)))})",
            )
            for command in commands
        ),
        "values": _cases(
            (patterns, f"listed=({' '.join(map(_quoted, values))})")
            for patterns, values in _values(commands)
        ),
    }


def fish(commands: Sequence[Command]) -> str:
    """Return the script for fish 3.1 or newer."""
    lines = [FISH % {"names": " ".join(_quoted_names(commands))}]
    for command in commands:
        at = f"complete -c garak-tbsa -n '__garak_tbsa_at {command.name}'"
        lines += [
            f"{at} -f -a {name} -d {_quoted(purpose)}"
            for name, purpose in command.commands.items()
        ]
        for option in command.options:
            line = _fish_option(option)
            if line is not None:
                lines.append(f"{at} {line} -d {_quoted(_short(option.purpose))}")
    return "\n".join(lines)


def _fish_option(option: Option) -> str | None:
    following = _following(option)
    if not option.flags:
        return f"-f -a {_quoted(' '.join(following))}" if option.choices else None
    flags = " ".join(
        f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
        for flag in option.flags
    )
    if not following:
        return flags
    if following == [FILES]:
        return f"{flags} -r -F"
    values = [value for value in following if value not in (FILES, NOTHING)]
    listed = f" -a {_quoted(' '.join(values))}" if values else ""
    return f"{flags} -r{'' if option.takes_path else ' -f'}{listed}"


def _words(command: Command) -> list[str]:
    """What a word of a command may be, its own commands or its options."""
    listed = [choice for each in _arguments(command) for choice in each.choices]
    flags = [flag for option in command.options for flag in option.flags]
    return [*command.commands, *listed, *flags]


def _arguments(command: Command) -> list[Option]:
    return [option for option in command.options if not option.flags]


def _described(command: Command) -> list[str]:
    arguments = [
        (choice, option.purpose)
        for option in _arguments(command)
        for choice in option.choices
    ]
    flags = [
        (flag, option.purpose) for option in command.options for flag in option.flags
    ]
    described = [*command.commands.items(), *arguments, *flags]
    return [f"{name}:{_short(purpose)}" for name, purpose in described]


def _values(commands: Sequence[Command]) -> Iterator[tuple[str, list[str]]]:
    """Yield the pattern of each option that a value follows, and the values."""
    for command in commands:
        for option in command.options:
            following = _following(option)
            if option.flags and following:
                yield (
                    "|".join(
                        _quoted(f"{command.name}:{flag}") for flag in option.flags
                    ),
                    following,
                )


def _following(option: Option) -> list[str]:
    if not option.value:
        return []
    if option.choices:
        return [*option.choices, *([FILES] if option.takes_path else [])]
    return [FILES if option.takes_path else NOTHING]


def _short(purpose: str) -> str:
    """The first part of a sentence, without what is in brackets."""
    plain = re.sub(r" \(.*?\)", "", purpose)
    return re.split(r"[;:,.] ", plain)[0]


def _quoted_names(commands: Sequence[Command]) -> list[str]:
    return [_quoted(command.name) for command in commands if command.words]


def _cases(cases: Iterator[tuple[str, str]]) -> str:
    return "\n".join(f"        {pattern}) {does} ;;" for pattern, does in cases)


def _quoted(text: str) -> str:
    """Return text as one word of any of the three shells."""
    return "'" + text.replace("\\", "").replace("'", "’") + "'"
