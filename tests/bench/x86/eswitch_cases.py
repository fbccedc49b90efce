"""The use cases of ESWITCH, as Baker programs and as flows of Open vSwitch.

"Dataplane Specialization for High-performance OpenFlow Software Switching"
(Molnár et al., SIGCOMM 2016) measures a switch by Ethernet addresses, a router, a
load balancer and an access gateway under traffic of one flow up to many. The sizes
of the tables are given here. Both programs of a case make the same frames of the
same traffic.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from npftrace.frames.wire import checksum, ipv4_text, mac_text, pad
from testkit.program import Program

#: Flows of the traffic.
FLOWS = (1, 100, 10_000, 100_000)
#: A trace has at least so many frames.
FRAMES_MIN = 4_096
STATIONS, ROUTES, SERVICES = 1_000, 1_000, 100
CUSTOMERS, USERS, GATEWAY_ROUTES = 10, 20, 10_000
ROUTER_MAC = 0x02_00_00_00_00_01
#: Open vSwitch's number of the port that frames leave by; they come by the first.
OUT = 2


@dataclass(frozen=True)
class PeerCase:
    """A program, its traffic, and the flows that make Open vSwitch do the same."""

    program: Program
    openflow: str


def frame(
    dst: int, src: int, client: int, server: int, port: int, vlan: int = 0
) -> bytes:
    """64 bytes with their check sequence: UDP without a checksum to port 80."""
    tag = struct.pack(">HH", 0x8100, vlan) if vlan else b""
    size = 46 - len(tag)
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, size, 0, 0, 64, 17, 0, client, server)
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    udp = struct.pack(">HHHH", port, 80, size - 20, 0)
    ethernet = dst.to_bytes(6, "big") + src.to_bytes(6, "big") + tag + b"\x08\x00"
    return pad(ethernet + ip + udp)


def traffic(count: int, make: Callable[[random.Random], bytes]) -> tuple[bytes, ...]:
    """Frames of `count` flows, as many of each, in random order."""
    rng = random.Random(count)
    flows: dict[bytes, None] = {}
    while len(flows) < count:
        flows[make(rng)] = None
    frames = list(flows) * -(-FRAMES_MIN // count)
    rng.shuffle(frames)
    return tuple(frames)


def stations(flows: int) -> PeerCase:
    """A switch with 1,000 stations; a flow is a pair of stations and a client."""
    rng = random.Random(2)
    macs = [0x02_00_10_00_00_00 + n for n in rng.sample(range(1 << 24), STATIONS)]
    source = """import net.ether;
module l2 {
  table stations { key { u48 mac; } value { u8 port; } size 1000; }
  ppf forward { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> forward.in_cc; forward.out_cc -> tx; }
}
l2.forward.ppf(ether_pkt * ph) {
  stations * to = stations.find(ph->dst);
  if (!to) { packet_drop(ph); return; }
  ph->metadata.tx.port = to->port;
  channel_put(out_cc, ph);
}
"""
    control = "".join(f"stations.add({mac_text(mac)}, port: 1)\n" for mac in macs)
    openflow = "".join(
        f"table=0,dl_dst={mac_text(mac)},actions=output:{OUT}\n" for mac in macs
    )
    frames = traffic(
        flows,
        lambda rng: frame(
            rng.choice(macs), rng.choice(macs), rng.getrandbits(32), 1, 5000
        ),
    )
    return PeerCase(Program(f"l2-{flows}-flows", source, control, frames), openflow)


def random_routes(count: int, seed: int) -> dict[tuple[int, int], int]:
    """The next hop's Ethernet address by prefix and length."""
    rng = random.Random(seed)
    lengths, shares = (8, 16, 19, 20, 21, 22, 23, 24), (1, 8, 5, 6, 6, 10, 9, 55)
    found: dict[tuple[int, int], int] = {}
    while len(found) < count:
        length = rng.choices(lengths, shares)[0]
        first = rng.randrange(1, 224) << 24 | rng.getrandbits(24)
        prefix = first >> (32 - length) << (32 - length)
        found[prefix, length] = 0x02_00_20_00_00_00 + rng.randrange(64)
    return found


def destination(rng: random.Random, routes: Sequence[tuple[int, int]]) -> int:
    """An address that a route matches."""
    prefix, length = rng.choice(routes)
    return prefix | rng.getrandbits(32 - length)


