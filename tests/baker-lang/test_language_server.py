"""baker-lsp, as a client of the Language Server Protocol meets it."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from testkit.paths import BUILD, ROOT
from testkit.tools import requires

pytestmark = [requires("baker-lsp"), pytest.mark.asyncio]

SOURCE = """\
import net.ether;
import net.ipv4;

// Counts what it sees.
// It drops all of it.
module m {
  struct hop { u32 packets; u16 port; };
  const u32 SLOTS = 4;
  @place(scratch) u32 count[SLOTS];
  hop hops[4];
  metadata { u16 colour; }
  drop_reason odd, even;
  u32 add(u32 amount, u8 by) { count[1] += amount; return count[1] + by; }
  ppf p { in ether_pkt * in_cc; out ipv4_pkt * ip_cc; }
  ppf q { in ipv4_pkt * in_cc; }
  wiring { rx -> p.in_cc; p.ip_cc -> q.in_cc; }
  p.ppf(ether_pkt * ph) {
    ph->type = add(2, 3) + hops[0].port;
    ph->metadata.colour = ph->metadata.rx.port;
    ipv4_pkt * iph = packet_decap(ph);
    channel_put(ip_cc, iph);
  }
  q.ppf(ipv4_pkt * iph) {
    if (iph->ttl == 0)
      packet_drop(iph, odd);
    else
      packet_drop(iph, even);
  }
}
"""


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[str(BUILD / "bin/baker-lsp")])
)
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    await lsp_client.initialize_session(
        lsp.InitializeParams(
            capabilities=client_capabilities("visual-studio-code"),
            root_uri=ROOT.as_uri(),
        )
    )
    yield
    await lsp_client.shutdown_session()


class Editor:
    """A file that is open in the client."""

    def __init__(self, client: LanguageClient, path: Path, text: str) -> None:
        self.client = client
        self.uri = path.as_uri()
        self.text = text
        self.version = 1
        path.write_text(text)
        client.text_document_did_open(
            lsp.DidOpenTextDocumentParams(
                lsp.TextDocumentItem(self.uri, "baker", self.version, text)
            )
        )

    async def change(self, text: str) -> None:
        self.text = text
        self.version += 1
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(self.version, self.uri),
                [lsp.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    @property
    def identifier(self) -> lsp.TextDocumentIdentifier:
        return lsp.TextDocumentIdentifier(self.uri)

    def at(self, before: str, nth: int = 0) -> lsp.Position:
        """The place just after the nth occurrence of some text."""
        places = [m.end() for m in re.finditer(re.escape(before), self.text)]
        head = self.text[: places[nth]]
        return lsp.Position(head.count("\n"), len(head) - head.rfind("\n") - 1)

    async def errors(self) -> list[lsp.Diagnostic]:
        await self.client.wait_for_notification("textDocument/publishDiagnostics")
        return [
            item
            for item in self.client.diagnostics[self.uri]
            if item.severity == lsp.DiagnosticSeverity.Error
        ]

    async def labels(self, place: lsp.Position) -> set[str]:
        items = await self.client.text_document_completion_async(
            lsp.CompletionParams(self.identifier, place)
        )
        assert isinstance(items, list)
        return {item.label for item in items}

    async def hover(self, place: lsp.Position) -> str:
        hover = await self.client.text_document_hover_async(
            lsp.HoverParams(self.identifier, place)
        )
        assert hover and isinstance(hover.contents, lsp.MarkupContent)
        return hover.contents.value

    async def line_of_definition(self, place: lsp.Position) -> str:
        found = await self.client.text_document_definition_async(
            lsp.DefinitionParams(self.identifier, place)
        )
        assert isinstance(found, lsp.Location)
        lines = Path(found.uri.removeprefix("file://")).read_text().splitlines()
        return lines[found.range.start.line].strip()

    async def rename(self, place: lsp.Position, name: str) -> str:
        """The text after the edits."""
        edit = await self.client.text_document_rename_async(
            lsp.RenameParams(new_name=name, text_document=self.identifier,
                             position=place)
        )  # fmt: skip
        assert edit and edit.changes and list(edit.changes) == [self.uri]
        lines = self.text.splitlines()
        for change in reversed(edit.changes[self.uri]):
            start, end = change.range.start, change.range.end
            line = lines[start.line]
            lines[start.line] = (
                line[: start.character] + change.new_text + line[end.character :]
            )
        return "\n".join(lines) + "\n"


async def test_the_library_is_found_without_options(
    client: LanguageClient, tmp_path: Path
) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    assert await editor.errors() == []
    assert (
        await editor.line_of_definition(editor.at("net.et"))
        == ((ROOT / "runtime/net/ether.baker").read_text().splitlines()[0])
    )


@pytest.mark.parametrize(
    ("written", "offered", "missing"),
    [
        ("iph->", {"ttl", "src", "metadata"}, {"count", "if"}),
        ("iph->metadata.", {"colour", "rx", "tx"}, {"ttl"}),
        ("iph->metadata.rx.", {"port", "length"}, {"colour"}),
        ("hops[iph->ttl & 3].", {"packets", "port"}, {"count"}),
        ("x = add(hops[", {"hops", "iph", "SLOTS", "add"}, {"ttl"}),
        ("packet_drop(iph, ", {"odd", "even", "truncated"}, {"iph"}),
        ("channel_put(", {"back_cc"}, {"in_cc", "iph", "odd"}),
        ("m.", {"add", "count", "p", "q"}, {"ether", "if"}),
        ("checksum.", {"fold", "add"}, {"m"}),
        ("ipv4_", {"ipv4_pkt", "ipv4_queue", "while", "packet_copy", "u48"}, set()),
        ("@", {"bound"}, {"if"}),
    ],
)
async def test_completion_by_context(
    client: LanguageClient,
    tmp_path: Path,
    written: str,
    offered: set[str],
    missing: set[str],
) -> None:
    """In the middle of a program whose text is not one, for want of its end."""
    text = SOURCE.replace("if (iph->ttl == 0)", f"{written}\n    if (iph->ttl == 0)")
    text = text.replace("ppf q { ", "ppf q { out ipv4_pkt * back_cc; ")
    text = text.replace("import net.ipv4;", "import net.checksum; import net.ipv4;")
    editor = Editor(client, tmp_path / "p.baker", text)
    before = f"(ipv4_pkt * iph) {{\n    {written}"
    labels = await editor.labels(editor.at(before))
    assert offered <= labels
    assert not missing & labels


async def test_completion_in_wirings_and_imports(
    client: LanguageClient, tmp_path: Path
) -> None:
    text = SOURCE.replace("p.ip_cc -> q.in_cc;", "p.")
    editor = Editor(client, tmp_path / "p.baker", text.replace("net.ether;", "net."))
    assert await editor.labels(editor.at("in_cc; p.")) == {"in_cc", "ip_cc"}
    assert {"ether", "ipv4", "checksum"} <= await editor.labels(editor.at("net."))
    assert await editor.labels(editor.at("// Counts w")) == set()


async def test_hovers(client: LanguageClient, tmp_path: Path) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    assert "4 words in scratch" in await editor.hover(editor.at("u32 cou"))
    assert "cycles on an idle chip" in await editor.hover(editor.at("u32 cou"))
    assert "u16 at bit 96" in await editor.hover(editor.at("ph->ty"))
    assert "u16 of 'hop'" in await editor.hover(editor.at("hops[0].po"))
    assert "= 4" in await editor.hover(editor.at("count[SLO"))
    assert "protocol 'ipv4'" in await editor.hover(editor.at("out ipv4_p"[:-2]))
    assert "inner protocol" in await editor.hover(editor.at("packet_dec"))
    assert "packet processing function" in await editor.hover(editor.at("pp"))
    assert "unsigned integer of 8 bits" in await editor.hover(editor.at(", u"))
    assert "output" in await editor.hover(editor.at("channel_put(ip_"))
    assert "drop reason" in await editor.hover(editor.at("packet_drop(iph, od"))


@pytest.mark.parametrize(
    ("use", "declared"),
    [
        ("hops[0].po", "struct hop { u32 packets; u16 port; };"),
        ("ad", "u32 add(u32 amount, u8 by)"),
        ("ho", "struct hop {"),
        ("packet_drop(iph, ev", "drop_reason odd, even;"),
        ("metadata.col", "metadata { u16 colour; }"),
        ("p.ip", "ppf p {"),
        ("rx -> ", "ppf p {"),
        ("channel_put(ip", "ppf p {"),
        ("in ether", "protocol ether {"),
        ("iph->tt", "ttl : 8;"),
    ],
)
async def test_definitions(
    client: LanguageClient, tmp_path: Path, use: str, declared: str
) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    nth = -1 if use in ("ad", "ho") else 0
    place = editor.at("= ad" if use == "ad" else "  ho" if use == "ho" else use, nth)
    assert (await editor.line_of_definition(place)).startswith(declared)


async def test_references_and_highlights(
    client: LanguageClient, tmp_path: Path
) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    for declared, count in ((True, 3), (False, 2)):
        found = await client.text_document_references_async(
            lsp.ReferenceParams(
                lsp.ReferenceContext(declared), editor.identifier, editor.at("u32 cou")
            )
        )
        assert found and len(found) == count
    marked = await client.text_document_document_highlight_async(
        lsp.DocumentHighlightParams(editor.identifier, editor.at("rx -> ", 0))
    )
    lines = sorted(item.range.start.line for item in marked or [])
    words = [SOURCE.splitlines()[line].split()[0] for line in lines]
    assert words == ["ppf", "wiring", "wiring", "p.ppf(ether_pkt"]


async def test_rename_and_its_checks(client: LanguageClient, tmp_path: Path) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    renamed = await editor.rename(editor.at("u32 cou"), "total")
    assert renamed == re.sub(r"\bcount\b", "total", SOURCE)
    for place, name, why in (
        (editor.at("u32 cou"), "hops", "hops"),  # declared twice
        (editor.at("u32 cou"), "amount", "amount"),  # captured by a parameter
        (editor.at("u32 cou"), "while", "word of the language"),
        (editor.at("u32 cou"), "u7", "word of the language"),
        (editor.at("u32 cou"), "packet_drop", "word of the language"),
        (editor.at("u32 cou"), "a b", "no name"),
        (editor.at("iph->tt"), "lives", "library"),
        (editor.at("rx.po"), "gate", "part of the language"),
        (editor.at("SLOTS = "), "x", "no name of the program"),
    ):
        with pytest.raises(JsonRpcException) as refused:
            await editor.rename(place, name)
        assert why in refused.value.message
        assert refused.value.code == -32803


async def test_symbols(client: LanguageClient, tmp_path: Path) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    (module,) = (
        await client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(editor.identifier)
        )
        or []
    )
    assert isinstance(module, lsp.DocumentSymbol) and module.name == "m"
    names = [item.name for item in module.children or []]
    assert names == [
        "hop", "SLOTS", "count", "hops", "colour", "odd", "even", "add", "p", "q",
        "p.ppf", "q.ppf",
    ]  # fmt: skip
    ppf = (module.children or [])[names.index("p")]
    assert [item.name for item in ppf.children or []] == ["in_cc", "ip_cc"]
    found = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("COUN"))
    assert found and "count" in {item.name for item in found}


async def test_signature_help(client: LanguageClient, tmp_path: Path) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    for place, label, argument in (
        (editor.at("add(2, "), "u32 add(u32 amount, u8 by)", 1),
        (editor.at("packet_drop(iph, "), "packet_drop(packet * ph, drop_reason", 1),
        (editor.at("packet_decap("), "packet_decap(packet * ph)", 0),
    ):
        help = await client.text_document_signature_help_async(
            lsp.SignatureHelpParams(editor.identifier, place)
        )
        assert help and label in help.signatures[0].label
        assert help.active_parameter == argument
    nothing = await client.text_document_signature_help_async(
        lsp.SignatureHelpParams(editor.identifier, editor.at("ppf p {"))
    )
    assert nothing is None


async def test_a_fix_is_a_code_action(client: LanguageClient, tmp_path: Path) -> None:
    text = SOURCE.replace("count[1] + by", "coutn[1] + by")
    editor = Editor(client, tmp_path / "p.baker", text)
    (error,) = await editor.errors()
    actions = await client.text_document_code_action_async(
        lsp.CodeActionParams(
            editor.identifier, error.range, lsp.CodeActionContext([error])
        )
    )
    assert actions and isinstance(actions[0], lsp.CodeAction)
    assert actions[0].title == "Change 'coutn' to 'count'"
    edit = actions[0].edit
    assert edit and edit.changes
    assert edit.changes[editor.uri][0].new_text == "count"


async def fresh_capabilities() -> Any:
    """What another server says that it can do, asked without a client."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    process = await asyncio.create_subprocess_exec(
        BUILD / "bin/baker-lsp", stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    out, _ = await process.communicate(
        f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
    )
    return json.loads(out.partition(b"\r\n\r\n")[2])["result"]["capabilities"]


