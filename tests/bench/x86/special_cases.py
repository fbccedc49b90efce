"""Programs whose speed depends on what their tables hold.

The four cases of "Dynamic Compilation and Optimization of Packet Processing
Programs" (Rétvári et al.): empty tables, parsers that only an empty table needs,
access lists that use few of their fields, and rewrites by constants. A program
declares what it might need; its control file says what it needs.
"""

from __future__ import annotations

import random
import struct

from testkit.program import Program

#: The header of all packets but those of the parsers' cases.
FLAT = """protocol flat {
  mac_dst : 48; mac_src : 48; type : 16;
  first : 16; length : 16; id : 16; fragment : 16;
  ttl : 8; proto : 8; checksum : 16;
  src : 32; dst : 32; src_port : 16; dst_port : 16;
  rest : 32[4];
  demux { 54 };
}
"""
FIELDS = (
    ("src", 32),
    ("dst", 32),
    ("proto", 8),
    ("src_port", 16),
    ("dst_port", 16),
)
ACL_KEY = " ".join(f"ternary u{bits} {name};" for name, bits in FIELDS)
FLOWS = 4096
FRAMES = 20_000


Flow = tuple[int, int, int, int, int]


def flows(seed: int, count: int = FLOWS) -> list[Flow]:
    rng = random.Random(seed)
    return [
        (
            rng.getrandbits(32),
            rng.getrandbits(32),
            rng.choice((6, 17)),
            rng.getrandbits(16),
            rng.getrandbits(16),
        )
        for _ in range(count)
    ]


def frame(flow: Flow, inner: bytes = b"", port: int | None = None) -> bytes:
    """An Ethernet frame with IPv4 and the ports of TCP or UDP."""
    src, dst, protocol, src_port, dst_port = flow
    size = max(46, 28 + len(inner))
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, size, 0, 0, 64, protocol, 0, src, dst)
    ports = struct.pack(">HHHH", src_port, port or dst_port, size - 20, 0)
    return (
        bytes.fromhex("020000000002020000000001") + b"\x08\x00" + ip + ports + inner
    ).ljust(60, b"\0")


def frames_of(traffic: list[Flow], seed: int) -> tuple[bytes, ...]:
    rng = random.Random(seed)
    return tuple(frame(rng.choice(traffic)) for _ in range(FRAMES))


def module(declarations: str, body: str) -> str:
    return (
        f"{FLAT}module m {{\n{declarations}\n"
        "  ppf f { in flat_pkt * in_cc; out flat_pkt * out_cc; }\n"
        "  wiring { rx -> f.in_cc; f.out_cc -> tx; }\n}\n"
        f"m.f.ppf(flat_pkt * ph) {{\n{body}"
        "  ph->metadata.tx.port = 1;\n  channel_put(out_cc, ph);\n}\n"
    )


def acl(name: str, size: int) -> str:
    return (
        f"  table {name} {{ key {{ {ACL_KEY} }} value {{ u8 why; }} size {size}; }}\n"
    )


def find(name: str) -> str:
    keys = ", ".join(f"ph->{field}" for field, _ in FIELDS)
    return f"  if ({name}.find({keys})) {{ packet_drop(ph); return; }}\n"


def empty_tables(count: int) -> Program:
    """A packet passes `count` access lists without rules."""
    names = [f"t{i}" for i in range(count)]
    source = module(
        "".join(acl(name, 1000) for name in names), "".join(map(find, names))
    )
    return Program(f"empty-{count}", source, "", frames_of(flows(count), count))


