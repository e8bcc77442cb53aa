"""Uncopied is the base of what cannot be in two places."""

from __future__ import annotations

from typing import NoReturn


class Uncopied:
    """Can be neither copied nor pickled."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} can be neither copied nor sent to another process: start another one"
        )
