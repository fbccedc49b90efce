// A program of many lines.

#ifndef KARAKAL_TESTS_BAKER_LANG_LONGPROGRAM_H
#define KARAKAL_TESTS_BAKER_LANG_LONGPROGRAM_H

#include <string>

namespace karakal {

/// A program of at least `lines` lines with functions like those of a router.
inline std::string longProgram(unsigned lines) {
  std::string text =
      "protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }\n"
      "protocol ipv4 { version : 4; ihl : 4; tos : 8; length : 16; rest : 32;\n"
      "  ttl : 8; protocol : 8; checksum : 16; src : 32; dst : 32;\n"
      "  demux { ihl << 2 }; }\n"
      "struct hop { u48 mac; u8 port; u32 packets[2]; };\n"
      "module m { ppf p { in ether_pkt * in_cc; }\n"
      "  wiring { rx -> p.in_cc; }\n"
      "  p.ppf(ether_pkt * ph) { packet_drop(ph); } }\n";
  unsigned count = 8;
  for (unsigned n = 0; count < lines; ++n, count += 20) {
    std::string i = std::to_string(n);
    text += "hop hops" + i + "[64];\nu32 seen" + i + "[16];\n";
    text += "u32 find" + i +
            "(u32 address, u8 length) {\n"
            "  u32 best = 0xffffffff;\n"
            "  for (u32 i = 0; i < 16; i++) {\n"
            "    if (seen" +
            i +
            "[i] == address && length > 8)\n"
            "      best = i << 2 | (length & 3);\n"
            "    else if ((address >> i & 1) != 0)\n"
            "      seen" +
            i +
            "[i & 15] += best - address / 3;\n"
            "  }\n"
            "  return best;\n"
            "}\n"
            "void forward" +
            i +
            "(ipv4_pkt * ph) {\n"
            "  u32 hop = find" +
            i +
            "(ph->dst, ph->ttl);\n"
            "  // What the next router is told.\n"
            "  ph->ttl -= 1;\n"
            "  ph->checksum = ph->checksum + 0x100;\n"
            "  hops" +
            i +
            "[hop & 63].packets[1]++;\n"
            "  ph->metadata.tx.port = hops" +
            i +
            "[hop & 63].port;\n"
            "}\n";
  }
  return text;
}

} // namespace karakal

#endif // KARAKAL_TESTS_BAKER_LANG_LONGPROGRAM_H
