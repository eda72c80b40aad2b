# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Write the labelling rules that the package ships from those of the data.

``python -m tools.make_labelling_rules``; a test fails where they differ.
"""

from __future__ import annotations

import json

from garak_tbsa.labels.labelling_rules import RULES
from tools.labelled_data.families import DATA, families, general_rules

SERVED_BY = "served_by.json"


def text() -> str:
    """Return the file as the data has it now."""
    document = {
        "general": general_rules(),
        "families": [
            {"name": each.name, "detectors": each.detectors, "rules": each.rules}
            for each in families()
        ],
        "served_by": json.loads((DATA / SERVED_BY).read_text(encoding="utf-8")),
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


if __name__ == "__main__":
    RULES.write_text(text(), encoding="utf-8")
