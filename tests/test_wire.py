"""JSON on the wire: what odd text becomes, and what we write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_widget.protocol.wire import decode, encode

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
def test_what_is_written_is_one_line_and_reads_back_the_same(value: object) -> None:
    line = encode(value)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert decode(line) == value


@pytest.mark.parametrize(
    ("line", "value"),
    [
        (b'{"a": "\xff\xfe"}', {"a": "\ufffd\ufffd"}),
        (b'\xef\xbb\xbf{"a": 1}\r\n', {"a": 1}),
        (b'{"a": [NaN, -Infinity, 1e999, 1.5]}', {"a": ["NaN", "-Infinity", "1e999", 1.5]}),
        (rb'{"\ud83d\ude42": "\ud83d and \ude42"}', {"🙂": "\ufffd and \ufffd"}),
    ],
    ids=["invalid UTF-8", "byte order mark and CRLF", "numbers JSON does not have", "half surrogate pairs"],
)
def test_odd_text_costs_no_message_and_never_hurts_later(line: bytes, value: object) -> None:
    assert decode(line) == value
    json.dumps(decode(line), allow_nan=False, ensure_ascii=False).encode()


@pytest.mark.parametrize("line", [b"hello", b"{", b'{"a": 1} trailing', b"[" * 100_000, b"1" * 5_000])
def test_what_is_no_json_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any ValueError is the contract
        decode(line)


def test_half_a_surrogate_pair_of_ours_is_escaped_and_nan_refused() -> None:
    assert encode({"path": "caf\udce9"}) == b'{"path":"caf\\udce9"}\n'
    with pytest.raises(ValueError, match="not JSON compliant"):
        encode({"n": float("nan")})
