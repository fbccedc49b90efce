// A chip with Rx, Tx and a trace.
//
// Shared by the tests of the runtime's microcode: a chip whose free list and
// rings are set up as the loader does it, engines that run assembled files,
// ports that replay a trace, and the frames sent.

#ifndef KARAKAL_TESTS_SIM_IXP_RUNNINGCHIP_H
#define KARAKAL_TESTS_SIM_IXP_RUNNINGCHIP_H

#include "sim-ixp/engine/PrepareProgram.h"
#include "sim-ixp/media/Msf.h"
#include "sim-ixp/run/Chip.h"
#include "target-ixp/assembler/Assembler.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RingLayout.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace karakal::sim {

/// Keeps the first fault and counts ring messages.
struct TestObserver : ChipObserver {
  std::string fault;
  uint64_t emptyGets = 0;
  void onFault(uint32_t engine, const std::string &what) override {
    if (fault.empty())
      fault = "actor " + std::to_string(engine) + " " + what;
  }
  void onEmptyGet(const Command &) override { ++emptyGets; }
};

/// The chip of one test.
class RunningChip {
public:
  RunningChip(std::vector<traces::Packet> trace, const TrafficOptions &options,
              const target::ChipParameters &parameters = {})
      : chip(parameters, observer), source(std::move(trace), options),
        msf(chip.chassis(), observer, source) {
    chip.connectMedia(&msf);
    // A partition of the transmit buffer for each port, all enabled.
    constexpr uint32_t control = msf::widthBits(msf::BusWidth::Four8);
    msf.writeRegister(target::MsfTxControl,
                      control | msf::channelsOf(control)
                                    << msf::controlChannelShift,
                      xscaleActor);
    msf.onSent([this](const SentFrame &frame) { sent.push_back(frame); });
    for (uint32_t ring : {target::RingRx, target::RingTx})
      chip.scratch().configureRing(ring, target::scratchRing(ring).base,
                                   target::scratchRing(ring).words, false);
    for (uint32_t i = 0; i < target::BufferCount; ++i)
      chip.sram(target::FreeListChannel)
          .fillQueue(target::FreeListEntry, target::handleOfBuffer(i));
  }

  /// Assembles a file of the repository and starts it on an engine.
  void load(uint32_t engine, const std::string &path,
            const std::map<std::string, std::string> &defines = {}) {
    auto program = target::assembleFile(
        std::string(KARAKAL_SOURCE_DIR) + "/" + path, defines);
    ASSERT_TRUE(bool(program)) << program.error().str();
    chip.engine(engine).load(
        std::make_shared<const MicroProgram>(prepareProgram(program->words)));
    chip.engine(engine).start(0xff);
  }

  /// Runs until nothing is left in the chip, or for `cyclesMax`.
  bool runToEnd(uint64_t cyclesMax) {
    uint64_t look = 0;
    while (observer.fault.empty() && chip.scheduler().now() < cyclesMax) {
      look += 10'000;
      chip.runTo(look);
      if (msf.isReceiveDone() && msf.isTransmitDone() && isEveryBufferFree())
        return true;
    }
    return false;
  }

  /// Rx keeps up to one buffer in each of its contexts.
  bool isEveryBufferFree() {
    return chip.sram(0).queueLevel(0) >=
           target::BufferCount - target::ContextCount;
  }
  uint32_t counter(uint32_t address) {
    return chip.scratch().memory().readWord(address);
  }

  TestObserver observer;
  Chip chip;
  TrafficSource source;
  Msf msf;
  std::vector<SentFrame> sent;
};

} // namespace karakal::sim

#endif // KARAKAL_TESTS_SIM_IXP_RUNNINGCHIP_H