def access_list(rules: int, fields: int) -> Program:
    """An access list over five fields, whose rules use the first `fields` exactly.
    Half of the packets match a rule, which counts, and go on."""
    traffic = flows(rules * 8 + fields)
    source = module(
        f"  table acl {{ key {{ {ACL_KEY} }} value {{ u8 why; mutable u32 hits; }}"
        f" size {max(rules, 1000)}; }}\n",
        "  acl * rule = acl.find(" + ", ".join(f"ph->{n}" for n, _ in FIELDS) + ");\n"
        "  if (rule) rule->hits += 1;\n",
    )
    rng = random.Random(fields)
    chosen = traffic[:rules] if rules < FLOWS // 2 else traffic
    calls, seen = [], set()
    for i, flow in enumerate(flows(rules + fields * 7919, 4 * rules)):
        pattern = (chosen[i] if i < len(chosen) // 2 else flow)[:fields]
        if pattern not in seen and len(seen) < rules:
            seen.add(pattern)
            key = [str(v) for v in pattern] + ["any"] * (5 - fields)
            calls.append(
                f"acl.add({', '.join(key)}, priority: {rng.randint(1, 9)}, why: 1)"
            )
    return Program(
        f"acl-{rules}-rules-{fields}-fields",
        source,
        "\n".join(calls) + "\n",
        frames_of(chosen, fields),
    )


PARSER = """import net.ether;
import net.ipv4;
import net.udp;
protocol vxlan { flags : 32; vni : 24; reserved : 8; demux { 8 }; }
module m {
  table acl { key { %(keys)s } value { u8 why; } size 1000; }
  ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; }
  wiring { rx -> f.in_cc; f.out_cc -> tx; }
}
m.f.ppf(ether_pkt * ph) {
  ipv4_pkt * ip = packet_decap(ph);
  u32 src = ip->src;
  u32 dst = ip->dst;
  u8 proto = ip->protocol;
  u16 src_port = 0;
  u16 dst_port = 0;
%(parse)s
  ether_pkt * eth = packet_encap(ip);
  if (acl.find(%(names)s)) { packet_drop(eth); return; }
  eth->metadata.tx.port = 1;
  channel_put(out_cc, eth);
}
"""
L4 = """  if (proto == IP_PROTO_UDP || proto == IP_PROTO_TCP) {
    udp_pkt * udp = packet_decap(ip);
    src_port = udp->src_port;
    dst_port = udp->dst_port;
%s
    ip = packet_encap(udp, 20);
  }
"""
VXLAN = """    if (dst_port == 4789) {
      vxlan_pkt * vx = packet_decap(udp);
      vni = vx->vni;
      ether_pkt * inner = packet_decap(vx);
      inner_dst = inner->dst;
      ipv4_pkt * inner_ip = packet_decap(inner);
      inner_src = inner_ip->src;
      inner = packet_encap(inner_ip);
      vx = packet_encap(inner, 8);
      udp = packet_encap(vx);
    }
"""


def parser(kind: str) -> Program:
    """Headers that only an empty access list needs."""
    names = [name for name, _ in FIELDS]
    keys = ACL_KEY
    parse = L4 % ""
    inner = b""
    if kind == "vxlan":
        # A control function takes at most 16 numbers.
        names = ["src", "dst_port", "vni", "inner_dst", "inner_src"]
        keys = (
            "ternary u32 src; ternary u16 dst_port; ternary u32 vni;"
            " ternary u48 inner_dst; ternary u32 inner_src;"
        )
        parse = (
            "  u32 vni = 0;\n  u48 inner_dst = 0;\n  u32 inner_src = 0;\n" + L4 % VXLAN
        )
        inner = struct.pack(">II", 1 << 27, 7 << 8) + frame(flows(1, 1)[0])
    source = PARSER % {"keys": keys, "parse": parse, "names": ", ".join(names)}
    rng = random.Random(3)
    traffic = flows(3)
    if kind == "vxlan":
        frames = tuple(
            frame((s, d, 17, p, 0), inner, 4789)
            for s, d, _, p, _ in rng.choices(traffic, k=FRAMES)
        )
    else:
        frames = frames_of(traffic, 3)
    return Program(f"parser-{kind}", source, "", frames)


#: What each of the 15 rewrites writes.
REWRITES = (
    "mac_dst:48 mac_src:48 type:16 first:16 id:16 fragment:16 ttl:8 proto:8"
    " checksum:16 src:32 dst:32 src_port:16 dst_port:16 length:16 rest:32"
)


def rewrites() -> Program:
    """Fifteen fields get the values of the one action that is installed."""
    fields = [each.split(":") for each in REWRITES.split()]
    values = " ".join(f"u{bits} v{i};" for i, (_, bits) in enumerate(fields))
    body = "  actions * a = actions.find(ph->type);\n"
    for i, (name, _) in enumerate(fields):
        place = f"{name}[1]" if name == "rest" else name
        body += f"  ph->{place} = a->v{i};\n"
    source = module(
        f"  table actions {{ key {{ u16 kind; }} value {{ {values} }} size 1000; }}\n",
        body,
    )
    rng = random.Random(15)
    arguments = ", ".join(
        f"v{i}: {rng.getrandbits(int(bits))}" for i, (_, bits) in enumerate(fields)
    )
    control = f"actions.add(0x800, {arguments})\n"
    return Program("rewrite-15", source, control, frames_of(flows(15), 15))


def update_storm(distance: int) -> Program:
    """An entry is changed before every packet whose number `distance` divides."""
    source = module(
        acl("acl", 1000)
        + "  table hops { key { u32 dst; } value { u8 port; } size 99; }\n",
        find("acl") + "  hops * hop = hops.find(ph->dst);\n  if (hop) ph->ttl = 1;\n",
    )
    calls = ["hops.add(1, port: 0)"]
    for i in range(20):
        calls.append(f"@packet {i * distance} hops.change(1, port: {i % 4})")
    if distance == 1:
        calls[1:] = [
            f"@packet {i} hops.change(1, port: {i % 4})" for i in range(FRAMES)
        ]
    control = "\n".join(calls) + "\n"
    return Program(f"updates-{distance}", source, control, frames_of(flows(9), 9))


def cases(rules: tuple[int, ...] = (1, 8, 64, 256, 1000, 4096)) -> list[Program]:
    return [
        *(empty_tables(count) for count in (1, 4, 16)),
        parser("l4"),
        parser("vxlan"),
        *(access_list(count, 3) for count in rules),
        *(access_list(64, fields) for fields in (1, 2, 4, 5)),
        rewrites(),
    ]
