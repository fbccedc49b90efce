"""What each kernel of `tests/bench/kernels` does to a frame, written again in
Python from its description, and frames that reach its rare paths."""

from __future__ import annotations

import random
from collections.abc import Callable

from npftrace.frames.capture import Frame

PORTS = 4
SLOTS = 256
#: Data of mac_hash's table; each slot's number is (low ^ low >> 12 ^ high) & 255.
STATIONS = {slot: (0x200, slot, slot & 3) for slot in range(SLOTS)} | {
    254: (0x201, 0x10FF, 2),
    255: (0x200, 0x10FF, 3),
}


def bits(data: bytes, first: int, end: int) -> int:
    return int.from_bytes(data[first:end], "big")


def patched(frame: bytes, at: int, data: bytes) -> bytes:
    return frame[:at] + data + frame[at + len(data) :]


def ones_sum(data: bytes) -> int:
    """RFC 1071: the sum of 16-bit words with end-around carry."""
    total = sum(bits(data, at, at + 2) for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def five_tuple(frame: bytes) -> bytes:
    source, target, ports = (bits(frame, at, at + 4) for at in (26, 30, 34))
    folded = source ^ target ^ ports ^ frame[23]
    return patched(frame, 8, (folded ^ folded >> 16).to_bytes(4, "big"))


def ipv4_check(frame: bytes) -> bytes:
    good = frame[14] == 0x45 and bits(frame, 16, 18) >= 20
    if good and ones_sum(frame[14:34]) == 0xFFFF:
        return frame
    return patched(frame, 0, bytes([frame[0] | 1]))


def mac_hash(frame: bytes) -> bytes:
    high, low = bits(frame, 0, 2), bits(frame, 2, 6)
    slot = (low ^ low >> 12 ^ high) % SLOTS
    port = 4
    for found in (STATIONS[(slot + 1) % SLOTS], STATIONS[slot]):
        if found[:2] == (high, low):
            port = found[2]
    return patched(frame, 8, port.to_bytes(4, "big"))


def mpls_push2(frame: bytes) -> bytes:
    return frame[:12] + bytes.fromhex("8847 12345040 54321140") + frame[14:]


def mpls_swap(frame: bytes) -> bytes:
    entry = bits(frame, 14, 18)
    label = 0x54300 + (entry >> 12 & 255)
    ttl = (entry - 1) & 255
    return patched(frame, 14, (label << 12 | (entry & 0xF00) | ttl).to_bytes(4, "big"))


def trie3(frame: bytes) -> bytes:
    # The first two levels lead everywhere to the same place.
    return patched(frame, 15, frame[32:33])


def ttl_checksum(frame: bytes) -> bytes:
    total = bits(frame, 24, 26) + 0x100
    checksum = (total + (total >> 16)) & 0xFFFF
    aged = patched(frame, 22, bytes([(frame[22] - 1) & 255]))
    return patched(aged, 24, checksum.to_bytes(2, "big"))


ORACLES: dict[str, Callable[[bytes], bytes]] = {
    "copy64": lambda frame: frame,
    "five_tuple": five_tuple,
    "ipv4_check": ipv4_check,
    "mac_hash": mac_hash,
    "mpls_push2": mpls_push2,
    "mpls_swap": mpls_swap,
    "trie3": trie3,
    "ttl_checksum": ttl_checksum,
}


def ipv4_frame(rng: random.Random, **fields: int) -> bytes:
    """A frame with a right checksum, unless `checksum` gives another."""
    length = fields.get("length", 46)
    header = bytearray(20)
    header[0] = fields.get("version", 0x45)
    header[1] = rng.randrange(256)
    header[2:4] = fields.get("total", length).to_bytes(2, "big")
    header[4:8] = rng.randbytes(4)
    header[8:10] = bytes([fields.get("ttl", 64), rng.choice((6, 17))])
    header[12:20] = rng.randbytes(8)
    checksum = fields.get("checksum", 0xFFFF ^ ones_sum(bytes(header)))
    header[10:12] = checksum.to_bytes(2, "big")
    station = fields.get("station", 0x200 << 32 | rng.randrange(SLOTS))
    ether = station.to_bytes(6, "big") + rng.randbytes(6) + b"\x08\x00"
    return ether + bytes(header) + rng.randbytes(length - 20)


def unusual_frames(count: int = 256) -> list[Frame]:
    """Time to live 0 and 1, odd lengths, sums that carry, headers that are wrong
    in each way, stations in the first slot, in the second and in none."""
    rng = random.Random(19)
    kinds: list[dict[str, int]] = [
        {},
        {"ttl": 0},
        {"ttl": 1},
        {"length": 47},
        {"length": 1499},
        {"checksum": 0xFF00},
        {"checksum": 0xFFFF},
        {"version": 0x46},
        {"version": 0x65},
        {"total": 19},
        {"total": 0xFFFF},
        {"station": 0x200_000010FF},
        {"station": 0x201_000010FF},
        {"station": 0x3FF_12345678},
    ]
    frames = [ipv4_frame(rng, **rng.choice(kinds)) for _ in range(count // 2)]
    # What lies after the Ethernet header may be anything.
    frames += [rng.randbytes(rng.randrange(60, 200)) for _ in range(count // 4)]
    # Labels with a time to live of 0 and with every bit above it.
    for entry in range(count - len(frames)):
        label = (rng.randrange(1 << 20) << 12 | (entry & 15) << 8).to_bytes(4, "big")
        frames.append(patched(ipv4_frame(rng), 14, label))
    rng.shuffle(frames)
    return [Frame(n, n % PORTS, frame) for n, frame in enumerate(frames)]
