"""RFC 2544 measurements of an image on the simulator.

For each frame size (RFC 2544 section 9.1):

    throughput     the highest rate without a lost frame (section 26.1)
    latency        at 100, 95, 90 and 50 % of the throughput (section 26.2 and
                   the points of the NPF benchmark)
    loss           frames lost at 100 % of the line rate, 90 %, … until two
                   rates lose none (section 26.3)
    back-to-back   the longest burst at line rate without a lost frame (26.4)
    overload       the rate that is forwarded when the ports offer all they can

and, for routed traffic, how many routes per second change without loss at 90 %
of the throughput of the first size (section 11.4).

Rates are Gbit/s of frames with their CRC, without preamble and gap. A trial is
a few thousand frames, not a minute as in the RFC. Frames that a minute would
lose are still in the buffers at the end of such a trial. So a rate counts as
lossy if less than 98 % of it leaves; start and end of a trial take up to 2 %.
The end of a burst is the first frame that the receiver has no buffer for.
"""

import argparse
import json
import subprocess
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from npftrace.arguments import PORTS_DEFAULT, PORTS_MAX, between
from npftrace.errors import InputError
from npftrace.frames.wire import GAP_BYTES
from npftrace.make.sizes import sizes

SIZES = "64,128,256,512,1024,1280,1518"
PORT_GBPS = 1.0
#: Kinds of traffic, and the option of `npftrace make` for `--entries`.
KINDS = {"ipv4": "routes", "firewall": "rules", "mpls": "labels"}
#: Options for traffic of which nothing is dropped by rule: it would count as loss.
FORWARDED = {"firewall": ("--denied", "0")}
LATENCY_SHARES = (1.0, 0.95, 0.9, 0.5)
#: The share of the offered rate that start and end of a trial take.
SLACK = 0.02
BURST_MAX = 16384


@dataclass
class Trial:
    """One run of the simulator."""

    offered_gbps: float
    forwarded_gbps: float
    forwarded_mpps: float
    overflow: int
    latency_cycles: dict[str, int]

    @property
    def lost(self) -> float:
        """The share of the offered rate that does not leave."""
        share = 1 - self.forwarded_gbps / self.offered_gbps
        return share if share > SLACK else 0.0


@dataclass
class SizeResult:
    """The measurements of one frame size."""

    size: int
    line_gbps: float
    throughput_gbps: float = 0.0
    throughput_mpps: float = 0.0
    latency: list[dict[str, Any]] = field(default_factory=list)
    loss: list[dict[str, float]] = field(default_factory=list)
    back_to_back_frames: int = 0
    overload_gbps: float = 0.0


def line_rate(size: int, ports: int) -> float:
    """The rate of frames of `size` bytes that all ports offer together, in Gbit/s."""
    return ports * PORT_GBPS * size / (size + GAP_BYTES)


