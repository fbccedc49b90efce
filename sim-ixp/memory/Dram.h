// The DRAM unit.
//
// One 64-bit DDR channel, or several with interleaved addresses. The grain is 8
// bytes, and banks are interleaved by a few hundred bytes. A command waits for
// its bank and then for the data bus (DataBus.h); commands to different banks
// overlap. Each access opens its row and closes it again (with dram.open_rows
// it leaves the row open for hits). The data bus loses a clock between reads
// and writes, and a periodic refresh closes all banks. `rbuf_rd` and `tbuf_wr`
// move quadwords between DRAM and the media interface's buffers over the D
// buses, without touching an engine's registers.
//
// The core shares the storage. Its accesses queue after the commands that the
// unit has accepted: settle() applies their effects before the core's access.

#ifndef KARAKAL_SIM_IXP_MEMORY_DRAM_H
#define KARAKAL_SIM_IXP_MEMORY_DRAM_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/bus/Server.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/memory/DataBus.h"
#include "sim-ixp/memory/Memory.h"

#include <array>
#include <cstdint>
#include <vector>

namespace karakal::sim {

class ChipObserver;

/// The DRAM unit.
class Dram final : public CommandUnit, public EventTarget {
public:
  Dram(uint32_t bytes, Chassis &chassis, ChipObserver &observer);

  Memory &memory() { return storage; }
  /// Sets the owner of the receive and transmit buffers.
  void connectMedia(MediaInterface *media) { buffers = media; }

  /// Applies the effects of all accepted commands to memory. Their service
  /// times, and all that an engine can see, stay the same.
  void settle();

  /// Occupies bus and bank for an access of the XScale core from `now` on;
  /// returns the first cycle of its service.
  uint64_t coreAccess(uint32_t address, uint32_t bytes, bool isWrite,
                      uint64_t now);

  void accept(Command &command) override;
  void onMoved(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  uint32_t channelCount() const {
    return static_cast<uint32_t>(channels.size());
  }
  /// The data bus of a channel.
  const DataBus &bus(uint32_t channel = 0) const {
    return channels[channel].dataBus;
  }
  /// Banks of all channels.
  uint32_t bankCount() const { return channelCount() * banksPerChannel; }
  const Server &bank(uint32_t index) const {
    return channels[index / banksPerChannel]
        .banks[index % banksPerChannel]
        .server;
  }

private:
  /// The start times of a burst's first and last piece.
  struct BurstTimes {
    uint64_t first;
    uint64_t last;
  };
  struct Bank {
    Server server;
    uint64_t openRow = ~uint64_t{0};
  };
  struct Channel {
    DataBus dataBus;
    std::vector<Bank> banks;
    uint64_t nextRefresh = 0;
  };
  uint32_t bankOf(uint64_t block) const;
  uint64_t blockOf(uint64_t address) const;
  Channel &channelOf(uint64_t address);
  uint64_t pieceEnd(uint64_t address, uint64_t end) const;
  BurstTimes reserve(uint64_t address, uint64_t bytes, bool isWrite,
                     uint64_t notBefore);
  uint64_t bankCycles(Bank &bank, uint64_t address, uint64_t quads) const;
  uint64_t burstLag(uint32_t quads) const;
  void refresh(Channel &channel, uint64_t cycle);
  void act(Command &command);
  void serve(uint64_t cycle, Command &command);
  void moveBuffer(Command &command);

  Chassis &chassis;
  ChipObserver &observer;
  Memory storage;
  UnitTiming timing;
  MediaInterface *buffers = nullptr;
  uint32_t banksPerChannel;
  std::vector<Channel> channels;
  /// Shifts that divide by dram.bank_bytes and by the number of banks, if these
  /// are powers of two; otherwise 0.
  uint32_t blockShift = 0;
  uint32_t bankShift = 0;
  bool isHashed = true; ///< dram.bank_hash
  /// Digit sums, in base `banks`, of all numbers of `digitBits` bits.
  uint32_t digitBits = 0;
  std::array<uint8_t, 256> digitSums{};
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEMORY_DRAM_H
