"""Addresses, as a program may read them."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote, urlsplit


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Host and path of an address, in each way that a program may read it."""
    text = re.sub(r"[\s\x00-\x1f]", "", text)
    for way in (text.replace("\\", "/"), text):
        way = way if "://" in way else f"https://{way.lstrip('/')}"
        for _ in range(3):
            way = unquote(way)
        try:
            parts = urlsplit(way)
            host = parts.hostname or ""
        except ValueError:
            continue
        path = posixpath.normpath("/" + parts.path.lstrip("/")) if parts.path else ""
        yield _one_name(host), path + (f"?{parts.query}" if parts.query else "")


def address_of(text: str) -> tuple[str, str, str] | None:
    """Scheme, host with port, and path; None for what can be read in two ways."""
    if re.search(r"[\s\\@\x00-\x1f]|%2e|%2f|/\.\.?(/|$)|[^\x20-\x7e]", text, re.IGNORECASE):
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port  # of a host that ends in no number, it raises
    except ValueError:
        return None
    if "%" in parts.netloc:
        return None
    return parts.scheme.lower(), parts.netloc.lower(), (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _one_name(host: str) -> str:
    """A host in letters, whether it was written in them or as `xn--…`."""
    labels = unicodedata.normalize("NFKC", host.replace("\u3002", ".")).rstrip(".").split(".")
    for at, label in enumerate(labels):
        if label.casefold().startswith("xn--"):
            try:
                labels[at] = label[4:].encode("ascii").decode("punycode")
            except UnicodeError:
                continue
    return ".".join(labels)
