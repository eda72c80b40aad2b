# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""One thing to try: files, a command, and how to keep it as a fixture."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "tests" / "fuzz" / "cases"
LARGEST_KEPT = 50_000


@dataclass(frozen=True, kw_only=True)
class Case:
    """Input files and the arguments of ``garak-tbsa`` that read them.

    Attributes
    ----------
    subject : str
        Which of the campaign's subjects made it.
    origin : str
        ``seed/number``, enough to make it again with the same version.
    files : mapping of str to bytes
        By name, in the folder that the command runs in. Those whose name starts
        with ``out`` are outputs and never inputs.
    argv : tuple of str
        Empty for settings, which no command reads.
    """

    subject: str
    origin: str
    files: Mapping[str, bytes]
    argv: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))


@dataclass(frozen=True, kw_only=True)
class Failure:
    """What a case did that it must not.

    Attributes
    ----------
    kind : str
        A short name; two cases of one kind and ``at`` are one defect.
    at : str
        Where in the product, as far as it is known.
    text : str
        What was seen.
    """

    kind: str
    at: str
    text: str

    @property
    def signature(self) -> str:
        """What tells this defect from another."""
        return f"{self.kind} {self.at}".strip()


@dataclass(frozen=True, kw_only=True)
class KeptCase:
    """A case from ``tests/fuzz/cases`` with what went wrong when it was found.

    Attributes
    ----------
    path : Path
    case : Case
    signature, found : str
        The failure at the time.
    open_because : str or None
        Why it still fails, for one that is still open.
    """

    path: Path
    case: Case
    signature: str
    found: str
    open_because: str | None


def keep(case: Case, failure: Failure, folder: Path = FOLDER) -> Path | None:
    """Write a case as JSON; None where it is too large for a repository."""
    content = {
        "subject": case.subject,
        "origin": case.origin,
        "signature": failure.signature,
        "found": failure.text[:500],
        "open_because": None,
        "argv": list(case.argv),
        "files": {name: _as_json(data) for name, data in case.files.items()},
    }
    text = json.dumps(content, indent=1) + "\n"
    if len(text) > LARGEST_KEPT:
        return None
    short = hashlib.sha256(text.encode()).hexdigest()[:8]
    path = folder / f"{case.subject}-{short}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def kept_cases(folder: Path = FOLDER) -> list[KeptCase]:
    """Return every kept case, by name."""
    return [_load(path) for path in sorted(folder.glob("*.json"))]


def _load(path: Path) -> KeptCase:
    raw = json.loads(path.read_text(encoding="utf-8"))
    return KeptCase(
        path=path,
        case=Case(
            subject=raw["subject"],
            origin=raw["origin"],
            files={name: _as_bytes(data) for name, data in raw["files"].items()},
            argv=tuple(raw["argv"]),
        ),
        signature=raw["signature"],
        found=raw["found"],
        open_because=raw["open_because"],
    )


def _as_json(data: bytes) -> Any:
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _as_bytes(data: Any) -> bytes:
    if isinstance(data, str):
        return data.encode("ascii")
    return base64.b64decode(data["base64"])
