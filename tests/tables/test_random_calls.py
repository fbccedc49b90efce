"""A million random calls, most of them refused, leave a table as a model has it."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from testkit.paths import BUILD
from testkit.runs import compile_text
from testkit.tools import read_json, requires, run

pytestmark = requires("bakerc", "ixpsim")

LIMIT = 500
PROGRAM = f"""
import net.ether;
module m {{
  table t {{
    key {{ exact u32 k; }}
    value {{ u16 v; }}
    limit {LIMIT};
    default {{ v: 0 }}
  }}
  ppf f {{ in ether_pkt * in_cc; out ether_pkt * out_cc; }}
  wiring {{ rx -> f.in_cc; f.out_cc -> tx; }}
}}
m.f.ppf(ether_pkt * ph) {{
  ph->type = t.find((u32)ph->dst)->v;
  channel_put(out_cc, ph);
}}
"""
ABSENT, TWICE = "the table has no such entry", "the table has an entry with this key"
#: An error with its place, in printable characters.
PLACED = re.compile(r"\S*c\.txt:2(:\d+)?: error: [^\x00-\x1f\x7f]* \[E-\S*\]\n")
FULL = f"the table is full: its limit is {LIMIT} entries, and this would be one more"


def random_calls(count: int, model: dict[int, int]) -> Iterator[tuple[str, str]]:
    """Calls, and why each is refused; applies the others to the model."""
    rng = random.Random(count)
    for _ in range(count):
        key, value = rng.randrange(3 * LIMIT), rng.getrandbits(16)
        kind = rng.choices(("add", "change", "remove", "clear"), (50, 20, 20, 0.001))[0]
        if kind == "add":
            why = TWICE if key in model else FULL if len(model) == LIMIT else ""
        else:
            why = ABSENT if key not in model and kind != "clear" else ""
        arguments = f"{key}, {value}" if kind in ("add", "change") else f"{key}"
        yield f"t.{kind}({'' if kind == 'clear' else arguments})", why
        if kind == "clear":
            model.clear()
        elif not why and kind == "remove":
            del model[key]
        elif not why:
            model[key] = value


@pytest.mark.parametrize(("machine", "count"), [("x86", 1_000_000), ("chip", 20_000)])
def test_refused_calls_change_nothing(machine: str, count: int, tmp_path: Path) -> None:
    source = compile_text(PROGRAM, tmp_path, [bytes(60)])
    control, stats = tmp_path / "c.txt", tmp_path / "s.json"
    model: dict[int, int] = {}
    calls = list(random_calls(count, model))
    ends = [f"@end t.v({key})" for key in sorted(model)]
    lines = [call for call, _ in calls] + ["@end t.count()", *ends]
    control.write_text("\n".join(lines) + "\n")
    command = ("bakerc", source, "--run") if machine == "x86" else (
        "ixpsim", source.with_suffix(".ixp"))  # fmt: skip
    done = run(
        *command, f"--trace={source.with_suffix('.pcap')}", f"--control={control}",
        "--keep-going", f"--stats={stats}", status=1,
    )  # fmt: skip
    found = re.findall(
        r"c\.txt:(\d+): error: .* refused the call: (.*) \[", done.stderr
    )
    assert found == [(str(n), why) for n, (_, why) in enumerate(calls, 1) if why]
    values = [v["value"] for v in read_json(stats)["control"]["values"]]
    assert values == [len(model), *(model[key] for key in sorted(model))]


def test_a_broken_line_ends_the_run_before_it_begins(tmp_path: Path) -> None:
    source = compile_text(PROGRAM, tmp_path, [bytes(60)])
    control, out = tmp_path / "c.txt", tmp_path / "o.pcap"
    rng = random.Random(7)
    for _ in range(40):
        line = list("t.change(1234, 77)")
        for _ in range(rng.randint(1, 3)):
            line[rng.randrange(len(line))] = rng.choice("(),;:@\"'x\0\x1b\x7f-/&.é ")
        text = "".join(line)
        control.write_text(f"t.add(1234, 5)\n{text}\n")
        done = subprocess.run(
            [BUILD / "bin/ixpsim", source.with_suffix(".ixp"), f"--out={out}",
             f"--trace={source.with_suffix('.pcap')}", f"--control={control}"],
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode in (0, 1), text
        if done.returncode == 1:
            assert PLACED.fullmatch(done.stderr), text
            assert not out.exists(), text
        out.unlink(missing_ok=True)
