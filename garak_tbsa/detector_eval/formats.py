# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labelled rows -> numbered raw records, one at a time."""

from __future__ import annotations

import csv
import hashlib
import importlib
import io
import json
import os
import re
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from garak_tbsa.detector_eval.labelled_row import NumberedRecord
from garak_tbsa.detector_eval.spreadsheet import restored
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.source import open_source

HUB_PREFIX = "hf://"
UTF_8 = "utf-8-sig"
"""With or without a byte order mark."""

_BOM = b"\xef\xbb\xbf"
_LFS_POINTER = b"version https://git-lfs"
_FORMATS = {
    ".jsonl": "jsonl",
    ".json": "json",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}


def format_of(path: str) -> str | None:
    """``jsonl``, ``json``, ``csv``, ``parquet`` or ``hub`` by its ending, else None."""
    if path.startswith(HUB_PREFIX):
        return "hub"
    return _FORMATS.get(os.path.splitext(path)[1].lower())


def read_records(path: str, encoding: str = UTF_8) -> Iterator[NumberedRecord]:
    """Yield each record of a file or Hugging Face data set with its number.

    Parameters
    ----------
    path : str
    encoding : str
        Of CSV files.

    Raises
    ------
    DatasetError
        The file is missing, not text, or a line is not a JSON object.
    """
    kind = format_of(path)
    if kind is None:
        if not os.path.exists(path):
            raise _unreadable(path, "no such file or directory")
        raise DatasetError(
            f"{path}: no labelled data by its name; expected .jsonl, .csv, .tsv,"
            " .parquet, a folder of them, or hf://owner/name"
        )
    if kind == "csv":
        return _read_csv(path, encoding)
    return _READERS[kind](path)


def sha256_of(path: str) -> str:
    """sha256 of a file's bytes, in hex.

    Of its name for data on the Hub, and of its lines for other addresses.
    """
    digest = hashlib.sha256()
    if path.startswith(HUB_PREFIX):
        digest.update(path.encode())
    elif "://" in path:
        with open_source(path) as source:
            for _, line in source.lines():
                digest.update(line)
    else:
        with _open_binary(path) as handle:
            while block := handle.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def read_json_lines(path: str) -> Iterator[NumberedRecord]:
    """Yield each JSON object of a JSON Lines file; blank lines are skipped."""
    with _open_binary(path) as handle:
        for number, line in enumerate(handle, start=1):
            if number == 1:
                line = line.removeprefix(_BOM)
                if line.startswith(_LFS_POINTER):
                    raise DatasetError(
                        f"{path}, line 1: a Git LFS pointer, not the file;"
                        " run `git lfs pull` to fetch it"
                    )
            if line.strip():
                value = _json(f"{path}, line {number}", line, "one JSON object a line")
                if not isinstance(value, dict):
                    raise DatasetError(
                        f"{path}, line {number}: JSON, but no object; expected one JSON"
                        " object a line"
                    )
                yield number, value


def _json(where: str, content: bytes, expected: str) -> Any:
    try:
        return json.loads(content)
    except UnicodeDecodeError:
        problem = "not UTF-8; save the file as UTF-8"
    except ValueError as error:
        problem = f"not JSON ({str(error).split(':')[0].lower()}); expected {expected}"
    except RecursionError:
        problem = f"nested too deeply; expected {expected}"
    raise DatasetError(f"{where}: {problem}")


def _read_json(path: str) -> Iterator[NumberedRecord]:
    """JSON Lines; or a document: a list of objects, lists by group, or an object."""
    with _open_binary(path) as handle:
        lines = (line.removeprefix(_BOM) for line in handle)
        first = next((line for line in lines if line.strip()), b"").strip()
    if not _is_document(first):
        yield from read_json_lines(path)
        return
    with _open_binary(path) as handle:
        content = handle.read().removeprefix(_BOM)
    value = _json(path, content, "a list of objects, or one JSON object a line")
    if _is_grouped(value):
        value = list(chain.from_iterable(value.values()))
    records = [value] if isinstance(value, dict) else value
    if not _are_objects(records):
        raise DatasetError(
            f"{path}: JSON, but no list of objects; expected one object a row"
        )
    yield from enumerate(records, start=1)


def _is_document(first_line: bytes) -> bool:
    """Whether a file that begins so is one JSON document, not an object a line."""
    try:
        value = json.loads(first_line)
    except (ValueError, RecursionError):
        # an object over several lines, or a mistake that reading it tells
        return first_line == b"{" or first_line.startswith(b"[")
    return isinstance(value, list) or _is_grouped(value)


