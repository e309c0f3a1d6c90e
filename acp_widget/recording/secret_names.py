"""Whether a name is that of a secret: `apiKey`, `DB_PASSWORD`, `--auth-token`, and not `maxTokens` or `primary_key`."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LONGEST: Final = 80  # characters of a name

_ALWAYS: Final = frozenset(
    {
        *("password", "passwd", "passphrase", "passcode", "secret", "secrets", "credential", "credentials", "creds"),
        *("apikey", "authtoken", "accesstoken", "apitoken", "secretkey", "accesskey", "privatekey", "authorization"),
        *("passwort", "motdepasse", "kennwort"),
    }
)
_WHOLE: Final = frozenset({"cookie", "setcookie", "pgpassword", "mysqlpwd", "bearer"})
_BEHIND: Final = frozenset({"value", "text", "string", "plain", "raw", "base", "hash", "bytes"})
"""Words that may stand behind: `password_hash`."""
_KEYS: Final = frozenset(
    {
        *("api", "access", "secret", "private", "auth", "encryption", "signing", "ssh", "account", "master", "service"),
        *("license", "deploy", "client", "app", "admin", "session", "storage", "subscription", "shared"),
    }
)
_NO_TOKENS: Final = frozenset(
    {
        *("progress", "page", "next", "previous", "continuation", "cancel", "cancellation", "stop", "start", "end"),
        *("eos", "bos", "pad", "unk", "mask", "sep", "cls", "special", "per", "max", "min", "first", "last", "current"),
        *("lex", "lookahead", "image", "num", "new", "by", "each", "every", "sync", "a", "the", "one", "of"),
    }
)
_NO_KEYS: Final = frozenset(
    {
        *("primary", "foreign", "public", "sort", "partition", "cache", "index", "unique", "group", "hash", "lookup"),
        *("dict", "map", "shift", "ctrl", "control", "alt", "meta", "object", "foreign", "row", "registry", "hot"),
    }
)
_FORGES: Final = frozenset({"git", "github", "gh", "gitlab", "gl", "azure", "devops", "bitbucket", "gitea", "forgejo"})


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    """Whether what stands under this name is to be hidden.

    >>> [is_secret(name) for name in ("api_key", "githubToken", "DB_PASS", "X-Api-Key", "STRIPE_KEY")]
    [True, True, True, True, True]
    >>> [is_secret(name) for name in ("key", "tokens", "maxTokens", "progressToken", "PWD", "primaryKey")]
    [False, False, False, False, False, False]
    """
    if len(name) > _LONGEST:
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1] in _BEHIND:
        words.pop()
    if not words:
        return False
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in _ALWAYS or "".join(words) in _WHOLE:
        return True
    if last == "token":
        return before not in _NO_TOKENS
    loud = name.isupper()
    if last == "key":
        return before in _KEYS or (loud and before != "" and before not in _NO_KEYS)
    if last == "pat":
        return before in _FORGES
    return loud and before not in ("", "old") and last in ("pass", "pwd", "auth")


@lru_cache(maxsize=4096)
def is_password(name: str) -> bool:
    """Whether it is one that people think of, which may be short and simple."""
    return "pass" in name.lower() or "pwd" in name.lower()
