"""Hash keys: keys that collide under the public multiplier fill one chain of a table;
under a secret one they load it to 0.9. All engines hash alike with any key."""

from __future__ import annotations

import ctypes
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from npftrace.frames.capture import read_capture
from testkit.captures import write_pcap
from testkit.tools import read_json, requires, run, run_command

pytestmark = requires("bakerc", "ixpsim")
PROGRAM = Path(__file__).parent / "Inputs/keyed.baker"
SLOTS, CHAIN = 1024, 10
LOADED = SLOTS * 9 // 10
SECRET, OTHER = "c0ffee", "123456789abcdef0123456789ABCDEF0"

# The hash unit's function as target-ixp/table/HashFunction.h states it.
POLYNOMIALS = {48: 0x18000003, 64: 0x1B, 128: 0x87}
MULTIPLIER = 0xBF58476D1CE4E5B99E3779B97F4A7C15


def product(one: int, other: int, bits: int) -> int:
    """The product of two polynomials over GF(2), reduced to `bits` bits."""
    result, top = 0, 1 << bits
    for i in range(bits):
        if other >> i & 1:
            result ^= one
        one <<= 1
        if one & top:
            one ^= top | POLYNOMIALS[bits]
    return result


def inverse(value: int, bits: int) -> int:
    """The number whose product with `value` is 1: its power of 2^bits - 2."""
    result, power = 1, value
    for _ in range(bits - 1):
        power = product(power, power, bits)
        result = product(result, power, bits)
    return result


def hash_of(key: int, bits: int) -> int:
    mask = (1 << bits) - 1
    return product(key & mask, MULTIPLIER & mask, bits)


