"""What a recording leaves out, and what it must not touch."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest

from acp_widget.recording.redaction import Redactor
from acp_widget.recording.secrets import hide

RANDOM = "0123456789abcdefghijABCDEFGHIJ"
JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
KEY = "MIIEpAIBAAKCAQEA75Yy0123456789abcdefghijklmnop"


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(home="/home/ada", user="ada")


# --- secrets in texts -------------------------------------------------------------------------------------------------

TOKENS = [
    f"sk-{RANDOM}KLMNOP12",
    f"sk-ant-api03-{RANDOM}_x-y",
    f"sk-proj-{RANDOM}-{RANDOM}",
    f"ghp_{RANDOM}012345",
    f"gho_{RANDOM}012345",
    f"github_pat_11ABCDEFG0{RANDOM}",
    f"glpat-{RANDOM[:20]}",
    "xoxb-123456789012-123456789012-abcDEF",
    "AKIAIOSFODNN7EXAMPLE",
    f"AIzaSyA-{RANDOM}x",
    "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
    f"npm_{RANDOM}012345",
    JWT,
]

AROUND = [
    "{}",
    "the token {} is here",
    "'{}'",
    '"{}",',
    "x={}",
    "`{}`",
    "\\n{}\\n",
    "\\\\n{}",
    "\\u003d{}\\u0026",
    "%3D{}&",
    "\x1b[32m{}\x1b[0m",
    "\x1b[m{}",
    "a\n{}\nb",
    "https://{}@github.com/x",
    "😀{}é",
]


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token[:8])
def test_a_token_is_known_by_its_shape_wherever_it_stands(token: str) -> None:
    for around in AROUND:
        told = hide(around.format(token))
        assert token[-12:] not in told
        assert token[4:16] not in told
        before, after = around.split("{}")
        assert told.startswith(before)
        assert told.endswith(after)


ASSIGNED = [
    ("export API_KEY=hunter2hunter", "hunter2hunter"),
    ("GITHUB_TOKEN=abcdef123456; git push", "abcdef123456"),
    ("TOKEN=secretsecret", "secretsecret"),
    ("MY_SECRET='s3cr3t value'", "s3cr3t value"),
    ("set API_TOKEN=abcd1234", "abcd1234"),
    ('$env:API_TOKEN = "abcd1234"', "abcd1234"),
    ('{"api_key": "abc"}', '"abc"'),
    ('{\\"api_key\\": \\"abcq\\"}', "abcq"),
    ('{\\\\\\"apiKey\\\\\\": \\\\\\"abcq\\\\\\"}', "abcq"),
    ("{'password': 'hunter2'}", "hunter2"),
    ('"password" : "p"', '"p"'),
    ("password: hunter2\n", "hunter2"),
    ('password = "hunter2"', "hunter2"),
    ('"password" => "hunter2"', "hunter2"),
    ('api_key: str = "abcd1234efgh"', "abcd1234efgh"),
    ("os.environ['OPENAI_API_KEY'] = 'abcdefghijklmnopqr'", "abcdefghijklmnopqr"),
    ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"),
    ("--password hunter2", "hunter2"),
    ("--api-key=abc123def456x", "abc123def456x"),
    ("x-api-key: abcd1234efgh", "abcd1234efgh"),
    ("//registry.npmjs.org/:_authToken=abcd1234-ef56", "abcd1234-ef56"),
    ("https://x.org/?api_key=abc123def456&y=1", "abc123def456"),
    ("Bearer abcdef0123456789", "abcdef0123456789"),
    ('curl -H "Authorization: Bearer abcdef0123456789" x', "abcdef0123456789"),
    ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
    ("Set-Cookie: session=abc123; Path=/", "abc123"),
    ("curl -u me:s3cret0 https://x", "s3cret0"),
    ("postgres://me:s3cret@db:5432/x", "s3cret"),
    ("redis://:p4ssw0rd@h", "p4ssw0rd"),
    ("machine github.com login me password hunter2abc", "hunter2abc"),
    ("<password>hunter2</password>", "hunter2"),
    ('{"password": "cut off he', "cut off he"),
]


@pytest.mark.parametrize(("text", "secret"), ASSIGNED, ids=[text[:30] for text, _ in ASSIGNED])
def test_a_value_is_hidden_for_the_name_it_stands_under(text: str, secret: str) -> None:
    told = hide(text)
    assert secret not in told
    assert "[redacted]" in told
    assert hide(told) == told


@pytest.mark.parametrize(
    "block",
    [
        f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n{KEY}\n-----END RSA PRIVATE KEY-----",
        f"-----BEGIN PRIVATE KEY-----\\n{KEY}\\n-----END PRIVATE KEY-----\\n",
        f"-----BEGIN OPENSSH PRIVATE KEY-----\n{KEY}\n{KEY[:20]}",
        f"-----BEGIN EC PRIVATE KEY-----\n{KEY}\n-----BEGIN EC PRIVATE KEY-----\n{KEY}\n-----END EC PRIVATE KEY-----",
        f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{KEY}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
    ],
    ids=["rsa", "in json", "cut off", "two", "pgp"],
)
def test_a_private_key_is_hidden_as_a_whole(block: str) -> None:
    told = hide(f"before\n{block}\nafter")
    assert KEY[:20] not in told
    assert told.startswith("before\n[redacted]")


PLAIN = [
    "token = tokenizer.next()",
    "for key in keys:",
    'key = "name"',
    "def login(user: str, password: str) -> Token:",
    "max_tokens=4096",
    '{"inputTokens": 123, "totalTokens": 5}',
    '{"key": "mode", "value": "ask"}',
    '"eos_token": "</s>"',
    "PRIMARY_KEY=id12345",
    "NEXT_TOKEN=abc12345",
    "API_KEY=$API_KEY",
    "API_KEY=<your key>",
    "password=${PASSWORD}",
    "API_KEY = os.environ['API_KEY']",
    'api_key=os.getenv("X")',
    "TOKEN = re.compile(r'[a-z]+')",
    'headers = {"Authorization": f"Bearer {token}"}',
    "token: Optional[str] = None",
    "token: uint64_t",
    "secret: string;",
    "password=user.password",
    'getpass("Enter password: ")\nconfirm("Repeat it: ")',
    "if token == 'identifier1':",
    "const token = await getToken(user1)",
    'if line.startswith("-----BEGIN RSA PRIVATE KEY-----"):\n    return True',
    "public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI'",
    "keyboard=qwertz12345678 monkey: banana12345678 bypass=cache123456",
    "Bearer authentication is used",
    "Basic understanding of a basic authentication scheme",
    "Authorization: read the docs",
    '"cookie": "^0.7.1"',
    "task-management-system-with-many-words-2",
    "sk-container-id-1 sk-estimator-doc-link",
    "hf_hub_download(repo_id)",
    "http://localhost:8888/lab/@x git@github.com:me/x.git",
    "commit 3f2c9a1e5b7d4c6f8091a2b3c4d5e6f708192a3b",
    "550e8400-e29b-41d4-a716-446655440000",
    "toolu_01A09q90qw90lq917835lq9 call_abc123DEF456ghi789 msg_01XFDUDYJgAACzvnptvVoYEL",
    "demo-000b8c4b8397 ses_4f1c2d3e4a5b6c7d8e9f",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c0b0f00a08",
]


@pytest.mark.parametrize("text", PLAIN, ids=[text[:30] for text in PLAIN])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert hide(text) == text


# --- messages ---------------------------------------------------------------------------------------------------------


def test_values_given_to_the_agent_are_hidden_wherever_they_are_told(redactor: Redactor) -> None:
    value = 'päss/w"rd\nwith a line'
    redactor.learn(
        {"UNRELATED": "unrelated-value", "MY_TOKEN": "from-the-kernel"}, {"PLAIN": value, "PATH": "/usr/bin"}
    )
    in_json = json.dumps({"a": json.dumps({"b": value})})
    told = redactor.message({"x": f"<{value}>", "json": in_json, value: 1, "list": ["from-the-kernel", "/usr/bin"]})
    assert told == {
        "x": "<[redacted]>",
        "json": json.dumps({"a": json.dumps({"b": "[redacted]"})}),
        "[redacted]": 1,
        "list": ["[redacted]", "/usr/bin"],
    }
    assert "p%C3%A4ss" not in redactor.text("https://x.org/?q=p%C3%A4ss%2Fw%22rd%0Awith%20a%20line")
    assert redactor.text("unrelated-value") == "unrelated-value"


def test_a_short_value_and_a_word_of_the_protocol_stay(redactor: Redactor) -> None:
    redactor.learn({}, {"LEVEL": "debug", "MODE": "end_turn", "OTHER": "session/update"})
    message = {"method": "session/update", "params": {"stopReason": "end_turn", "text": "debug"}}
    assert redactor.message(message) == message


def test_no_word_of_the_protocol_can_be_hidden(redactor: Redactor) -> None:
    """Without them a recording could not be played."""
    schema = json.loads((Path(__file__).parent / "schema" / "acp-v2.schema.json").read_text())
    words: set[str] = set()
    todo: list[Any] = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            words.update(name for name in part.get("properties", ()) if isinstance(part["properties"], dict))
            words.update(each for each in (part.get("const"), part.get("x-method")) if isinstance(each, str))
            words.update(each for each in part.get("enum", ()) if isinstance(each, str))
        todo += part.values() if isinstance(part, dict) else part if isinstance(part, list) else []
    words -= {"date-time"}
    assert len(words) > 200
    redactor.learn({}, {f"V{number}": word for number, word in enumerate(sorted(words))})
    message = [{word: word} for word in words]
    assert redactor.message(message) == message


def test_the_folder_that_the_agent_works_in_is_no_secret(redactor: Redactor) -> None:
    redactor.learn({}, {"PYTHONPATH": "/srv/project", "DATA": "/srv/secret-data"}, folder="/srv/project/sub")
    assert redactor.text("/srv/project/sub/x.py") == "/srv/project/sub/x.py"
    assert redactor.text("/srv/secret-data/x") == "[redacted]/x"


def test_what_servers_are_given_is_hidden_in_every_form(redactor: Redactor) -> None:
    servers = [
        {
            "type": "http",
            "name": "web",
            "url": "https://x.org",
            "headers": [{"name": "X-Plain", "value": "Bearer zzzz-yyyy"}],
        },
        {"type": "stdio", "name": "local", "command": "run", "env": [{"name": "LEVEL", "value": "low"}]},
    ]
    redactor.learn({}, {}, servers)
    told = redactor.message({"mcpServers": servers, "text": "zzzz-yyyy", "env": {"A": "b"}})
    assert [server.get("headers") or server.get("env") for server in told["mcpServers"]] == [
        [{"name": "X-Plain", "value": "[redacted]"}],
        [{"name": "LEVEL", "value": "[redacted]"}],
    ]
    assert told["text"] == "[redacted]"
    assert told["env"] == {"A": "[redacted]"}


def test_a_field_is_hidden_for_its_name(redactor: Redactor) -> None:
    message = {
        "apiKey": "abc",
        "nested": [{"client_secret": "abc", "progressToken": "abc", "tokens": 12, "token": None}],
        "credentials": {"user": "u", "n": 1},
        "secrets": ["a", ""],
        "command": ["run", "--api-key", "abc", "--verbose", "abc"],
        "variable": {"name": "API_TOKEN", "value": "abc"},
    }
    assert redactor.message(message) == {
        "apiKey": "[redacted]",
        "nested": [{"client_secret": "[redacted]", "progressToken": "abc", "tokens": 12, "token": None}],
        "credentials": {"user": "[redacted]", "n": 1},
        "secrets": ["[redacted]", ""],
        "command": ["run", "--api-key", "[redacted]", "--verbose", "abc"],
        "variable": {"name": "API_TOKEN", "value": "[redacted]"},
    }


def test_the_output_of_terminals_is_looked_into_and_stays_whole(redactor: Redactor) -> None:
    def seen(output: bytes) -> bytes:
        data = base64.b64encode(output).decode()
        chunk = {"sessionUpdate": "terminal_output_chunk", "terminalId": "1", "data": data}
        whole = {"sessionUpdate": "terminal_update", "terminalId": "1", "output": {"data": data}}
        told = redactor.message(chunk)["data"]
        assert redactor.message(whole) == {**whole, "output": {"data": told}}
        return base64.b64decode(told)

    assert seen(b"\x1b[1mGH_TOKEN=ghp_" + RANDOM.encode() + b"\x1b[0m \xff\xfe\r\n") == (
        b"\x1b[1mGH_TOKEN=[redacted]\x1b[0m \xff\xfe\r\n"
    )
    assert seen(b"\xf0\x9f half \x80\x00") == b"\xf0\x9f half \x80\x00"
    assert redactor.message({"sessionUpdate": "terminal_output_chunk", "data": "no base64: /home/ada"}) == {
        "sessionUpdate": "terminal_output_chunk",
        "data": "no base64: ~",
    }


def test_pictures_stay_as_they_are(redactor: Redactor) -> None:
    data = base64.b64encode(bytes(range(256)) * 40).decode() + "AIza" + "A" * 36
    for block in (
        {"type": "image", "data": data, "mimeType": "image/png"},
        {"type": "audio", "data": data, "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///x", "blob": data}},
    ):
        assert redactor.message(block) == block
    assert redactor.message({"type": "image", "data": "API_KEY=abc123, no picture"})["data"] == (
        "API_KEY=[redacted], no picture"
    )


def test_ids_that_hold_a_secret_stay_apart_and_are_the_same_everywhere(redactor: Redactor) -> None:
    one, two = TOKENS[3], TOKENS[4]
    told = redactor.message([{"toolCallId": one}, {"toolCallId": two}, {"id": one, "toolCallId": "/home/ada/x"}])
    assert told[0]["toolCallId"] != told[1]["toolCallId"]
    assert told[2] == {"id": told[0]["toolCallId"], "toolCallId": "~/x"}
    assert one not in json.dumps(told)
    assert redactor.message({one: 1, two: 2}) == {"[redacted]": 1, "[redacted] 2": 2}


def test_what_has_nothing_to_hide_is_equal_and_nothing_is_changed_in_place(redactor: Redactor) -> None:
    message: dict[str, Any] = {"a": [1, 2.5, None, True, "x", {"y": "ä\x00\ud800"}], "n": 10**400, "": {}}
    assert redactor.message(message) == message
    secret = {"a": {"password": "abc"}}
    redactor.message(secret)
    assert secret == {"a": {"password": "abc"}}


# --- folders ----------------------------------------------------------------------------------------------------------

PATHS = [
    ("/home/ada", "~"),
    ("/home/ada/p/x.py", "~/p/x.py"),
    ("in /home/ada.", "in ~."),
    ("-I/home/ada/include:/home/ada/lib", "-I~/include:~/lib"),
    ("file:///home/ada/x", "file://~/x"),
    ("\\/home\\/ada\\/x", "~\\/x"),
    ("%2Fhome%2Fada%2Fx", "~%2Fx"),
    ("/mnt/backup/home/ada/x", "/mnt/backup~/x"),
    (".claude/projects/-home-ada-proj/1.jsonl", ".claude/projects/~-proj/1.jsonl"),
    ("C:\\Users\\Ada\\x", "~\\x"),
    ("C:\\\\Users\\\\Ada Lovelace\\\\x", "~\\\\x"),
    ("c:/Users/ada", "~"),
    ("/mnt/c/Users/ada/x", "~/x"),
    ("/scratch/ada/x", "/scratch/[user]/x"),
    ("/home/adam/x /home/ada-old /home/ada.bak", "/home/adam/x /home/ada-old /home/ada.bak"),
    ("C:\\Users\\Public\\x /Users/shared", "C:\\Users\\Public\\x /Users/shared"),
    ("ada wrote ada.py", "ada wrote ada.py"),
]


@pytest.mark.parametrize(("text", "told"), PATHS, ids=[text for text, _ in PATHS])
def test_home_folders_and_the_name_in_paths(redactor: Redactor, text: str, told: str) -> None:
    assert redactor.text(text) == told


@pytest.mark.parametrize(
    ("home", "user", "text", "told"),
    [
        ("/root", "root", "/root/x /rootfs a.org/root root-of -root-p", "~/x /rootfs a.org/root root-of ~p"),
        ("/", "root", "/x /", "/x /"),
        ("/home/user", "user", "/home/user/x src/user/y", "~/x src/user/y"),
        ("/home/jö.e", "jö.e", "/home/j%C3%B6.e/x /home/jö.e/x -home-j--e-proj", "~/x ~/x ~-proj"),
        ("C:\\Users\\ada", "ada", "c:\\Users\\ada\\x D:\\data\\ada\\y", "~\\x D:\\data\\[user]\\y"),
    ],
)  # fmt: skip
def test_homes_of_other_shapes(home: str, user: str, text: str, told: str) -> None:
    assert Redactor(home=home, user=user).text(text) == told


def test_the_home_of_this_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/grace")
    monkeypatch.setenv("LOGNAME", "grace")
    assert Redactor().text("/home/grace/x /data/grace/y") == "~/x /data/[user]/y"


# --- its cost ---------------------------------------------------------------------------------------------------------

HOSTILE = [
    *("a", "\\", '"', "key=", "password=", '"password": "', "api_key='", '\\"api_key\\": \\"', "api_key: str = "),
    *("sk-", "eyJ.", " .eyJ", "x.eyJ ", "Bearer a", "-----BEGIN PRIVATE KEY-----", "://a:b", "-u a:", "--token a"),
    *("Authorization: ", "Cookie: a=", "<token>", "/home/ad", "C:\\Users\\", "-home-ada-", "token-", "[a\\"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_long(redactor: Redactor, piece: str) -> None:
    text = (piece * (200_000 // len(piece) + 1))[:200_000]
    began = time.process_time()
    redactor.text(text)
    assert time.process_time() - began < 2  # those that looked far ahead again and again took 5 s and more


def test_a_megabyte_of_words_costs_little(redactor: Redactor) -> None:
    text = "The password is kept as a token, with its key.\n" * 22_000
    began = time.process_time()
    assert redactor.text(text) == text
    assert time.process_time() - began < 3