def _is_grouped(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(group and _are_objects(group) for group in value.values())
    )


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _read_csv(path: str, encoding: str) -> Iterator[NumberedRecord]:
    # a model's response can be longer than the module's 128 kB a cell
    csv.field_size_limit(2**31 - 1)
    number = 1
    with _open_binary(path) as binary:
        try:
            text = io.TextIOWrapper(binary, encoding=encoding, newline="")
            header = text.readline()
            delimiter = max(",;\t", key=header.count)
            # strict: a quote that is never closed would swallow the rows below it
            rows = csv.reader(chain([header], text), delimiter=delimiter, strict=True)
            names = next(rows, [])
            _check_distinct(path, names)
            for number, cells in enumerate(rows, start=2):
                if len(cells) > len(names):
                    raise DatasetError(
                        f"{path}, row {number}: {len(cells)} cells, but the header"
                        f" names {len(names)}; quote cells that hold the delimiter"
                    )
                if cells:
                    yield number, restored(dict(zip(names, cells, strict=False)))
        except LookupError:
            raise DatasetError(
                f"{path}: no encoding is called {encoding!r}; try utf-8 or cp1252"
            ) from None
        except UnicodeError:
            raise DatasetError(
                f"{path}, after row {number}: not {encoding.removesuffix('-sig')}; save"
                " it as UTF-8, or name its encoding, e.g. --encoding cp1252"
            ) from None
        except csv.Error as error:
            raise DatasetError(
                f"{path}, row {number + 1}: not CSV ({error});"
                " quote cells that hold line breaks or quotes"
            ) from None


def _check_distinct(path: str, names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise DatasetError(
                f"{path}, row 1: two columns are called {name[:60]!r};"
                " rename or remove one"
            )


def _read_parquet(path: str) -> Iterator[NumberedRecord]:
    # a score reads summaries with this room, and needs only numpy and msgspec
    from pyarrow.parquet import ParquetFile

    number = 0
    with _open_binary(path) as handle:
        try:
            for batch in ParquetFile(handle).iter_batches(1024):
                for record in batch.to_pylist():
                    number += 1
                    yield number, record
        except MemoryError:
            raise
        except Exception as error:  # a date of the year 200,000 is an OverflowError
            advice = "" if isinstance(error, OSError) else ", dates and times as text"
            raise DatasetError(
                f"{path}, after row {number}: not readable as Parquet"
                f" ({_first_sentence(error)}); write it again{advice}"
            ) from None


_HUB_NAME = re.compile(
    r"hf://(?P<name>[\w.-]+(?:/[\w.-]+)?)(?:#(?P<config>[\w.-]+))?(?:@(?P<split>.+))?"
)


def _read_hub(path: str) -> Iterator[NumberedRecord]:
    match = _HUB_NAME.fullmatch(path)
    if match is None:
        raise DatasetError(f"{path}: expected hf://owner/name, #config and @split")
    try:
        datasets: Any = importlib.import_module("datasets")
    except ImportError:
        raise DatasetError(
            f"{path}: reading it needs datasets; run `pip install datasets`"
        ) from None
    name, config, split = match.groups()
    try:
        rows = datasets.load_dataset(
            name, config, split=split or "train", streaming=True
        )
        yield from enumerate((dict(row) for row in rows), start=1)
    except Exception as error:  # the library raises dozens of kinds
        raise DatasetError(
            f"{path}: could not be loaded ({_first_sentence(error)});"
            " check the name, the split and the network"
        ) from error


_READERS = {
    "jsonl": read_json_lines,
    "json": _read_json,
    "parquet": _read_parquet,
    "hub": _read_hub,
}


def check_regular(path: str) -> None:
    """Refuse what can be read only once, or never ends: rows are read and hashed.

    Raises
    ------
    DatasetError
        It is a pipe or a device.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise DatasetError(
            f"{path}: a pipe or device, and rows are read more than once; copy it into"
            " a file, or give - for standard input"
        )


def _open_binary(path: str) -> IO[bytes]:
    check_regular(path)
    try:
        return open(path, "rb", buffering=1 << 20)
    except OSError as error:
        raise _unreadable(
            path, (error.strerror or type(error).__name__).lower()
        ) from None


def _unreadable(path: str, reason: str) -> DatasetError:
    return DatasetError(
        f"{path}: cannot be read ({reason}); give an existing file or folder"
    )


def _first_sentence(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:160]
