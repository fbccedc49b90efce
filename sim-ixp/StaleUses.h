//===- StaleUses.h - what caches served, and what of it was old -*- C++ -*-===//
//
// The image says which words of local memory are copies of which globals. Each
// read of such a word is compared with the word at home: the use is stale if
// they differ at that moment, and a packet is stale if it made a stale use. An
// engine that runs ahead of the others (see docs/statistics.md) sees the home
// as of the last thing that it could notice.
//
//===----------------------------------------------------------------------===//

#ifndef KARAKAL_SIM_IXP_STALEUSES_H
#define KARAKAL_SIM_IXP_STALEUSES_H

#include "sim-ixp/Accounting.h"
#include "sim-ixp/Chip.h"
#include "sim-ixp/Loader.h"
#include "target-ixp/Image.h"

#include <array>
#include <string>
#include <vector>

namespace karakal::sim {

/// The uses of one copied global, by all engines, over the whole run.
struct CopyUses {
  std::string global;
  uint64_t interval = 0;     ///< packets between looks, of all engines
  uint64_t reads = 0;        ///< words read from the copies
  uint64_t staleReads = 0;   ///< of these, unlike the word at home
  uint64_t stalePackets = 0; ///< packets with such a read
  uint64_t homeReads = 0;    ///< commands at the home: fills, and misses
};

/// Listens to the engines of the program.
class StaleUses : public LocalMemoryListener, public CommandListener {
public:
  /// Connects itself to the engines of `chip` that run the program, if the
  /// image has caches at all.
  StaleUses(const target::Image &image, const EnginePlans &plans, Chip &chip);

  const std::vector<CopyUses> &uses() const { return results; }
  /// Commands that read a version word.
  uint64_t lookCount() const { return looks; }
  /// Packets with a stale use of any copy.
  uint64_t stalePacketCount() const { return stalePackets; }

  void onLocalRead(uint32_t engine, uint32_t context, uint32_t word,
                   uint32_t value) override;
  void onCommand(const Command &command) override;
  void onNewPacket(uint32_t engine, uint32_t context) override;

private:
  struct Copy {
    uint32_t begin, end;   ///< words of local memory
    const Memory *home;    ///< null if there is no such memory
    uint32_t homeAddress;  ///< bytes, in that memory
    uint32_t commandBegin; ///< as commands address it
    uint32_t commandEnd;
    bool isScratch;
  };

  std::vector<Copy> copies;
  std::vector<uint32_t> versions; ///< addresses of commands, bit 0: scratch
  std::vector<CopyUses> results;
  /// Bit i: the context's packet used copy i stale.
  std::array<std::array<uint64_t, 8>, Chip::engineCount> staleMasks{};
  uint64_t looks = 0, stalePackets = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_STALEUSES_H
