"""Two raw microcode images on one chip, joined by a queue and a ring.

    two_engines.py PRODUCER.ucode CONSUMER.ucode

Builds a chip, makes 64 buffers of 16 bytes in SRAM channel 0 and a ring in
scratch, loads the images (ixp-as --format=bytes) into engines 1 and 2, runs
them until every buffer has passed, and checks the sum in scratch memory.
"""

from __future__ import annotations

import sys
from pathlib import Path

import ixpchip

BUFFERS, BUFFER_BYTES, BASE = 64, 16, 0x1000
FROM, TO = 1, 2  # entries of the queue array
SUM = 0x2000


def build(producer: bytes, consumer: bytes, settings: list[str]) -> ixpchip.Chip:
    chip = ixpchip.Chip(settings)
    chip.configure_ring(0, base=0, words=128)
    for number in range(BUFFERS):
        chip.fill_queue(0, FROM, (BASE + number * BUFFER_BYTES) // 4)
    chip.load(1, producer)
    chip.load(2, consumer)
    chip.start(1)
    chip.start(2, contexts=1)
    return chip


def run(chip: ixpchip.Chip, cycles: int = 200_000) -> int:
    """Runs until all buffers have passed; returns the cycle."""
    while chip.queue_level(0, TO) < BUFFERS and chip.cycle < cycles:
        chip.run_to(chip.cycle + 1000)
        if chip.faults:
            raise SystemExit("\n".join(chip.faults))
    return int(chip.cycle)


def main(arguments: list[str]) -> int:
    producer, consumer = (Path(name).read_bytes() for name in arguments[:2])
    chip = build(producer, consumer, arguments[2:])
    cycle = run(chip)
    numbers = [chip.read("sram0", BASE + i * BUFFER_BYTES + 4) for i in range(BUFFERS)]
    found = chip.read("scratch", SUM)
    print(f"{chip.queue_level(0, TO)} buffers in {cycle} cycles, sum {found}")
    for engine in (1, 2):
        print(f"engine {engine}: {chip.counters(engine)}")
    return 0 if found == sum(numbers) and chip.queue_level(0, TO) == BUFFERS else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
