# SPDX-FileCopyrightText: Copyright (c) 2026 the garak-tbsa authors
# SPDX-License-Identifier: Apache-2.0
"""Do the tests notice wrong code? ``python -m tools.mutation`` changes it and looks.

``mutants`` makes the changes (with mutmut's operators), ``covering`` finds the tests
that run a line, ``runner`` runs them on each mutant, ``page`` writes what came of it.
"""
