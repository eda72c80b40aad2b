# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The schemas that come with the package, wherever they stand in it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema

from tests.behaviour.product import REPOSITORY


def assert_keeps_schema(given: Any, name: str) -> None:
    """Hold a document against a schema such as ``audit.schema.json``."""
    (path,) = (REPOSITORY / "garak_tbsa").rglob(name)
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(given)
