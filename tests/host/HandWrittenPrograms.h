// Programs of LLVM IR of the form that the compiler makes, and their inputs.

#ifndef KARAKAL_TESTS_HOST_HANDWRITTENPROGRAMS_H
#define KARAKAL_TESTS_HOST_HANDWRITTENPROGRAMS_H

#include "host/HostRunner.h"
#include "support/Assert.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>
#include <vector>

namespace karakal::host {

inline constexpr const char *Declarations = R"(
declare i64 @baker_packet_read(i32, i32, i32)
declare void @baker_packet_write(i32, i32, i32, i64)
declare i32 @baker_meta_read(i32, i32)
declare void @baker_meta_write(i32, i32, i32)
declare i32 @baker_rx_port(i32)
declare void @baker_set_tx_port(i32, i32)
declare i32 @baker_packet_length(i32)
declare i32 @baker_packet_decap(i32, i32)
declare i32 @baker_packet_encap(i32, i32)
declare i32 @baker_packet_copy(i32)
declare i32 @baker_packet_create(i32)
declare i32 @baker_packet_add_tail(i32, i32)
declare i32 @baker_packet_remove_tail(i32, i32)
declare i32 @baker_packet_headroom(i32)
declare i32 @baker_tx_port(i32)
declare void @baker_packet_drop(i32, i32)
declare void @baker_channel_put(i32, i32)
declare void @baker_profile_add(i32, i32)
declare void @baker_profile_load(i32, i32)
)";

/// A program whose PPF @in takes the packets of rx.
inline HostProgram makeProgram(const std::string &text) {
  HostProgram program;
  program.context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  program.module = llvm::parseAssemblyString(Declarations + text, diagnostic,
                                             *program.context);
  KARAKAL_ASSERT(program.module, diagnostic.getMessage().str());
  program.rxEntry = "in";
  program.ppfs = {{"in", false}};
  program.dropReasons = {"unspecified", "truncated", "mine"};
  return program;
}

/// `count` frames of 60 bytes that hold their number, from four ports in turn.
inline std::vector<traces::Packet> makeTrace(size_t count) {
  std::vector<traces::Packet> trace(count);
  for (size_t i = 0; i < count; ++i) {
    trace[i].port = i % 4;
    trace[i].bytes.assign(60, uint8_t(i));
  }
  return trace;
}

inline std::vector<traces::ControlCall> makeControl(const std::string &text) {
  auto calls = traces::parseControl(text, "calls.txt");
  KARAKAL_ASSERT(bool(calls), "a control file");
  return *calls;
}

/// Runs in short bursts, so that code changes between most packets.
inline RunOptions optionsFor(SpecializeWhen when) {
  RunOptions options;
  options.fast = true;
  options.burst = 4;
  options.specialize.when = when;
  return options;
}

/// The ports by which frames left, in their order.
inline std::vector<uint32_t> ports(const HostRun &run) {
  std::vector<uint32_t> result;
  for (const traces::Packet &frame : run.transmitted)
    result.push_back(frame.port);
  return result;
}

} // namespace karakal::host

#endif // KARAKAL_TESTS_HOST_HANDWRITTENPROGRAMS_H