ROUTE_TABLE = (
    "  table routes { key { lpm u32 dst; } value { u48 mac; u8 port; } size %d; }\n"
)
FORWARD = """  ppf forward { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> forward.in_cc; forward.out_cc -> tx; }
}
"""
ROUTE = """  routes * to = routes.find(ip->dst);
  if (!to || ip->ttl <= 1) { packet_drop(ip); return; }
  u16 word = ((u16)ip->ttl << 8) + ip->protocol;
  ip->checksum = checksum.update(ip->checksum, word, word - 0x100);
  ip->ttl = ip->ttl - 1;
  ether_pkt * out_ph = packet_encap(ip);
  out_ph->dst = to->mac;
  out_ph->src = %#x;
  out_ph->type = ETH_TYPE_IPV4;
  out_ph->metadata.tx.port = to->port;
  channel_put(out_cc, out_ph);
"""


def route_calls(routes: dict[tuple[int, int], int]) -> str:
    return "".join(
        f"routes.add({ipv4_text(prefix)}/{length}, mac: {mac_text(mac)}, port: 1)\n"
        for (prefix, length), mac in routes.items()
    )


def route_flows(routes: dict[tuple[int, int], int], table: int) -> str:
    return "".join(
        f"table={table},priority={length},ip,nw_dst={ipv4_text(prefix)}/{length},"
        f"actions=mod_dl_src:{mac_text(ROUTER_MAC)},mod_dl_dst:{mac_text(mac)},"
        f"dec_ttl,output:{OUT}\n"
        for (prefix, length), mac in routes.items()
    )


def router(flows: int) -> PeerCase:
    """A router with 1,000 routes; a flow is a destination and a client."""
    routes = random_routes(ROUTES, 3)
    source = f"""import net.ether;
import net.ipv4;
import net.checksum;
module l3 {{
{ROUTE_TABLE % ROUTES}{FORWARD}l3.forward.ppf(ether_pkt * ph) {{
  if (ph->type != ETH_TYPE_IPV4) {{ packet_drop(ph); return; }}
  ipv4_pkt * ip = packet_decap(ph);
{ROUTE % ROUTER_MAC}}}
"""
    prefixes = list(routes)
    frames = traffic(
        flows,
        lambda rng: frame(
            ROUTER_MAC, 0x020000000002, rng.getrandbits(32),
            destination(rng, prefixes), 5000,
        ),
    )  # fmt: skip
    program = Program(f"l3-{flows}-flows", source, route_calls(routes), frames)
    return PeerCase(program, route_flows(routes, 0))


BALANCER = """import net.ether;
import net.ipv4;
import net.udp;
import net.checksum;
module balancer {
  table services {
    key { u32 address; u16 port; ternary u32 client; }
    value { u32 server; u48 mac; }
    size 1000;
  }
  ppf forward { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> forward.in_cc; forward.out_cc -> tx; }
}
balancer.forward.ppf(ether_pkt * ph) {
  if (ph->type != ETH_TYPE_IPV4) { packet_drop(ph); return; }
  ipv4_pkt * ip = packet_decap(ph);
  if (ip->protocol != IP_PROTO_UDP || ip->ihl != 5 || ip->fragment != 0) {
    packet_drop(ip);
    return;
  }
  u32 address = ip->dst;
  u32 client = ip->src;
  u16 check = ip->checksum;
  udp_pkt * udp = packet_decap(ip);
  services * to = services.find(address, udp->dst_port, client);
  if (!to) { packet_drop(udp); return; }
  u32 server = to->server;
  u16 old = udp->checksum;
  if (old != 0) {
    u16 half = checksum.update(old, (u16)(address >> 16), (u16)(server >> 16));
    u16 new = checksum.update(half, (u16)address, (u16)server);
    udp->checksum = new != 0 ? new : 0xffff;
  }
  ipv4_pkt * out_ip = packet_encap(udp, 20);
  out_ip->dst = server;
  check = checksum.update(check, (u16)(address >> 16), (u16)(server >> 16));
  out_ip->checksum = checksum.update(check, (u16)address, (u16)server);
  ether_pkt * out_ph = packet_encap(out_ip);
  out_ph->dst = to->mac;
  out_ph->metadata.tx.port = 1;
  channel_put(out_cc, out_ph);
}
"""


