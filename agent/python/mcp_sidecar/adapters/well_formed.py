"""Texts that can be sent: a request has to be UTF-8, and a lone surrogate has no form in it.

A server in JavaScript that cuts an emoji in two sends half of it, and JSON carries that. One such half, in a
description or in a result, would have every later request of the conversation refused, or not even sent.
"""

from __future__ import annotations


def well_formed(text: str) -> str:
    """The text with U+FFFD in place of each half that has lost its other one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