async def test_colours(client: LanguageClient, tmp_path: Path) -> None:
    text = SOURCE.replace("// Counts", "/* two\nlines 𝄞 */ // Counts")
    editor = Editor(client, tmp_path / "p.baker", text)
    answer = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(editor.identifier)
    )
    assert answer
    legend = (await fresh_capabilities())["semanticTokensProvider"]["legend"]
    types = legend["tokenTypes"]
    seen: dict[str, str] = {}
    line = column = 0
    lines = [part.encode("utf-16-le") for part in text.split("\n")]
    for i in range(0, len(answer.data), 5):
        down, right, length, colour, _ = answer.data[i : i + 5]
        line, column = line + down, right if down else column + right
        word = lines[line][2 * column : 2 * (column + length)].decode("utf-16-le")
        seen[word] = types[colour]
    for word, kind in (
        ("/* two", "comment"), ("lines 𝄞 */", "comment"), ("module", "keyword"),
        ("u32", "type"), ("count", "variable"), ("amount", "parameter"),
        ("ttl", "property"), ("odd", "enumMember"), ("p", "class"),
        ("ip_cc", "event"), ("packet_drop", "function"), ("hop", "struct"),
        ("4", "number"),
    ):  # fmt: skip
        assert seen[word] == kind, word


async def test_folding(client: LanguageClient, tmp_path: Path) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    ranges = await client.text_document_folding_range_async(
        lsp.FoldingRangeParams(editor.identifier)
    )
    assert {(r.start_line, r.end_line, r.kind) for r in ranges or []} == {
        (0, 1, "imports"), (3, 4, "comment"), (5, 27, None), (16, 20, None),
        (22, 26, None),
    }  # fmt: skip