def balancer(flows: int) -> PeerCase:
    """A load balancer for 100 services, each with two servers, which the highest bit
    of the client's address chooses between; a flow is a client's connection."""
    calls, rules = [], []
    addresses = [0xC6_12_00_00 + n for n in range(SERVICES)]
    for n, address in enumerate(addresses):
        for half in (0, 1):
            server = 0x0A_00_00_00 + 2 * n + half
            mac = 0x02_00_30_00_00_00 + 2 * n + half
            clients = f"{128 * half}.0.0.0"
            calls.append(
                f"services.add({ipv4_text(address)}, 80, {clients} & 128.0.0.0,"
                f" priority: 1, server: {ipv4_text(server)}, mac: {mac_text(mac)})\n"
            )
            rules.append(
                f"table=0,udp,nw_dst={ipv4_text(address)},tp_dst=80,nw_src={clients}/1,"
                f"actions=mod_nw_dst:{ipv4_text(server)},mod_dl_dst:{mac_text(mac)},"
                f"output:{OUT}\n"
            )
    frames = traffic(
        flows,
        lambda rng: frame(
            ROUTER_MAC, 0x020000000002, rng.getrandbits(32),
            rng.choice(addresses), rng.getrandbits(16),
        ),
    )  # fmt: skip
    program = Program(f"balancer-{flows}-flows", BALANCER, "".join(calls), frames)
    return PeerCase(program, "".join(rules))


def gateway(flows: int) -> PeerCase:
    """An access gateway: 10 customers, a VLAN each, with 20 users, whose private
    addresses are exchanged for public ones, and 10,000 routes; a flow is a user and
    a destination."""
    routes = random_routes(GATEWAY_ROUTES, 4)
    source = f"""import net.ether;
import net.vlan;
import net.ipv4;
import net.checksum;
module gateway {{
  table users {{ key {{ u16 customer; u32 user; }} value {{ u32 public; }} size 1000; }}
{ROUTE_TABLE % GATEWAY_ROUTES}{FORWARD}gateway.forward.ppf(ether_pkt * ph) {{
  if (ph->type != ETH_TYPE_VLAN) {{ packet_drop(ph); return; }}
  vlan_pkt * tag = packet_decap(ph);
  if (tag->type != ETH_TYPE_IPV4) {{ packet_drop(tag); return; }}
  u16 customer = tag->id;
  ipv4_pkt * ip = packet_decap(tag);
  u32 user = ip->src;
  users * found = users.find(customer, user);
  if (!found) {{ packet_drop(ip); return; }}
  u32 public = found->public;
  u16 check = ip->checksum;
  check = checksum.update(check, (u16)(user >> 16), (u16)(public >> 16));
  ip->checksum = checksum.update(check, (u16)user, (u16)public);
  ip->src = public;
{ROUTE % ROUTER_MAC}}}
"""
    calls, rules = [], []
    for customer in range(1, CUSTOMERS + 1):
        rules.append(
            f"table=0,dl_vlan={customer},actions=pop_vlan,goto_table:{10 + customer}\n"
        )
        for number in range(USERS):
            user, public = (
                0x0A_00_00_02 + number,
                0xCB_00_71_00 + USERS * customer + number,
            )
            calls.append(
                f"users.add({customer}, {ipv4_text(user)},"
                f" public: {ipv4_text(public)})\n"
            )
            rules.append(
                f"table={10 + customer},ip,nw_src={ipv4_text(user)},"
                f"actions=mod_nw_src:{ipv4_text(public)},goto_table:40\n"
            )
    prefixes = list(routes)
    frames = traffic(
        flows,
        lambda rng: frame(
            ROUTER_MAC, 0x020000000002, 0x0A_00_00_02 + rng.randrange(USERS),
            destination(rng, prefixes), rng.getrandbits(16),
            vlan=rng.randint(1, CUSTOMERS),
        ),
    )  # fmt: skip
    control = "".join(calls) + route_calls(routes)
    program = Program(f"gateway-{flows}-flows", source, control, frames)
    return PeerCase(program, "".join(rules) + route_flows(routes, 40))


def eswitch_cases(flows: Sequence[int] = FLOWS) -> list[PeerCase]:
    return [
        case(count) for case in (stations, router, balancer, gateway) for count in flows
    ]
