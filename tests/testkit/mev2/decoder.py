"""A word as text, in the syntax of the reference's section 12, which is that of
ixp-dis."""

from __future__ import annotations

from collections.abc import Callable

from testkit.mev2.operands import (
    NONE,
    NotAnInstruction,
    Operand,
    check_sources,
    check_steps,
    require,
    restricted,
    unrestricted,
)
from testkit.mev2.rows import Command, Row, table

Texts = dict[str, str]


class Word:
    """The fields of a word by their letters."""

    def __init__(self, word: int, row: Row) -> None:
        self.word = word
        self.row = row
        self.layout = table().layouts[row.layout]

    def __getitem__(self, letter: str) -> int:
        return self.layout.get(self.word, letter)

    def bank(self) -> str:
        return "B" if self["k"] else "A"

    def reads(self, name: str) -> bool:
        return f"{{{name}}}" in self.row.text


def decode(word: int) -> str | None:
    """The text of a word, or None if it is not an instruction."""
    row = table().find(word)
    if row is None:
        return None
    try:
        if isinstance(row, Command):
            return command(Word(word, row), row)
        texts = READERS[row.layout](Word(word, row))
    except NotAnInstruction:
        return None
    text = row.text
    for name, value in texts.items():
        text = text.replace(f"{{{name}}}", value)
    return text


#
# Arithmetic
#


def sources(
    word: Word, port: Callable[[str], Operand], fillers: tuple[int, int]
) -> tuple[Operand, Operand]:
    """The logical operands a and b. `fillers` are the values of fields a and b
    that stand for an optional a that is absent: a0 on port A, and literal 0 on
    port B, where the ports are exchanged for a b in bank A."""
    names = ("b", "a") if word["x"] else ("a", "b")
    uses_a = word.reads("a") or word.reads("a?")
    b = port(names[1]) if word.reads("b") else NONE
    if not uses_a:
        return NONE, b
    if word.reads("a?"):
        is_filler = word[names[0]] == fillers[word["x"]]
        high = "h" in word.layout.fields and word["h"]
        if is_filler and (not word["x"] or (b.kind == "A" and not high)):
            return NONE, b
    return port(names[0]), b


def read_alu(word: Word) -> Texts:
    def port(name: str) -> Operand:
        return unrestricted(word[name], name.upper())

    name = word.row.name
    if name in ("crc", "cam_lookup"):
        return read_with_options(word, port)
    a, b = sources(word, port, (0x000, 0x300))
    check_sources(a, b)
    texts = {"a": a.text, "a?": a.text, "b": b.text}
    if name.startswith("cam_"):
        require(not b.is_literal or b.value < 16)
        texts["state"] = str(word["d"] & 15)
    if word.reads("d"):
        d = unrestricted(word["d"], word.bank(), destination=True)
        check_steps(d, a, b)
        texts["d"] = d.text
    return texts


def read_with_options(word: Word, port: Callable[[str], Operand]) -> Texts:
    """crc and cam_lookup have one source; the other field holds options."""
    is_crc = word.row.name == "crc"
    source, options = ("a", "b") if bool(word["x"]) == is_crc else ("b", "a")
    texts = crc_options(word[options]) if is_crc else cam_options(word[options])
    operand = port(source)
    d = unrestricted(word["d"], word.bank(), destination=True)
    check_steps(d, operand)
    return {**texts, "b" if is_crc else "a": operand.text, "d": d.text}


def crc_options(field: int) -> Texts:
    """Section 4.8."""
    types = {
        0: "none", 2: "crc_ccitt", 4: "crc_32", 5: "crc_iscsi", 6: "crc_10", 7: "crc_5"
    }  # fmt: skip
    parts = ("", "bytes_1_3", "bytes_2_3", "byte_3", "bytes_0_2", "bytes_0_1", "byte_0")
    require(field >= 0x300 and field >> 5 & 7 in types and field & 7 < len(parts))
    part = parts[field & 7]
    return {
        "type": types[field >> 5 & 7],
        "order": "le" if field & 8 else "be",
        "bytes": (f", {part}" if part else "") + (", bit_swap" if field & 16 else ""),
    }


