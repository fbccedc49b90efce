"""Open vSwitch with DPDK, run from its packages without their services."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

DAEMON = Path("/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk")
SCHEMA = Path("/usr/share/openvswitch/vswitch.ovsschema")
#: Huge pages of 2 MiB that it takes, and the memory in MiB that it is told to take.
HUGE_PAGES = 700
MEMORY_MIB = 1280
BRIDGE = "br0"
DATAPATH = "netdev@ovs-netdev"


class Unavailable(Exception):
    """Open vSwitch cannot run here."""


def check_available() -> None:
    """Raises Unavailable, which says why and what helps."""
    if not DAEMON.exists():
        raise Unavailable(
            "openvswitch-switch-dpdk is not installed (./dev bench specialization)"
        )
    if os.geteuid() != 0:
        raise Unavailable("Open vSwitch takes huge pages, which needs root")
    found = re.search(
        r"^HugePages_Free: +(\d+)", Path("/proc/meminfo").read_text(), re.M
    )
    if found is None or int(found[1]) < HUGE_PAGES:
        raise Unavailable(
            f"Open vSwitch takes {HUGE_PAGES} huge pages"
            f" (sysctl -w vm.nr_hugepages={HUGE_PAGES})"
        )


@dataclass
class OpenVSwitch:
    """Its daemons, with all their files in `folder`, whose path is short enough for
    sockets (some 80 characters)."""

    folder: Path
    #: Its DPDK ports by their device arguments; the first is port 1 of OpenFlow.
    devices: Sequence[str]
    #: The processor of the thread that forwards.
    processor: int
    #: The flows that are there before the first port.
    openflow: str
    daemons: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        kinds = ("RUNDIR", "LOGDIR", "DBDIR", "SYSCONFDIR")
        return os.environ | {f"OVS_{kind}": str(self.folder) for kind in kinds}

    @property
    def database(self) -> str:
        return f"unix:{self.folder}/db.sock"

    def start(self) -> None:
        self.folder.mkdir(parents=True)
        file = self.folder / "conf.db"
        self.call("ovsdb-tool", "create", file, SCHEMA)
        self.launch("ovsdb-server", file, f"--remote=p{self.database}")
        self.await_file("db.sock")
        self.configure("--no-wait", "init")
        options = {
            "dpdk-init": "true",
            "dpdk-extra": '"--in-memory --no-pci --no-telemetry"',
            "dpdk-socket-mem": f'"{MEMORY_MIB}"',
            "pmd-cpu-mask": f"{1 << self.processor:#x}",
            "userspace-tso-enable": "false",
        }
        words = [f"other_config:{key}={value}" for key, value in options.items()]
        self.configure("--no-wait", "set", "Open_vSwitch", ".", *words)
        self.launch(DAEMON, self.database, f"--unixctl={self.target}")
        self.configure("add-br", BRIDGE, "--", "set", "bridge", BRIDGE,
                       "datapath_type=netdev", "fail_mode=secure")  # fmt: skip
        flows = self.folder / "flows"
        flows.write_text(self.openflow)
        self.call("ovs-ofctl", "-O", "OpenFlow13", "--bundle", "add-flows",
                  f"unix:{self.folder}/{BRIDGE}.mgmt", flows)  # fmt: skip
        # The first port brings frames, so it comes last.
        for number, device in reversed(list(enumerate(self.devices, 1))):
            name = f"p{number}"
            self.configure(
                "add-port", BRIDGE, name, "--", "set", "interface", name, "type=dpdk",
                f"ofport_request={number}", f'options:dpdk-devargs="{device}"',
            )  # fmt: skip
            failed = self.configure("get", "interface", name, "error").strip()
            if failed != "[]":
                raise Unavailable(f"Open vSwitch refuses {device}: {failed}")

    def configure(self, *words: object) -> str:
        return self.call("ovs-vsctl", f"--db={self.database}", "--timeout=60", *words)

    def sent(self, port: int) -> int:
        """The frames that the datapath has sent to a port."""
        text = self.call("ovs-appctl", "-t", self.target, "dpctl/show", "-s", DATAPATH)
        found = re.search(rf"port \d+: p{port} .*?TX packets:(\d+)", text, re.S)
        if found is None:
            raise Unavailable(f"Open vSwitch has no port p{port}:\n{text}")
        return int(found[1])

    @property
    def target(self) -> Path:
        """The control socket of the daemon that forwards."""
        return self.folder / "vswitchd.ctl"

    @property
    def forwarding(self) -> subprocess.Popen[bytes]:
        return self.daemons[-1]

    def call(self, *command: object) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, env=self.environment, capture_output=True, text=True, timeout=120
        )
        if done.returncode != 0:
            raise Unavailable(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
        return done.stdout

    def launch(self, *command: object) -> None:
        words = [str(word) for word in command]
        with (self.folder / f"{Path(words[0]).name}.log").open("wb") as log:
            self.daemons.append(
                subprocess.Popen(words, env=self.environment, stdout=log, stderr=log)
            )

    def await_file(self, name: str) -> None:
        for _ in range(200):
            if (self.folder / name).exists():
                return
            time.sleep(0.05)
        raise Unavailable(f"{self.folder / name} does not appear")

    def end(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()
            daemon.wait()


@contextlib.contextmanager
def open_vswitch(
    folder: Path, devices: Sequence[str], processor: int, openflow: str
) -> Iterator[OpenVSwitch]:
    """Open vSwitch at work, until the block ends."""
    switch = OpenVSwitch(folder, devices, processor, openflow)
    try:
        switch.start()
        yield switch
    finally:
        switch.end()
