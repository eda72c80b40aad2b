# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""The numbers and texts that members of several documents are."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

Tbsa = Annotated[float, Meta(ge=1, le=5)]
Gain = Annotated[float, Meta(ge=0, le=4)]
Share = Annotated[float, Meta(ge=0, le=1)]
Grade = Annotated[int, Meta(ge=1, le=5)]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Digits = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
ChecksumText = Annotated[str, Meta(pattern="^[0-9a-f]{4}-[0-9a-f]{4}$")]
Tier = Literal[1, 2, 3, 9]
ScoredTier = Literal[1, 2]
Prompts = Literal["same-prompts", "fresh-prompts"]
