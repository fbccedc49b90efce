"""Serves the page on the loopback address."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import uvicorn
from fastapi import FastAPI, Response
from fastapi.responses import FileResponse, JSONResponse
from nicegui import ui

from baker_explorer.guard import Guard
from baker_explorer.session import Session
from baker_explorer.views.page import builder
from npftrace.errors import InputError

#: Most cycles whose contexts are told at once.
WINDOW_MAX = 4096


def listen(port: int) -> socket.socket:
    """A socket of the loopback address; port 0 takes any. OSError: it cannot be
    used."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        found.close()
        if isinstance(error, OverflowError):
            raise OSError(0, "there is no such port") from error
        raise
    return found


def make_app(session: Session) -> FastAPI:
    """The page and the files of its runs, unguarded."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)

    def run_page(number: int) -> Response:
        runs = session.runs.runs
        if not 0 <= number < len(runs) or not runs[number].page.exists():
            return Response("there is no such run\n", 404, media_type="text/plain")
        return FileResponse(runs[number].page, media_type="text/html")

    def contexts(number: int, engine: int, begin: int, end: int) -> Response:
        runs = session.runs.runs
        record = runs[number].record if 0 <= number < len(runs) else None
        if not record or not 0 <= begin < end:
            return Response("there is no such run\n", 404, media_type="text/plain")
        spans = record.spans(engine, begin, min(end, begin + WINDOW_MAX))
        return JSONResponse([asdict(span) for span in spans])

    def picture(name: str) -> Response:
        try:
            path = session.workspace.path(name)
        except InputError:
            path = Path()
        if path.suffix != ".svg" or not path.is_file():
            return Response("there is no such picture\n", 404, media_type="text/plain")
        return FileResponse(path, media_type="image/svg+xml")

    app.get("/runs/{number}/page")(run_page)
    app.get("/runs/{number}/contexts")(contexts)
    app.get("/pictures/{name:path}")(picture)
    ui.run_with(
        app,
        root=builder(session),
        title="baker-explorer",
        dark=None,
        language="en-US",
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        # A busy machine may not answer for a while; the page stays as it is.
        reconnect_timeout=120.0,
    )
    return app


def serve(
    session: Session, found: socket.socket, token: str, on_ready: Callable[[], None]
) -> None:
    """Serves until it is interrupted."""
    guard = Guard(make_app(session), found.getsockname()[1], token)
    config = uvicorn.Config(guard, log_level="warning", ws="websockets-sansio")
    server = uvicorn.Server(config)
    on_ready()
    server.run(sockets=[found])
