# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Files of labelled rows -> numbered raw records, one at a time.

Every reader streams: none holds more than one record, or one Parquet batch.
"""

from __future__ import annotations

import csv
import hashlib
import importlib
import io
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, Any

from garak_tbsa.detector_eval.json_document import document_records, is_document
from garak_tbsa.detector_eval.preset import fitting_advice, listed
from garak_tbsa.detector_eval.spreadsheet import restored
from garak_tbsa.errors import DatasetError
from garak_tbsa.garak_files.source import open_source

NumberedRecord = tuple[int, dict[str, Any]]
"""Line or row number (from 1), and column -> value."""

HUB_PREFIX = "hf://"
PARQUET_BATCH_ROWS = 1024

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


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How raw columns become ours.

    Attributes
    ----------
    columns : mapping
        Our column name -> the file's, e.g. ``{"output": "response"}``.
    encoding : str
        Of CSV files.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8-sig"


def format_of(path: str) -> str | None:
    """``jsonl``, ``json``, ``csv``, ``parquet`` or ``hub`` by its ending, else None."""
    if path.startswith(HUB_PREFIX) or _is_saved_dataset(path):
        return "hub"
    return _FORMATS.get(os.path.splitext(path)[1].lower())


def read_records(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    """Yield each record of a file or Hugging Face data set with its number.

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
    records = _READERS[kind](path, options)
    if not options.columns:
        return records
    return _renamed(records, options.columns, path)


def sha256_of(path: str) -> str:
    """sha256 of a file's bytes, in hex.

    Of its name for data on the Hub, and of its lines for other addresses.
    """
    digest = hashlib.sha256()
    if path.startswith(HUB_PREFIX):
        digest.update(path.encode())
        return digest.hexdigest()
    if "://" in path:
        with open_source(path) as source:
            for _, line in source.lines():
                digest.update(line)
        return digest.hexdigest()
    for file in _files_of(path):
        with _open_binary(file) as handle:
            while block := handle.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def read_json_lines(path: str) -> Iterator[NumberedRecord]:
    """Yield each JSON object of a JSON Lines file; blank lines are skipped."""
    with _open_binary(path) as handle:
        for number, line in enumerate(handle, start=1):
            if number == 1:
                line = _first_line(path, line)
            if line.isspace() or not line:
                continue
            yield number, _json_object(path, number, line)


def _first_line(path: str, line: bytes) -> bytes:
    if line.startswith(_LFS_POINTER):
        raise DatasetError(
            f"{path}, line 1: a Git LFS pointer, not the file;"
            " run `git lfs pull` to fetch it"
        )
    return line.removeprefix(_BOM)


