# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""What CI systems run: steps of ``action.yml``, a Jenkinsfile, an Azure pipeline."""