class Bench:
    """Measures one image by trials."""

    def __init__(self, args: argparse.Namespace, folder: Path) -> None:
        self.args = args
        self.folder = folder
        self.trace, self.control = folder / "trace.pcap", folder / "control.txt"

    def make(self, size: int, updates: int = 0) -> None:
        """Writes a trace of one frame size, and its control file."""
        args = self.args
        command = ["npftrace", "make", args.kind, "--out", str(self.trace)]
        command += ["--control", str(self.control), "--size", str(size)]
        command += ["--packets", str(args.packets), "--seed", str(args.seed)]
        command += FORWARDED.get(args.kind, ())
        if args.entries:
            command += [f"--{KINDS[args.kind]}", str(args.entries)]
        if updates:
            command += ["--updates", str(updates)]
        _run(command)

    def trial(self, gbps: float, packets: int | None = None) -> Trial:
        """Offers the trace, repeated or cut to `packets`, at a rate."""
        stats = self.folder / "stats.json"
        command = ["ixpsim", str(self.args.image), f"--trace={self.trace}"]
        command += [f"--control={self.control}", f"--stats={stats}", "--quiet"]
        command += [f"--rate={gbps:.4f}", f"--packets={packets or self.args.packets}"]
        if self.args.mes:
            command.append(f"--mes={self.args.mes}")
        _run(command)
        found = json.loads(stats.read_text())
        rate = found["rate"]
        return Trial(
            gbps,
            float(rate["forwarded_gbps"]),
            float(rate["forwarded_mpps"]),
            int(found["packets"]["rx_overflow"]),
            found["latency_cycles"],
        )

    def throughput(self, line_gbps: float) -> Trial:
        """The highest rate without loss, to a hundredth of the line rate."""
        best = self.trial(line_gbps)
        if best.lost == 0:
            return best
        low, high = 1, 100
        best = self.trial(line_gbps / 100)
        while high - low > 1:
            middle = (low + high) // 2
            trial = self.trial(line_gbps * middle / 100)
            if trial.lost == 0:
                low, best = middle, trial
            else:
                high = middle
        return best

    def back_to_back(self, line_gbps: float) -> int:
        """Frames of the longest burst without overflow, to a fiftieth; BURST_MAX if
        no burst overflows."""
        low, high = 0, BURST_MAX
        if self.trial(line_gbps, high).overflow == 0:
            return high
        while high - low > max(1, low // 50):
            middle = (low + high) // 2
            if self.trial(line_gbps, middle).overflow == 0:
                low = middle
            else:
                high = middle
        return low

    def size(self, size: int) -> SizeResult:
        """All measurements of one frame size."""
        self.make(size)
        result = SizeResult(size, line_rate(size, self.args.ports))
        best = self.throughput(result.line_gbps)
        result.throughput_gbps = best.offered_gbps
        result.throughput_mpps = best.forwarded_mpps
        for share in LATENCY_SHARES:
            trial = best if share == 1 else self.trial(best.offered_gbps * share)
            result.latency.append({"share": share, **trial.latency_cycles})
        rates_without_loss = 0
        for tenth in range(10, 0, -1):
            trial = self.trial(result.line_gbps * tenth / 10)
            if tenth == 10:
                result.overload_gbps = trial.forwarded_gbps
            result.loss.append({"share": tenth / 10, "lost": trial.lost})
            rates_without_loss = rates_without_loss + 1 if trial.lost == 0 else 0
            if rates_without_loss == 2:
                break
        result.back_to_back_frames = self.back_to_back(result.line_gbps)
        return result

    def updates(self, size: int, throughput_gbps: float) -> float:
        """The most route changes per second without loss, in steps of ten."""
        gbps = throughput_gbps * 0.9
        seconds = self.args.packets * size * 8 / (gbps * 1e9)
        best = 0.0
        count = 1
        while count <= self.args.packets:
            self.make(size, count)
            if self.trial(gbps).lost:
                break
            best = count / seconds
            count *= 10
        return best


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        message = f"there is no {command[0]} on the PATH"
        raise InputError("E-traces-160", message) from error
    if done.returncode != 0:
        raise InputError("E-traces-160", f"{command[0]}: {done.stderr.strip()}")


def _table(results: list[SizeResult]) -> Table:
    table = Table(title="RFC 2544")
    for heading in (
        "bytes", "line Gbps", "no-loss Gbps", "Mpps", "p50 cycles", "p99",
        "loss", "burst", "overload Gbps",
    ):  # fmt: skip
        table.add_column(heading, justify="right")
    for result in results:
        table.add_row(
            f"{result.size}",
            f"{result.line_gbps:.2f}",
            f"{result.throughput_gbps:.2f}",
            f"{result.throughput_mpps:.2f}",
            f"{result.latency[0]['p50']:,}",
            f"{result.latency[0]['p99']:,}",
            f"{result.loss[0]['lost']:.1%}",
            f"{result.back_to_back_frames:,}",
            f"{result.overload_gbps:.2f}",
        )
    return table


def _plot(results: list[SizeResult], path: Path) -> None:
    # Slow to load, so only loaded here.
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (rates, losses) = pyplot.subplots(1, 2, figsize=(10, 4))
    sizes = [str(result.size) for result in results]
    rates.plot(sizes, [r.line_gbps for r in results], "k--", label="line rate")
    rates.plot(sizes, [r.throughput_gbps for r in results], "o-", label="throughput")
    rates.set_xlabel("frame bytes")
    rates.set_ylabel("Gbit/s")
    rates.set_ylim(bottom=0)
    rates.legend()
    for result in results:
        losses.plot(
            [100 * point["share"] for point in result.loss],
            [100 * point["lost"] for point in result.loss],
            "o-",
            label=f"{result.size} bytes",
        )
    losses.set_xlabel("offered load, % of line rate")
    losses.set_ylabel("frames lost, %")
    losses.legend(fontsize="small")
    figure.tight_layout()
    # No date and no version: the same results give the same bytes.
    matplotlib.rcParams["svg.hashsalt"] = "karakal"
    left_out = "Date" if path.suffix == ".svg" else "Software"
    figure.savefig(path, metadata={left_out: None})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `npftrace bench2544`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = __doc__
    parser.add_argument("image", type=Path, metavar="IMAGE.ixp")
    parser.add_argument("--kind", choices=KINDS, default="ipv4", help="of traffic")
    parser.add_argument(
        "--entries", type=between(1, 10**6), help="routes, rules or labels"
    )
    parser.add_argument(
        "--sizes", type=sizes, default=SIZES, help="frame bytes with CRC"
    )
    parser.add_argument(
        "--packets", type=between(100, 10**7), default=4000, help="in a trial"
    )
    parser.add_argument("--mes", type=between(1, 6), help="microengines")
    parser.add_argument(
        "--ports",
        type=between(1, PORTS_MAX),
        default=PORTS_DEFAULT,
        help="ports of the chip",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the traffic")
    parser.add_argument("--json", type=Path, help="write the results here")
    parser.add_argument("--plot", type=Path, help="draw the results here (PNG, SVG)")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Measures all sizes and prints a table."""
    frame_sizes = args.sizes.sizes
    results: list[SizeResult] = []
    with tempfile.TemporaryDirectory() as name, Progress(transient=True) as progress:
        bench = Bench(args, Path(name))
        task = progress.add_task("frame sizes", total=len(frame_sizes))
        for size in frame_sizes:
            results.append(bench.size(size))
            progress.advance(task)
        updates = None
        if args.kind == "ipv4":
            updates = bench.updates(frame_sizes[0], results[0].throughput_gbps)
    Console().print(_table(results))
    if updates is not None:
        print(f"routes changed without loss at 90 %: {updates:,.0f} per second")
    if args.json:
        found = {
            "image": args.image.name,
            "sizes": [asdict(result) for result in results],
            "updates_per_s": updates,
        }
        args.json.write_text(json.dumps(found, indent=2) + "\n")
    if args.plot:
        _plot(results, args.plot)
    return 0
