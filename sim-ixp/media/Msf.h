// The media switch fabric interface.
//
// The unit between engines and ports. Its commands are msf read, write and
// fast_wr; its registers are those of MsfRegisters.h. MsfReceive is the receive
// side and MsfTransmit the transmit side; this class decodes commands and holds
// the state that both share.
//
// It also records which received frame each packet buffer holds: rbuf_rd
// assigns a frame's number to the buffer that it writes, tbuf_wr passes it to
// the transmit element. Software cannot see this; the run's report uses it for
// latency and order.

#ifndef KARAKAL_SIM_IXP_MEDIA_MSF_H
#define KARAKAL_SIM_IXP_MEDIA_MSF_H

#include "sim-ixp/bus/Chassis.h"
#include "sim-ixp/media/MediaInterface.h"
#include "sim-ixp/media/MsfReceive.h"
#include "sim-ixp/media/MsfTransmit.h"
#include "sim-ixp/media/TrafficSource.h"
#include "target-ixp/chip/MemoryMap.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace karakal::sim {

class ChipObserver;

/// The MSF with its ports. `onSent` of the transmit side is the sink.
class Msf : public MediaInterface, public EventTarget {
public:
  Msf(Chassis &chassis, ChipObserver &observer, TrafficSource &source);

  /// Called with each transmitted frame, in the order of leaving.
  void onSent(std::function<void(const SentFrame &)> callback) {
    transmit.onSent(std::move(callback));
  }
  /// Where the packet buffers lie in DRAM; at first as the memory map says.
  void setBuffers(uint32_t base, uint32_t strideBytes, uint32_t count) {
    bufferBase = base;
    bufferStride = strideBytes;
    origins.assign(count, FrameOrigin());
  }
  /// Called when a handle returns to the free list: its buffer holds no
  /// received frame until the next rbuf_rd into it.
  void forgetBuffer(uint32_t handle) {
    originOfBuffer(target::bufferAddress(handle)) = FrameOrigin();
  }
  const ReceiveStatistics &receiveStatistics() const {
    return receive.statistics();
  }
  const TransmitStatistics &transmitStatistics() const {
    return transmit.statistics();
  }
  const Server &receiveBus() const { return receive.bus(); }
  const Server &transmitBus() const { return transmit.bus(); }

  void accept(Command &command) override;
  void onPulled(Command &command) override;
  void onEvent(uint64_t cycle, uint32_t code, uint64_t argument) override;

  void readRbuf(uint32_t address, uint8_t *to, uint32_t bytes) override;
  void writeTbuf(uint32_t address, const uint8_t *from,
                 uint32_t bytes) override;
  void onBufferMove(bool isReceive, uint32_t mediaAddress,
                    uint32_t dramAddress) override;

  uint32_t readRegister(uint32_t address) const override;
  void writeRegister(uint32_t address, uint32_t value,
                     uint32_t engine) override;

  /// Frames wait at the ports; MsfReceive::setHeld.
  void holdFrames(bool isHeld) { receive.setHeld(isHeld); }
  /// Whether a part of a frame is in the receive buffer.
  bool isReceiving() const { return receive.hasElements(); }

  void start() override;
  bool isReceiveDone() const override { return receive.isDone(); }
  bool isTransmitDone() const override { return transmit.isDone(); }
  uint64_t arrivedCount() const override {
    return receive.statistics().framesArrived;
  }

  /// The number of the frame in a DRAM buffer.
  uint64_t numberOfBuffer(uint32_t dramAddress) {
    return originOfBuffer(dramAddress).number;
  }

private:
  void configure(uint32_t address, uint32_t value, uint32_t engine);
  void serveRead(Command &command);
  void serveWrite(Command &command);
  FrameOrigin &originOfBuffer(uint32_t dramAddress);

  Chassis &chassis;
  ChipObserver &observer;
  MsfReceive receive;
  MsfTransmit transmit;
  /// Registers that only store what is written, by word.
  std::vector<uint32_t> storedRegisters;
  uint32_t bufferBase = target::BufferDramBase;
  uint32_t bufferStride = target::BufferStride;
  /// One per packet buffer.
  std::vector<FrameOrigin> origins;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_MSF_H