def _json_object(path: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except UnicodeDecodeError:
        problem = "not UTF-8; save the file as UTF-8"
    except ValueError as error:
        reason = str(error).split(":")[0].lower()
        problem = f"not JSON ({reason}); expected one JSON object a line"
    except RecursionError:
        problem = "nested too deeply; expected a flat JSON object a line"
    else:
        if isinstance(value, dict):
            return value
        problem = "JSON, but no object; expected one JSON object a line"
    raise DatasetError(f"{path}, line {number}: {problem}")


def _read_jsonl(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    return read_json_lines(path)


def _read_json(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    """JSON Lines, or one document."""
    with _open_binary(path) as handle:
        lines = (line.removeprefix(_BOM) for line in handle)
        first = next((line for line in lines if line.strip()), b"")
    if not is_document(first):
        yield from read_json_lines(path)
        return
    with _open_binary(path) as handle:
        content = handle.read().removeprefix(_BOM)
    try:
        records = document_records(content)
    except UnicodeDecodeError:
        raise DatasetError(f"{path}: not UTF-8; save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        reason = str(error).split(":")[0].lower()
        raise DatasetError(
            f"{path}: not JSON ({reason}); expected a list of objects, or one JSON"
            " object a line"
        ) from None
    if records is None:
        raise DatasetError(
            f"{path}: JSON, but no list of objects; expected one object a row"
        )
    yield from enumerate(records, start=1)


def _read_csv(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    # a model's response can be longer than the module's 128 kB a cell
    csv.field_size_limit(2**31 - 1)
    with _open_binary(path) as binary:
        try:
            text = io.TextIOWrapper(binary, encoding=options.encoding, newline="")
        except LookupError:
            raise DatasetError(
                f"{path}: no encoding is called {options.encoding!r};"
                " try utf-8 or cp1252"
            ) from None
        number = 1
        try:
            header = text.readline()
            # strict: a quote that is never closed would swallow the rows below it
            rows = csv.reader(
                chain([header], text), delimiter=_delimiter(header), strict=True
            )
            names = next(rows, [])
            _check_distinct(path, names)
            for number, cells in enumerate(rows, start=2):
                if cells:
                    yield number, restored(_csv_record(path, number, names, cells))
        except UnicodeError:
            encoding = options.encoding.removesuffix("-sig")
            raise DatasetError(
                f"{path}, after row {number}: not {encoding}; save it as UTF-8,"
                " or name its encoding, e.g. --encoding cp1252"
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


def _csv_record(
    path: str, number: int, names: list[str], cells: list[str]
) -> dict[str, Any]:
    if len(cells) > len(names):
        raise DatasetError(
            f"{path}, row {number}: {len(cells)} cells, but the header names"
            f" {len(names)}; quote cells that hold the delimiter"
        )
    record: dict[str, Any] = dict(zip(names, cells, strict=False))
    return record


def _delimiter(header: str) -> str:
    """The one of comma, semicolon and tab that splits the header most."""
    return max(",;\t", key=header.count)


def _read_parquet(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    parquet = _module("pyarrow.parquet", path, "pyarrow")
    number = 0
    with _open_binary(path) as handle:
        try:
            for batch in parquet.ParquetFile(handle).iter_batches(PARQUET_BATCH_ROWS):
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


def _read_hub(path: str, options: ReadOptions) -> Iterator[NumberedRecord]:
    datasets = _module("datasets", path, "datasets")
    try:
        rows = _load_hub(datasets, path)
        yield from enumerate((dict(row) for row in rows), start=1)
    except DatasetError:
        raise
    except Exception as error:  # the library raises dozens of kinds
        raise DatasetError(
            f"{path}: could not be loaded ({_first_sentence(error)});"
            " check the name, the split and the network"
        ) from error


def _load_hub(datasets: Any, path: str) -> Any:
    if not path.startswith(HUB_PREFIX):
        saved = datasets.load_from_disk(path)
        if hasattr(saved, "column_names") and not isinstance(saved, dict):
            return saved
        raise DatasetError(
            f"{path}: several splits; name the folder of one: {', '.join(saved)}"
        )
    match = _HUB_NAME.fullmatch(path)
    if match is None:
        raise DatasetError(f"{path}: expected hf://owner/name, #config and @split")
    return datasets.load_dataset(
        match["name"], match["config"], split=match["split"] or "train", streaming=True
    )


_READERS = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "csv": _read_csv,
    "parquet": _read_parquet,
    "hub": _read_hub,
}


def _renamed(
    records: Iterator[NumberedRecord], columns: Mapping[str, str], path: str
) -> Iterator[NumberedRecord]:
    for number, record in records:
        for ours, theirs in columns.items():
            if theirs not in record:
                raise DatasetError(
                    f"{path}, row {number}: no column {theirs!r}, which --columns maps"
                    f" to `{ours}`; it has {listed(record)}{fitting_advice(record)}"
                )
        # all are read before any is written, so that two columns can be swapped
        yield (
            number,
            record | {ours: record[theirs] for ours, theirs in columns.items()},
        )


def _is_saved_dataset(path: str) -> bool:
    """Whether ``path`` is a folder that ``Dataset.save_to_disk`` wrote."""
    return any(
        os.path.isfile(os.path.join(path, name))
        for name in ("dataset_info.json", "dataset_dict.json")
    )


def _files_of(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    return sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(path)
        for name in names
    )


def check_regular(path: str) -> None:
    """Refuse what can be read only once, or never ends: rows are read several times.

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
        reason = (error.strerror or type(error).__name__).lower()
        raise _unreadable(path, reason) from None


def _unreadable(path: str, reason: str) -> DatasetError:
    return DatasetError(
        f"{path}: cannot be read ({reason}); give an existing file or folder"
    )


def _module(name: str, path: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise DatasetError(
            f"{path}: reading it needs {package}; run `pip install {package}`"
        ) from None


def _first_sentence(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:160]
