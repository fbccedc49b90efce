"""Each line of a form knows the source line that it comes from."""

from __future__ import annotations

from pathlib import Path

from baker_explorer import forms, listings
from baker_explorer.listings import Listing
from testkit.paths import ROOT
from testkit.tools import output_of, requires, run

pytestmark = requires("bakerc")

PROGRAM = ROOT / "apps/examples/arp-responder/arp_responder.baker"
#: The line that answers a request, which every form keeps.
ANSWER = next(
    number
    for number, line in enumerate(PROGRAM.read_text().splitlines(), 1)
    if "ah->target_ip = ah->sender_ip" in line
)


def form(name: str) -> Listing:
    text = output_of("bakerc", PROGRAM, f"--emit={name}", "-o", "-")
    read = {
        "ast": listings.tree,
        "asm": listings.microcode,
        "llvm": listings.llvm,
    }
    return read[name](text)


def lines(listing: Listing) -> list[str]:
    return [
        listing.lines[number - 1] for number in listing.lines_of((PROGRAM.name, ANSWER))
    ]


def test_the_tree() -> None:
    found = lines(form("ast"))
    assert found[0].strip().startswith("assign =")
    assert any("field target_ip" in line for line in found)
    assert not any("@" in line for line in found)


def test_llvm_ir_has_no_metadata_but_places() -> None:
    listing = form("llvm")
    assert lines(listing)
    assert not any("!dbg" in line for line in listing.lines)
    assert len(listing.lines) == len(listing.sources)


def test_microcode() -> None:
    found = lines(form("asm"))
    assert found and all(line.startswith(" ") for line in found)


def test_the_dialect_after_each_pass(tmp_path: Path) -> None:
    folder = tmp_path / "new/passes"
    run("bakerc", PROGRAM, f"--dump-passes={folder}", "-o", tmp_path / "a.ixp")
    steps = forms.steps(folder)
    names = [step.name for step in steps]
    assert steps[0].program == "program" and "baker-to-llvm" in names
    assert "baker-pac" in names and "baker-soar" in names
    pac = next(i for i, step in enumerate(steps) if step.name == "baker-pac")
    before, after = forms.read(steps[pac - 1]), forms.read(steps[pac])
    assert steps[pac - 1].program == steps[pac].program
    new, removed = forms.changed_lines(before, after)
    assert 0 < len(new) < len(after.lines) and removed > 0
    assert any("baker." in after.lines[line - 1] for line in new)
    assert lines(after) and not any(" loc(" in line for line in after.lines)
    same, gone = forms.changed_lines(after, after)
    assert same == [] and gone == 0


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    where = tmp_path / "file/passes"
    printed = output_of(
        "bakerc", PROGRAM, f"--dump-passes={where}", "-o", tmp_path / "a.ixp", status=1
    )
    assert "E-support-002" in printed
