"""Lets in only requests of this machine that know the token.

Any page that a browser shows can send requests to the loopback address. So each
request, and each WebSocket, must

  - name the server as its host (another name that leads to the loopback address
    would let that name's owner read the answers);
  - come from the server's own pages, if it says where it comes from;
  - know the token, which the start prints: once in the address, then in a cookie
    that scripts cannot read and that no other page sends.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qsl, urlencode

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Everything comes from the server itself. NiceGUI's pages have scripts and styles
#: of their own in the text, and compile their templates.
_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self' data:; connect-src 'self' {sockets}; object-src 'none'; "
    "base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)

_ASK = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>baker-explorer: token</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 34em;
margin: 15vh auto; padding: 0 20px } input, button { font: inherit; padding: 4px 10px }
</style></head><body><main><h1>Which token?</h1>
<p>baker-explorer printed an address with a token when it was started. Open that
address, or enter the token here.</p>
<form action="/"><label>Token <input name="token" autocomplete="off" autofocus></label>
<button>Open</button></form></main></body></html>
"""


class Guard:
    """Wraps an application."""

    def __init__(self, app: App, port: int, token: str) -> None:
        self.app = app
        self.token = token
        self.hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost")}
        self.origins = {f"http://{host}" for host in self.hosts}
        self.cookie = f"baker-explorer-{port}"
        self.policy = _POLICY.format(
            sockets=" ".join(sorted(f"ws://{host}" for host in self.hosts))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value for name, value in scope["headers"]}
        problem = self.refusal(
            scope["type"],
            headers.get(b"host", b"").decode("latin-1"),
            headers.get(b"origin", b"").decode("latin-1"),
        )
        if problem:
            await self._refuse(scope, send, problem)
            return
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"))
        given = dict(query).get("token", "")
        if scope["type"] == "http" and given and self._is_token(given):
            await self._welcome(scope, send, query)
        elif self._has_cookie(headers.get(b"cookie", b"").decode("latin-1")):
            await self.app(scope, receive, self._with_policy(send))
        elif scope["type"] == "http" and scope["path"] == "/":
            await _answer(send, 403, _ASK, "text/html; charset=utf-8")
        else:
            await self._refuse(scope, send, "the token is missing")

    def refusal(self, kind: str, host: str, origin: str) -> str:
        """Why a request is not the server's own, or an empty text."""
        if host not in self.hosts:
            return f"this server is not '{host}'"
        if origin and origin not in self.origins:
            return f"requests from '{origin}' are not served"
        # Every browser says where a WebSocket is opened from.
        if kind == "websocket" and not origin:
            return "a WebSocket needs an origin"
        return ""

    def _is_token(self, given: str) -> bool:
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _has_cookie(self, text: str) -> bool:
        try:
            found = SimpleCookie(text).get(self.cookie)
        except CookieError:
            return False
        return found is not None and self._is_token(found.value)

    async def _welcome(
        self, scope: Scope, send: Send, query: list[tuple[str, str]]
    ) -> None:
        """Stores the token in the browser and takes it out of the address."""
        rest = urlencode([pair for pair in query if pair[0] != "token"])
        path = "/" + scope["path"].lstrip("/")
        where = path + ("?" + rest if rest else "")
        cookie = f"{self.cookie}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(
            send, 303, "", "text/plain", [("location", where), ("set-cookie", cookie)]
        )

    async def _refuse(self, scope: Scope, send: Send, problem: str) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4403, "reason": problem})
        else:
            await _answer(send, 403, problem + "\n", "text/plain; charset=utf-8")

    def _with_policy(self, send: Send) -> Send:
        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", [])]}
                message["headers"] += [
                    (b"content-security-policy", self.policy.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                ]
            await send(message)

        return sending


async def _answer(
    send: Send,
    status: int,
    text: str,
    kind: str,
    headers: list[tuple[str, str]] | None = None,
) -> None:
    body = text.encode()
    pairs = [
        ("content-type", kind),
        ("content-length", str(len(body))),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        *(headers or []),
    ]
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(n.encode("latin-1"), v.encode("latin-1")) for n, v in pairs],
        }
    )
    await send({"type": "http.response.body", "body": body})
