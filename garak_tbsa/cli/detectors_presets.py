# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``garak-tbsa detectors presets``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

from garak_tbsa.cli.command_parser import CommandParser
from garak_tbsa.cli.places import claim_outputs
from garak_tbsa.detector_eval.preset import Meaning, Preset, presets
from garak_tbsa.errors import EXIT_DONE
from garak_tbsa.files import write_whole
from garak_tbsa.tbsa.outputs.text import table
from garak_tbsa.terminal import terminal_width, write_lines


def build_parser(prog: str) -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = CommandParser(
        prog=prog,
        description="List the published sets of labelled responses that `detectors"
        " evaluate --preset NAME --data FILES` reads as they are. The sets do not come"
        " with this package.",
    )
    parser.add_argument(
        "-j", "--json_output", metavar="PATH", help="write the list as JSON"
    )
    return parser


def run(argv: Sequence[str], *, prog: str = "garak-tbsa detectors presets") -> int:
    """Run the command.

    Raises
    ------
    DatasetError
        A description is damaged.
    OutputError
        The list cannot be written.
    """
    options = build_parser(prog).parse_args(argv)
    claim_outputs({"-j": options.json_output}, [])
    listed = list(presets().values())
    if options.json_output is not None:
        document = {"presets": [preset_document(preset) for preset in listed]}
        text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
        write_whole(options.json_output, text + "\n")
    write_lines(preset_lines(listed))
    return EXIT_DONE


def preset_lines(listed: Sequence[Preset]) -> Iterator[str]:
    """The list for a terminal: a table, then what each set is and does not tell."""
    header = ("preset", "licence", "columns")
    rows = [header, *((p.name, p.licence, p.form) for p in listed)]
    yield from table(rows, terminal_width())
    for preset in listed:
        yield ""
        yield f"{preset.name}: {preset.title}"
        yield f"  from: {preset.source}"
        if preset.hub is not None:
            yield f"  on the Hub: --data {preset.hub}"
        yield f"  labels: {_labels(preset)}"
        if preset.models:
            yield f"  models: {', '.join(preset.models)}"
        yield f"  judges: {', '.join(preset.detectors)}"
        yield f"  note: {preset.caveat}"


def _labels(preset: Preset) -> str:
    meanings: dict[Meaning, str] = {
        "hit": "= hit",
        "pass": "= pass",
        "partial": "left out unless --partial says",
        "skip": "left out",
    }
    said = [
        f"{', '.join(preset.values(kind))} {meaning}"
        for kind, meaning in meanings.items()
        if preset.values(kind)
    ]
    if preset.threshold is not None:
        said.append(f"{preset.threshold:g} or more = hit, less = pass")
    if preset.raters:
        how = "majority of" if "label" not in preset.columns else "also by raters"
        said.append(f"{how} {', '.join(preset.raters)}")
    return "; ".join(said)


def preset_document(preset: Preset) -> dict[str, Any]:
    """One preset as a JSON-ready object, with the keys of its file."""
    return {
        "name": preset.name,
        "title": preset.title,
        "licence": preset.licence,
        "source": preset.source,
        "hub": preset.hub,
        "columns": {ours: list(names) for ours, names in preset.columns.items()},
        "optional": sorted(preset.optional),
        "ids_per_file": preset.ids_per_file,
        "models": list(preset.models),
        "labels": {kind: list(values) for kind, values in preset.labels.items()},
        "threshold": preset.threshold,
        "raters": list(preset.raters),
        "detectors": list(preset.detectors),
        "caveat": preset.caveat,
    }
