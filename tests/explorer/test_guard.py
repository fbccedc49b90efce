"""Only requests of this machine that know the token are served."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from baker_explorer.guard import Guard

TOKEN = "k3ep-out"
HOST = "127.0.0.1:8000"
COOKIE = f"baker-explorer-8000={TOKEN}"


async def inner(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


def ask(
    kind: str = "http", path: str = "/", query: str = "", **headers: str
) -> list[dict[str, Any]]:
    """What the guard sends for a request."""
    sent: list[dict[str, Any]] = []
    scope = {
        "type": kind,
        "path": path,
        "query_string": query.encode(),
        "headers": [(n.encode(), v.encode()) for n, v in headers.items()],
    }

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    asyncio.run(Guard(inner, 8000, TOKEN)(scope, receive, send))
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return int(sent[0]["status"])


def test_the_cookie_lets_in() -> None:
    for host in (HOST, "localhost:8000"):
        sent = ask(host=host, cookie=COOKIE)
        assert status(sent) == 200 and sent[1]["body"] == b"the page"
    policy = dict(sent[0]["headers"])[b"content-security-policy"].decode()
    assert "default-src 'self'" in policy and "http" not in policy


def test_the_token_becomes_a_cookie_and_leaves_the_address() -> None:
    sent = ask(query=f"a=b&token={TOKEN}", host=HOST)
    headers = dict(sent[0]["headers"])
    assert status(sent) == 303 and headers[b"location"] == b"/?a=b"
    cookie = headers[b"set-cookie"].decode()
    assert COOKIE in cookie
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie


@pytest.mark.parametrize("path", ["//evil.example/x", "///evil.example", "/\\evil"])
def test_the_token_leads_nowhere_else(path: str) -> None:
    headers = dict(ask(path=path, query=f"token={TOKEN}", host=HOST)[0]["headers"])
    assert headers[b"location"][:1] == b"/" and headers[b"location"][1:2] != b"/"


@pytest.mark.parametrize(
    "headers",
    [
        {"host": HOST},
        {"host": HOST, "cookie": "baker-explorer-8000=wrong"},
        {"host": HOST, "cookie": "baker-explorer-9000=" + TOKEN},
        {"host": "evil.example:8000", "cookie": COOKIE},
        {"host": "127.0.0.1", "cookie": COOKIE},
        {"cookie": COOKIE},
        {"host": HOST, "cookie": COOKIE, "origin": "http://evil.example"},
        {"host": HOST, "cookie": COOKIE, "origin": "null"},
        {"host": HOST, "cookie": COOKIE, "origin": "http://127.0.0.1:8001"},
    ],
)
def test_others_are_refused(headers: dict[str, str]) -> None:
    assert status(ask(path="/runs/0/page", **headers)) == 403
    closed = ask("websocket", **{"origin": "http://" + HOST, **headers})
    assert closed[0]["type"] == "websocket.close"


def test_a_web_socket_needs_an_origin() -> None:
    headers = {"host": HOST, "cookie": COOKIE}
    assert ask("websocket", **headers)[0]["type"] == "websocket.close"
    accepted = ask("websocket", origin="http://" + HOST, **headers)
    assert accepted[0]["type"] == "websocket.accept"


def test_a_wrong_token_gets_the_question() -> None:
    sent = ask(query="token=wrong", host=HOST)
    assert status(sent) == 403 and b"Which token?" in sent[1]["body"]
