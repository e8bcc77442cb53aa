"""QuietCase is a test after which asyncio has nothing to complain about."""

from __future__ import annotations

import gc
import logging
import unittest


class _Complaints(logging.Handler):
    """Keeps what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


class QuietCase(unittest.TestCase):
    """Fails if asyncio logs an error: an exception that nobody looked at, a task that was destroyed."""

    def setUp(self) -> None:
        super().setUp()
        complaints = _Complaints()
        logger = logging.getLogger("asyncio")
        logger.addHandler(complaints)
        self.addCleanup(self._check, complaints)
        self.addCleanup(logger.removeHandler, complaints)
        # What nobody refers to any more complains when it is collected. Cleanups run in the opposite order.
        self.addCleanup(gc.collect)

    def _check(self, complaints: _Complaints) -> None:
        self.assertEqual(complaints.texts, [])