async def test_inlay_hints_tell_cost_and_place(
    client: LanguageClient, tmp_path: Path
) -> None:
    editor = Editor(client, tmp_path / "p.baker", SOURCE)
    hints = await client.text_document_inlay_hint_async(
        lsp.InlayHintParams(
            editor.identifier, lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))
        )
    )
    labels = [str(hint.label) for hint in hints or []]
    assert len(labels) == 2
    assert re.fullmatch(r": 4 words, scratch at 0x\w+", labels[0])
    assert re.fullmatch(r": 8 words, \w+ at 0x\w+", labels[1])
    assert hints and hints[0].position == editor.at("u32 count")


async def test_a_file_belongs_to_the_program_that_imports_it(
    client: LanguageClient, tmp_path: Path
) -> None:
    helper = "module helper { u32 twice(u32 x) { return 2 * x; } }\n"
    text = SOURCE.replace("module m {", "import helper;\nmodule m {").replace(
        "add(2, 3)", "helper.twice(3)"
    )
    (tmp_path / "main.baker").write_text(text)
    editor = Editor(client, tmp_path / "helper.baker", helper)
    assert await editor.errors() == []
    found = await client.text_document_references_async(
        lsp.ReferenceParams(
            lsp.ReferenceContext(False), editor.identifier, editor.at("u32 tw")
        )
    )
    assert [Path(item.uri).name for item in found or []] == ["main.baker"]