def colliding_keys(count: int) -> list[int]:
    """Keys whose hashes by the public multiplier have the same bits 32 to 41, of which
    exact_table makes the slot."""
    drawn = random.Random(20)
    back = inverse(MULTIPLIER & (1 << 64) - 1, 64)
    home = (SLOTS - 1) << 32
    hashes = [drawn.getrandbits(64) & ~home | 5 << 32 for _ in range(count)]
    return [product(wanted, back, 64) for wanted in hashes]


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of t.pcap, a frame for each key, and the options that add them."""
    folder = tmp_path_factory.mktemp("attack")
    keys = colliding_keys(LOADED)
    assert len(set(keys)) == LOADED
    assert {hash_of(key, 64) >> 32 & SLOTS - 1 for key in keys} == {5}
    frames = [key.to_bytes(8, "big") + bytes(52) for key in keys]
    write_pcap(folder / "t.pcap", frames)
    control = folder / "t.control"
    control.write_text("".join(f"add({key:#x})\n" for key in keys))
    return folder, [f"--control={control}", "--keep-going"]


def check_hashes(frames: list[bytes]) -> None:
    """The hashes in the frames are those of the public multiplier."""
    for frame in frames[:20]:
        key = int.from_bytes(frame[:8], "big")
        for bits, begin in ((48, 14), (64, 20)):
            found = int.from_bytes(frame[begin : begin + bits // 8], "big")
            assert found == hash_of(key, bits)
        assert int.from_bytes(frame[28:44], "big") == hash_of(key << 64 | key, 128)


Attack = tuple[Path, list[str]]
Runner = Callable[[list[str], Path, int], None]


def run_x86(fast: bool, secret: str) -> Runner:
    key = [f"--hash-key={secret}"] if secret else []
    how = ["--fast", "--specialize=at-once"] if fast else []
    return lambda arguments, folder, status: run(
        "bakerc", PROGRAM, "--run", *how, *key,
        f"--trace={folder / 't.pcap'}", *arguments, status=status,
    )  # fmt: skip


def run_executable(secret: str, folder: Path) -> Runner:
    made = folder / "keyed"
    run("bakerc", "--target=x86", "--emit=exe", PROGRAM, "-o", made)
    key = [f"--hash-key={secret}"] if secret else []
    return lambda arguments, traces, status: run_command(
        made, traces / "t.pcap", *key, *arguments, status=status
    )


def run_image(level: str, secret: str, folder: Path, at_start: bool) -> Runner:
    image = folder / f"{level}{at_start}.ixp"
    # What is given at the start takes the place of the image's key.
    made_with = OTHER if at_start else secret
    key = [f"--hash-key={made_with}"] if made_with else []
    run("bakerc", PROGRAM, f"--level={level}", *key, "-o", image)
    start = [f"--hash-key={secret}"] if at_start else []
    return lambda arguments, traces, status: run(
        "ixpsim", image, f"--trace={traces / 't.pcap'}", "--quiet", *start, *arguments,
        status=status,
    )  # fmt: skip


def outcome(
    runner: Runner, attack: Attack, folder: Path, status: int
) -> tuple[dict[str, Any], list[bytes]]:
    out, stats = folder / "out.pcapng", folder / "stats.json"
    arguments = [*attack[1], f"--out={out}", f"--stats={stats}"]
    runner(arguments, attack[0], status)
    frames = [frame.data for frame in read_capture(out, 4).frames]
    return read_json(stats), sorted(frames)


def runners(secret: str, folder: Path) -> dict[str, Runner]:
    made = {
        "x86": run_x86(False, secret),
        "x86 fast": run_x86(True, secret),
        "executable": run_executable(secret, folder),
        "base": run_image("base", secret, folder, False),
        "swc": run_image("swc", secret, folder, False),
    }
    if secret:
        made["swc, key at the start"] = run_image("swc", secret, folder, True)
    return made


def test_keys_that_collide_fill_one_chain(attack: Attack, tmp_path: Path) -> None:
    """Who knows the multiplier uses up a table of 1,024 slots with ten keys."""
    all_frames = []
    for name, runner in runners("", tmp_path).items():
        stats, frames = outcome(runner, attack, tmp_path, 1)
        assert stats["packets"]["received"] == LOADED, name
        assert stats["drops"]["unknown"] == LOADED - CHAIN, name
        check_hashes(frames)
        all_frames.append(frames)
    assert len(all_frames[0]) == CHAIN
    assert all(frames == all_frames[0] for frames in all_frames)


def test_with_a_secret_they_load_the_table(attack: Attack, tmp_path: Path) -> None:
    made: dict[str, list[list[bytes]]] = {}
    for secret in (SECRET, OTHER):
        for name, runner in runners(secret, tmp_path).items():
            stats, frames = outcome(runner, attack, tmp_path, 0)
            assert stats["packets"]["forwarded"] == LOADED, (secret, name)
            made.setdefault(secret, []).append(frames)
        assert len(made[secret][0]) == LOADED
        assert all(frames == made[secret][0] for frames in made[secret])
    assert made[SECRET][0] != made[OTHER][0]


def test_a_switch_draws_a_key_of_its_own(attack: Attack, tmp_path: Path) -> None:
    def sent(*options: str) -> list[bytes]:
        out = tmp_path / "switch.pcap"
        run(
            "bakersw", PROGRAM, attack[1][0], "--socket=none", "--quiet",
            f"--port=pcap,rx={attack[0] / 't.pcap'},tx={out}", *options,
        )  # fmt: skip
        return sorted(frame.data for frame in read_capture(out, 1).frames)

    _, expected = outcome(run_x86(True, SECRET), attack, tmp_path, 0)
    assert sent(f"--hash-key={SECRET}") == expected
    one, other = sent(), sent()
    assert len(one) == len(other) == LOADED
    assert one != other


def test_a_library_takes_a_key(attack: Attack, tmp_path: Path) -> None:
    made, library = tmp_path / "keyed.o", tmp_path / "keyed.so"
    run("bakerc", "--target=x86", PROGRAM, "-o", made)
    subprocess.run(["cc", "-shared", made, "-o", library], check=True)
    keyed = ctypes.CDLL(str(library))
    add, keys = keyed.keyed_test_add, colliding_keys(LOADED)
    words = ctypes.c_uint64(int(OTHER[:16], 16)), ctypes.c_uint64(int(OTHER[16:], 16))
    for is_keyed in (False, True):
        if is_keyed:
            keyed.keyed_set_hash_key(*words)
        keyed.keyed_init()
        refused = [key for key in keys if add(ctypes.c_uint64(key)) != 0]
        assert len(refused) == (0 if is_keyed else LOADED - CHAIN)


def test_the_default_key_changes_no_byte(tmp_path: Path) -> None:
    """An image says nothing of hashes unless it has a key; the same key gives the same
    image."""
    plain, one, other = (tmp_path / f"{name}.ixp" for name in ("plain", "one", "other"))
    run("bakerc", PROGRAM, "-o", plain)
    for image in (one, other):
        run("bakerc", PROGRAM, f"--hash-key={SECRET}", "-o", image)
    assert one.read_bytes() == other.read_bytes() != plain.read_bytes()
    assert '"hash"' not in run("ixpsim", "--describe=json", plain).stdout
    assert '"hash"' in run("ixpsim", "--describe=json", one).stdout


def test_errors(attack: Attack, tmp_path: Path) -> None:
    image, trace = tmp_path / "plain.ixp", f"--trace={attack[0] / 't.pcap'}"
    run("bakerc", PROGRAM, "-o", image)
    done = run("ixpsim", image, trace, "--hash-key=1", status=1)
    assert "E-sim-ixp-018" in done.stderr
    assert "compile it with bakerc --hash-key" in done.stderr
    for wrong in ("0x12", "", "1" * 33, "g"):
        for command in (("bakerc", PROGRAM), ("ixpsim", image, trace)):
            refused = run(*command, f"--hash-key={wrong}", status=2)
            assert "hash-key" in refused.stderr
