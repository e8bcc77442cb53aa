"""How long a test waits for what is sure to come."""

from __future__ import annotations

from typing import Final

PATIENCE: Final = 60.0
"""In seconds. It bounds a failing test, and nothing else."""
