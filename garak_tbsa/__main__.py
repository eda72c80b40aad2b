# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m garak_tbsa``."""

import sys

from garak_tbsa.cli.main import main

sys.exit(main())