async def test_what_the_server_cannot_do_has_the_protocols_codes(
    client: LanguageClient,
) -> None:
    with pytest.raises(JsonRpcException) as unknown:
        await client.protocol.send_request_async("textDocument/nothing", {})
    assert unknown.value.code == -32601
    with pytest.raises(JsonRpcException) as closed:
        await client.text_document_hover_async(
            lsp.HoverParams(
                lsp.TextDocumentIdentifier("file:///none"), lsp.Position(0, 0)
            )
        )
    assert closed.value.code == -32602


async def test_completion_in_a_thousand_lines(
    client: LanguageClient, tmp_path: Path
) -> None:
    """Prints the latency, which nothing here depends on."""
    functions = "".join(
        f"  u32 f{n}(u32 x) {{\n    u32 y = count[x & 3] + {n};\n    if (y > x)\n"
        f"      y += hops[x & 3].packets;\n    return y;\n  }}\n"
        for n in range(165)
    )
    text = SOURCE.replace("  ppf p {", functions + "  ppf p {", 1)
    assert text.count("\n") > 1000
    editor = Editor(client, tmp_path / "p.baker", text)
    await editor.errors()
    times = []
    for number in range(8):
        # As when the user types: the text changes, then names are asked for.
        await editor.change(f"{text}// {number}\n")
        begin = time.perf_counter()
        assert "ttl" in await editor.labels(editor.at("iph->"))
        times.append(time.perf_counter() - begin)
    print(f"completion: {1000 * min(times):.1f} ms", file=sys.stderr)
