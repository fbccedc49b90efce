// An image made without the compiler.
//
// Rx and Tx of the runtime with a hand-written program between them, which
// sends every packet out of the port at which it arrived. It stands for a
// compiled program: four commands per packet besides its ring get and put.

#ifndef KARAKAL_TESTS_SIM_IXP_FORWARDIMAGE_H
#define KARAKAL_TESTS_SIM_IXP_FORWARDIMAGE_H

#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RingLayout.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/image/Manifest.h"
#include "traces/Packet.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace karakal::sim::testing {

/// Sends packets back. `body` runs with the handle in `buffer` and its port
/// word in `ports`, and may branch to done# (sent) or end with next#.
inline std::string forwardProgram(const std::string &body = "") {
  return R"(
.reg zero buffer address ports temp again
.reg read $message $second $ports
.xfer_order $message $second
.reg write $out $none
.xfer_order $out $none
.sig got described written put_done
    immed[zero, 0]
next#:
    scratch[get, $message, zero, 0, 2], ctx_swap[got]
    ld_field_w_clr[buffer, 0111, $message], load_cc
    beq[next#]
    alu_shf[address, --, B, buffer, <<2]
    sram[read, $ports, address, 8, 1], ctx_swap[described]
    alu[ports, --, B, $ports]
)" + body +
         R"(
done#:
    alu_shf[temp, --, B, ports, >>24]
    alu_shf[again, --, B, temp, <<8]
    alu[temp, temp, OR, again]
    alu_shf[$out, --, B, temp, <<16]
    sram[write, $out, address, 8, 1], ctx_swap[written]
full#:
    br_inp_state[scr_ring1_status, wait#]
    alu[$out, --, B, buffer]
    alu[$none, --, B, 0]
    scratch[put, $out, zero, 4, 2], ctx_swap[put_done]
    br[next#]
wait#:
    ctx_arb[voluntary], br[full#]
)";
}

/// A body that drops the packets of odd ports: their counter, then the free
/// list.
inline const char *const dropOddPorts = R"(
    .reg counters
    alu_shf[temp, 0x1, AND, ports, >>24]
    beq[done#]
    immed[counters, 0x3c00]
    scratch[incr, --, counters, 0]
    sram[enqueue, --, buffer, 0]
    br[next#]
)";

inline std::vector<uint64_t> assembled(const std::string &text,
                                       const std::string &name) {
  std::vector<target::Diagnostic> diagnostics;
  auto program = target::assembleText(text, name, {}, diagnostics);
  for (const target::Diagnostic &diagnostic : diagnostics)
    ADD_FAILURE() << diagnostic.str();
  return program ? program->words : std::vector<uint64_t>{};
}

inline nlohmann::json ringOf(uint32_t number, const char *name,
                             const char *status) {
  target::ScratchRing ring = target::scratchRing(number);
  return {{"number", number},
          {"name", name},
          {"base", ring.base},
          {"words", ring.words},
          {"contexts", ring.load.contexts},
          {"message_words", ring.load.messageWords},
          {"status", status}};
}

/// An image that runs `appText` on engines 1 to `engines`.
inline target::Image makeImage(const std::string &appText,
                               uint32_t engines = 6) {
  target::Image image;
  std::string runtime = std::string(KARAKAL_SOURCE_DIR) + "/runtime/";
  for (const char *role : {"rx", "tx"}) {
    auto program = target::assembleFile(runtime + role + ".uc");
    EXPECT_TRUE(static_cast<bool>(program))
        << (program ? "" : program.error().str());
    if (program)
      image.microcode[role] = program->words;
  }
  image.microcode["main"] = assembled(appText, "main.uc");
  nlohmann::json list = nlohmann::json::array();
  nlohmann::json apps = nlohmann::json::array();
  list.push_back({{"engine", 0}, {"role", "rx"}, {"ucode", "rx"}});
  for (uint32_t i = 1; i <= engines; ++i) {
    apps.push_back(i);
    list.push_back({{"engine", i},
                    {"role", "app"},
                    {"ucode", "main"},
                    {"aggregate", "main"}});
  }
  list.push_back({{"engine", 7}, {"role", "tx"}, {"ucode", "tx"}});
  image.manifest = {
      {"format", "karakal-image"},
      {"version", target::ImageVersion},
      {"target", "ixp2400"},
      {"program", "forward"},
      {"level", "base"},
      {"aggregates",
       {{{"name", "main"},
         {"ucode", "main"},
         {"words", image.microcode["main"].size()},
         {"engines", apps}}}},
      {"engines", list},
      {"buffers", target::describeBuffers()},
      {"rings",
       {ringOf(0, "rx", "full"), ringOf(1, "tx", "full"),
        ringOf(2, "to_xscale", "full"), ringOf(3, "from_xscale", "empty")}},
      {"drop_reasons", {"unspecified", "truncated"}},
      {"drop_counters", target::DropCounterBase},
      {"globals", nlohmann::json::array()}};
  return image;
}

/// `count` frames of `bytes` bytes, all ports in turn, each numbered in its
/// last four bytes.
inline std::vector<traces::Packet> makeTrace(uint32_t count, uint32_t bytes,
                                             uint32_t ports = 4) {
  std::vector<traces::Packet> trace(count);
  for (uint32_t i = 0; i < count; ++i) {
    trace[i].port = i % ports;
    trace[i].bytes.assign(bytes, static_cast<uint8_t>(i * 7));
    for (uint32_t n = 0; n < 4; ++n)
      trace[i].bytes[bytes - 4 + n] = static_cast<uint8_t>(i >> (24 - 8 * n));
  }
  return trace;
}

} // namespace karakal::sim::testing

#endif // KARAKAL_TESTS_SIM_IXP_FORWARDIMAGE_H
