"""Secrets in running text: tokens by their shape, and what is assigned to a name that says so.

Every pattern costs time in proportion to the text: none is tried where its trigger does not stand, no run of
characters is looked at more than a bounded number of times.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable
from typing import Final

from .secret_names import is_password, is_secret

HIDDEN: Final = "[redacted]"

Match = re.Match[str]
Rule = tuple[str, "re.Pattern[str]", "str | Callable[[Match], str]"]

# Where a token may begin: behind no letter or digit, but behind an escaped character or a colour, too.
_HERE: Final = (
    r"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=[0-9;\[]m)|(?<=%[0-9A-Fa-f][0-9A-Fa-f])|(?<=\\u00[0-9A-Fa-f][0-9A-Fa-f]))"
)


def hide(text: str) -> str:
    """The text with `[redacted]` in the place of what looks like a secret.

    >>> hide("export GH_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345; git push")
    'export GH_TOKEN=[redacted]; git push'
    >>> hide("token = tokenizer.next()  # 3f2c9a1e5b7d4c6f8091a2b3c4d5e6f708192a3b")
    'token = tokenizer.next()  # 3f2c9a1e5b7d4c6f8091a2b3c4d5e6f708192a3b'
    """
    for trigger, pattern, put in _SHAPES:
        if trigger in text:
            text = pattern.sub(put, text)
    if "PRIVATE KEY" in text:
        text = _without_keys(text)
    if ".eyJ" in text:
        text = _without_jwts(text)
    if ("=" in text or ":" in text or "--" in text) and _NAMED.search(text):
        text = _without_assigned(text)
        text = _FLAG.sub(_flag, text)
    return text


def is_value(name: str, value: str) -> bool:
    """Whether a text under a name that `is_secret` is one; `{"cookie": "^0.7.1"}` is a version."""
    return not name.lower().endswith("cookie") or _COOKIE.match(value) is not None


# --- tokens by their shape -------------------------------------------------------------------------------------------


def _openai(found: Match) -> str:
    """Names with hyphens look alike, but have no long run of letters and digits."""
    word = found[0]
    runs = [run for run in re.split("[_-]", word) if len(run) >= 12 and re.search("[0-9]", run)]
    return HIDDEN if runs or len(word) >= 40 else word


def _bearer(found: Match) -> str:
    token = found[2].rstrip(".,")
    opaque = len(token) >= 8 and (re.search("[0-9]", token) is not None or len(token) >= 24)
    return f"{found[1]}{HIDDEN}{found[2][len(token) :]}" if opaque else found[0]


def _basic(found: Match) -> str:
    try:
        told = base64.b64decode(found[2], validate=True)
    except (binascii.Error, ValueError):
        return found[0]
    return f"{found[1]}{HIDDEN}" if b":" in told and told.isascii() else found[0]


def _login(found: Match) -> str:
    """`user:password@` of a URL, where it is no template."""
    return found[0] if _is_placeholder(found[2]) else f"{found[1]}{HIDDEN}@"


def _of_curl(found: Match) -> str:
    return found[0] if _is_placeholder(found[2]) else f"{found[1]}{HIDDEN}"


def _element(found: Match) -> str:
    """`<password>…</password>`"""
    secret = is_secret(found[2]) and _is_quoted_secret(found[2], found[3], is_json=False)
    return f"{found[1]}{HIDDEN}" if secret else found[0]


def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_BEARER: Final = _shape(r"([Bb]earer(?:\s{1,8}|%20))([A-Za-z0-9._~+/=-]{8,})")
_BASIC: Final = _shape(r"([Bb]asic(?:\s{1,8}|%20))([A-Za-z0-9+/]{6,}={0,2})")
_AWS: Final = _shape(rf"{_HERE}(?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9])")

_SHAPES: Final[tuple[Rule, ...]] = (
    ("sk-ant-", _shape(r"sk-ant-[A-Za-z0-9_-]{12,}"), HIDDEN),
    ("sk-", _shape(rf"{_HERE}sk-(?=[A-Za-z_-]{{0,40}}[0-9])[A-Za-z0-9_-]{{16,}}"), _openai),
    ("gh", _shape(r"gh[pousr]_[A-Za-z0-9]{20,}"), HIDDEN),
    ("github_pat_", _shape(r"github_pat_[A-Za-z0-9_]{20,}"), HIDDEN),
    ("gl", _shape(r"gl(?:pat|dt|rt|ptt|ft|soat|cbt)-[A-Za-z0-9_.-]{16,}"), HIDDEN),
    ("xox", _shape(r"xox[a-z]-[A-Za-z0-9-]{10,}"), HIDDEN),
    ("xapp-", _shape(r"xapp-[A-Za-z0-9-]{10,}"), HIDDEN),
    ("AKIA", _AWS, HIDDEN),
    ("ASIA", _AWS, HIDDEN),
    ("AIza", _shape(rf"{_HERE}AIza[A-Za-z0-9_-]{{35}}(?![A-Za-z0-9])"), HIDDEN),
    ("ya29.", _shape(r"ya29\.[A-Za-z0-9_-]{20,}"), HIDDEN),
    ("hf_", _shape(rf"{_HERE}hf_[A-Za-z0-9]{{20,}}"), HIDDEN),
    ("gsk_", _shape(rf"{_HERE}gsk_[A-Za-z0-9]{{20,}}"), HIDDEN),
    ("xai-", _shape(rf"{_HERE}xai-[A-Za-z0-9]{{20,}}"), HIDDEN),
    ("npm_", _shape(rf"{_HERE}npm_[A-Za-z0-9]{{30,}}"), HIDDEN),
    ("pypi-", _shape(r"pypi-AgE[A-Za-z0-9_-]{30,}"), HIDDEN),
    ("k_live_", _shape(r"[sr]k_live_[A-Za-z0-9]{16,}"), HIDDEN),
    ("k_test_", _shape(r"[sr]k_test_[A-Za-z0-9]{16,}"), HIDDEN),
    ("SG.", _shape(rf"{_HERE}SG\.[A-Za-z0-9_-]{{20,24}}\.[A-Za-z0-9_-]{{40,}}"), HIDDEN),
    ("earer", _BEARER, _bearer),
    ("asic", _BASIC, _basic),
    (" -u", _shape(r"( -u[ =]?[\"']?[^\s:\"'/]{1,64}:)([^\s\"']{1,256})"), _of_curl),
    ("--user", _shape(r"(--user[ =][\"']?[^\s:\"'/]{1,64}:)([^\s\"']{1,256})"), _of_curl),
    ("password", _shape(r"(\blogin[ \t]{1,8}\S{1,200}\s{1,8}password[ \t]{1,8})(\S{1,512})"), _of_curl),
    ("</", _shape(r"(<([A-Za-z0-9_-]{3,80})>)([^<>\s]{4,4096})(?=</\2>)"), _element),
    ("://", _shape(r"(://[^\s/:@\"'<>]{0,256}:)([^\s/@\"'<>]{1,512})@"), _login),
)
"""What must stand in the text, the pattern, and what is put in its place."""

_KEY_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_WHOLE: Final = re.compile(r"[A-Za-z0-9+/=\s:,.\\\"'()_-]*")
_KEY_CUT: Final = re.compile(r"[A-Za-z0-9+/=\s\\]*")
_KEY_LENGTH: Final = 20_000  # characters


def _without_keys(text: str) -> str:
    """Blocks with a private key, also one whose end is missing."""
    kept, done = [], 0
    for begin in _KEY_BEGIN.finditer(text):
        if begin.start() < done:
            continue
        far = begin.end() + _KEY_LENGTH
        following = _KEY_BEGIN.search(text, begin.end(), far)
        end = _KEY_END.search(text, begin.end(), far if following is None else following.start())
        if end is not None and _KEY_WHOLE.fullmatch(text, begin.end(), end.start()):
            over = end.end()
        else:
            cut = _KEY_CUT.match(text, begin.end())
            over = cut.end() if cut is not None else begin.end()
            if len("".join(text[begin.end() : over].split())) < 32:
                continue  # the marker alone, in code that looks for it
        kept += [text[done : begin.start()], HIDDEN]
        done = over
    return "".join([*kept, text[done:]])


_JOINT: Final = re.compile(r"\.(?<=[A-Za-z0-9_-]{16}\.)eyJ")
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]*")
_TOKENS: Final = re.compile(r"[A-Za-z0-9_.-]*")


def _without_jwts(text: str) -> str:
    """Three parts with points between; the second begins as the first does, with an object."""
    kept, done = [], 0
    for joint in _JOINT.finditer(text):
        at = joint.start()
        if at < done:
            continue
        begin = text.find("eyJ", _run_before(text, at), at)
        if begin < 0:
            continue
        end = _TOKENS.match(text, at)
        kept += [text[done:begin], HIDDEN]
        done = end.end() if end is not None else at
    return "".join([*kept, text[done:]])


def _run_before(text: str, at: int) -> int:
    """Where the letters and digits begin that end at `at`."""
    for width in (256, 65_536):
        found = _TOKEN.match(text[max(0, at - width) : at][::-1])
        length = found.end() if found is not None else 0
        if length < width:
            return at - length
    return at - 65_536


# --- what is assigned to a name --------------------------------------------------------------------------------------

_NAMED: Final = re.compile(r"pass|pwd|secret|token|key|creden|authori|cookie|creds|kennwort|_pat|_auth", re.IGNORECASE)
_ASSIGN: Final = re.compile(
    r"(?<![A-Za-z0-9_-])([A-Za-z0-9_-]{3,80})(\\{0,15}[\"'`])?(\]?[ \t]{0,8})(=>|:=|:(?!:)|=(?!=))([ \t]{0,8})"
)
_QUOTE: Final = re.compile(r"(?:[fbruFBRU]{0,2})(\\{0,15}[\"'`])")
_TYPED: Final = re.compile(r"[ \t|\]A-Za-z0-9_.]{0,60}=[ \t]{0,8}[fbruFBRU]{0,2}(\\{0,15}[\"'`])")
_BARE: Final = re.compile(r"[^\s\"'`,;&|<>(){}\[\]\\]{1,256}")
_REST: Final = re.compile(r"[^\s\"'`,;&|<>(){}\[\]\\]*")
_FAR: Final = 8_192  # characters after which a quotation mark is not looked for any more
_LINE: Final = re.compile(r"[^\r\n\"'\\]{1,8192}")
_CREDENTIALS: Final = re.compile(r"[A-Za-z0-9._~+/=-]{4,256}")
_COOKIE: Final = re.compile(r"\s*[A-Za-z0-9._-]{1,80}=[^\s{$<%;]")
_SCHEME: Final = re.compile(r"(?:Bearer|Basic|Token|Digest|Negotiate|ApiKey)(?:\s{1,4}|%20)", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(
    r"<[^>]{0,200}>|\$.{0,200}|%.{0,40}|\{.{0,200}|:?\*+|x{3,}|X{3,}|\.{2,}|…+|_+|\[redacted\].{0,200}", re.DOTALL
)
_NOTHING: Final = frozenset(
    """
    null none true false undefined nil str string bytes int float bool any object optional required secret token
    password changeme example placeholder redacted
    """.split()  # noqa: SIM905
)


def _is_placeholder(value: str) -> bool:
    """What stands for a secret, and is none."""
    if value[:1].isalnum() and value[:1] not in "xX":
        word = value.lower() if len(value) < 100 else ""
        return word in _NOTHING or word.startswith(("your-", "your_"))
    return _PLACEHOLDER.fullmatch(value) is not None


_DOTTED: Final = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_TYPE: Final = re.compile(r"u?int\d+(?:_t)?|float\d+|[a-z]+\d{0,3}_t|sha\d+|utf-?\d+|base\d+|md5|v\d+", re.IGNORECASE)
_FLAG: Final = re.compile(r"(?<!\S)(--?[A-Za-z][A-Za-z0-9-]{2,40})([ \t]{1,4}[\"']?)([^\s\"'-][^\s\"']{5,4096})")


def _without_assigned(text: str) -> str:
    kept, done = [], 0
    for found in _ASSIGN.finditer(text):
        if found.start() < done or not is_secret(found[1]):
            continue
        begin, end = _value(text, found)
        if begin < end:
            kept += [text[done:begin], HIDDEN]
            done = end
    return "".join([*kept, text[done:]]) if kept else text


def _value(text: str, found: Match) -> tuple[int, int]:
    """Where the value that is to be hidden begins and ends; twice the same where there is none."""
    name, mark, _, sign, gap = found.groups()
    at = found.end()
    quote = _QUOTE.match(text, at)
    if quote is not None:
        begin = quote.end()
        end = text.find(quote[1], begin, begin + _FAR)
        if end < 0 and len(text) - begin <= _FAR:  # cut off
            end = len(text)
        if end < 0 or "\n" in text[begin:end]:  # it is the end of a text, as in `"Password: "`
            return begin, begin
        is_json = mark is not None and sign in (":", "=>") and text.endswith(mark, 0, found.start())
        return (begin, end) if _is_quoted_secret(name, text[begin:end], is_json) else (begin, begin)
    if name.lower().endswith("authorization") and sign == ":":
        return _header(text, at)
    if name.lower().endswith("cookie"):
        line = _LINE.match(text, at) if sign == ":" and _COOKIE.match(text, at) else None
        return (at, line.end()) if line is not None else (at, at)
    bare = _BARE.match(text, at)
    if bare is None:
        return at, at
    value, end = bare[0], bare.end()
    typed = _TYPED.match(text, end) if sign == ":" else None
    if typed is not None:  # `api_key: str = "…"`
        begin = typed.end()
        far = text.find(typed[1], begin, begin + _FAR)
        return (begin, far) if far >= 0 and _is_quoted_secret(name, text[begin:far], False) else (at, at)
    if sign == "=" and _login_in_a_url(value):
        return at, at
    if text[end : end + 1] in ("(", "[", "{") or not _is_bare_secret(name, value, sign, tight=not gap and not found[3]):
        return at, at
    rest = _REST.match(text, end)
    return at, rest.end() if rest is not None else end


def _header(text: str, at: int) -> tuple[int, int]:
    """The rest of a line `Authorization: Basic abcd`."""
    scheme = _SCHEME.match(text, at)
    begin = scheme.end() if scheme is not None else at
    first = _CREDENTIALS.match(text, begin)
    if first is None or _is_placeholder(first[0]) or (scheme is None and not re.search(r"[0-9=]", first[0])):
        return at, at
    line = _LINE.match(text, begin)
    return begin, line.end() if line is not None else begin


def _is_quoted_secret(name: str, value: str, is_json: bool) -> bool:
    value = _SCHEME.sub("", value, count=1)
    if not value or _is_placeholder(value):
        return False
    if name.lower().endswith("cookie"):
        return _COOKIE.match(value) is not None
    if is_json:
        return True
    if " " in value and "phrase" not in name.lower():
        return re.search("[0-9]", value) is not None and len(value) < 200
    if is_password(name):
        return len(value) >= 3
    return len(value) >= 16 or (len(value) >= 8 and re.search("[0-9]", value) is not None)


def _is_bare_secret(name: str, value: str, sign: str, *, tight: bool) -> bool:
    value = value.rstrip(".,")
    if _is_placeholder(value) or _TYPE.fullmatch(value):
        return False
    digits = re.search("[0-9]", value) is not None
    if name.isupper() or (name[:1] == "n" and name[1:].isupper()):  # `\nAPI_KEY=` of a text in a text
        if not tight and sign == "=":
            return len(value) >= 20 and digits and re.search("[a-z]", value) is not None
        if value.isdigit():
            return len(value) >= 6
        return len(value) >= 4 and (digits or (sign == "=" and not _DOTTED.fullmatch(value)))
    if sign in ("=", ":=", "=>") and not tight:  # code, where this is a name, or the line of a settings file
        return len(value) >= 20 and all(re.search(kind, value) for kind in ("[0-9]", "[a-z]", "[A-Z]"))
    if is_password(name):
        return len(value) >= 6 and digits and name.lower() not in value.lower()
    return len(value) >= 12 and digits and not re.fullmatch(r"[A-Za-z_]+[0-9]{0,2}", value)


def _login_in_a_url(value: str) -> bool:
    return value.startswith(("http://", "https://"))


def _flag(found: Match) -> str:
    """`--token abc123`, which has no sign between."""
    flag, gap, value = found.groups()
    hidden = is_secret(flag.lstrip("-")) and re.search("[0-9]", value) and not _is_placeholder(value)
    return f"{flag}{gap}{HIDDEN}" if hidden else found[0]