def cam_options(field: int) -> Texts:
    """Section 4.7."""
    require(field < 16)
    loads = [f", lm_addr{n}[{field >> 2}]" for n in (0, 1) if field >> n & 1]
    return {"lm": "".join(loads)}


def shift_text(code: int, amount: int) -> str:
    """Section 4.2."""
    if code == 0:
        return f", >>rot{amount}" if amount else ""
    if code == 2:
        return f", <<{32 - amount}" if amount else ", <<indirect"
    return f", >>{amount}" if amount else ", >>indirect"


def read_shf(word: Word) -> Texts:
    def port(name: str) -> Operand:
        return restricted(word[name], name.upper(), word["h"])

    # Shift code 3 belongs to operation 0, dbl_shf.
    require(word["c"] != 3 or word.row.name == "dbl_shf")
    a, b = sources(word, port, (0x00, 0x20))
    check_sources(a, b)
    d = restricted(word["d"], word.bank(), destination=True)
    check_steps(d, a, b)
    shift = shift_text(word["c"], word["n"])
    return {"a": a.text, "a?": a.text, "b": b.text, "d": d.text, "shift": shift}


def read_field(word: Word) -> Texts:
    """ld_field reads its destination on the port that a would have."""
    ports = [restricted(word[n], n.upper(), word["h"]) for n in ("a", "b")]
    d, source = reversed(ports) if word["x"] else ports
    require(d.kind in ("A", "B", "memory"))
    check_sources(d, source)
    return {
        "d": d.text,
        "b": source.text,
        "mask": f"{word['m']:04b}",
        "shift": shift_text(word["c"], word["n"]),
        "cc": ", load_cc" if word["l"] else "",
    }


def read_immed(word: Word) -> Texts:
    a, b = word["a"], word["b"]
    on_b = a >= 0x300 and (b < 0x300 or (b == 0x300 and a != 0x300))
    low, dest = (a, b) if on_b else (b, a)
    require(low >= 0x300)
    d = unrestricted(dest, "B" if on_b else "A", destination=True)
    value = hex(word["v"] << 8 | low & 0xFF)
    if word["w"]:
        require(d is not NONE)
        return {"d": d.text, "literal": value}
    require(word["t"] < 3)
    shift = f", <<{8 * word['t']}" if word["t"] else ""
    return {"d": d.text, "literal": (f"~({value})" if word["i"] else value) + shift}


def read_mul(word: Word) -> Texts:
    def port(name: str) -> Operand:
        return unrestricted(word[name], name.upper())

    a, b = sources(word, port, (0, 0))
    check_sources(a, b)
    return {"a": a.text, "b": b.text}


def read_last(word: Word) -> Texts:
    return {"d": unrestricted(word["a"], word.bank(), destination=True).text}


#
# Branches
#


def branch_texts(word: Word, defer_max: int = 3) -> Texts:
    require(word["f"] <= defer_max)
    defer = f", defer[{word['f']}]" if word["f"] else ""
    return {"target": f".{word['t']}", "defer": defer, "defer2": defer}


def read_branch(word: Word) -> Texts:
    texts = branch_texts(word, 2 if word.reads("defer2") else 3)
    parameter = word["p"]
    require(not word.reads("context") or parameter < 8)
    require(not word.reads("signal") or parameter > 0)
    texts["context"] = str(parameter)
    texts["signal"] = f"s{parameter}"
    texts["input"] = table().states[parameter]
    return texts


def tested(word: Word, high: int) -> tuple[str, int]:
    """The register and the literal of a bit or byte branch, on either port."""
    a, b = restricted(word["a"], "A", high), restricted(word["b"], "B", high)
    require(a.is_literal != b.is_literal)
    register, literal = (b, a) if a.is_literal else (a, b)
    return register.text, literal.value


def read_bit(word: Word) -> Texts:
    register, literal = tested(word, 0)
    require(literal < 32)
    bit = (literal - 1) % 32  # the field holds the bit's number plus one
    return {**branch_texts(word), "a": register, "bit": str(bit)}


def read_byte(word: Word) -> Texts:
    register, literal = tested(word, word["h"])
    return {
        **branch_texts(word), "a": register, "byte": str(word["y"]),
        "value": hex(literal),
    }  # fmt: skip


def read_jump(word: Word) -> Texts:
    on_a = word["b"] >= 0x300
    source, literal = (word["a"], word["b"]) if on_a else (word["b"], word["a"])
    register = unrestricted(source, "A" if on_a else "B")
    require(literal >= 0x300 and not register.is_literal)
    target = word["t"] << 8 | literal & 0xFF
    jump = f"jump[{register.text}, .{target}" if target else f"rtn[{register.text}"
    return {**branch_texts(word), "jump": jump}


#
# Contexts and CSRs
#


def read_ctx(word: Word) -> Texts:
    """Section 6. Without x and p, the mask is loaded."""
    require(not (word["x"] and word["p"]))
    mask, is_any, options = word["m"], word["y"], ""
    if word["x"] or word["p"]:
        events = ["--" if word["x"] else "bpt"]
    else:
        require(bool(mask or is_any))
        events = [] if mask else ["kill"]
        events += ["voluntary"] if mask & 1 else []
        events += [f"s{n}" for n in range(1, 16) if mask >> n & 1]
        options = ", any" if is_any and mask else ""
    texts = branch_texts(word, 2)
    if word["r"]:
        options += f", br[{texts['target']}]"
    return {"events": ", ".join(events), "options": options, "defer2": texts["defer2"]}


def read_csr(word: Word) -> Texts:
    offset = word["c"] * 4
    csr = table().csrs.get(offset, hex(offset))
    if not word["w"]:
        return {"csr": csr}
    a, b = word["a"], word["b"]
    if a >= 0x300 and b >= 0x300:
        require(a == b)
        return {"csr": csr, "a": unrestricted(a, "A").text}
    on_b = a == 0x300
    require(on_b or b == 0x300)
    source = unrestricted(b, "B") if on_b else unrestricted(a, "A")
    return {"csr": csr, "a": source.text}


#
# Commands
#


def command(word: Word, row: Command) -> str:
    """Section 9."""
    csr = hex(word["b"] << 8 | word["a"])
    indirect = ", indirect_ref" if word["i"] else ""
    if row.address == "data":
        data = word.word >> 18 & 0x3FFF
        return f"{row.text}, {data}, {csr}]{indirect}"
    if row.address == "alu":
        return f"{row.text}, ALU, {csr}]{indirect}"
    operands = [transfer(word, row)]
    if row.address == "csr":
        operands.append(csr)
    if row.address == "sum":
        a, b = restricted(word["a"], "A"), restricted(word["b"], "B")
        check_sources(a, b)
        operands += [a.text, b.text]
    count = word["n"] + 1
    if row.count_max:
        require(count <= row.count_max)
        is_override = word["i"] and count == 8 and row.address != "key"
        operands.append("max_8" if is_override else str(count))
    inside = ", ".join(operands)
    joint = "" if row.text.endswith("[") else ", "
    return f"{row.text}{joint}{inside}]{indirect}{completion(word, row)}"


def transfer(word: Word, row: Command) -> str:
    """Registers are D for DRAM and S for the other units; the top bit of the
    field selects the other type."""
    if row.transfer == "none":
        return "--"
    is_d = row.name.startswith("dram") != bool(word["x"] >> 4)
    return f"{'$$' if is_d else '$'}{word['x'] & 15}"


def completion(word: Word, row: Command) -> str:
    signal, swap = word["s"], word["g"] != 3
    require(not (signal and row.signals == 0))
    require(not (signal % 2 and row.signals == 2))
    require(not (swap and (row.signals != 1 or signal == 0)))
    if not signal:
        return ""
    if not swap:
        return f", sig_done[s{signal}]"
    return f", ctx_swap[s{signal}]" + (f", defer[{word['g']}]" if word["g"] else "")


READERS: dict[str, Callable[[Word], Texts]] = {
    "alu": read_alu,
    "shf": read_shf,
    "field": read_field,
    "immed": read_immed,
    "mul": read_mul,
    "last": read_last,
    "branch": read_branch,
    "bit": read_bit,
    "byte": read_byte,
    "jump": read_jump,
    "ctx": read_ctx,
    "csr": read_csr,
    "nop": lambda word: {},
    "clear": lambda word: {},
}
