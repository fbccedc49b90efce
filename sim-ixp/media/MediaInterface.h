// The interface between the chip and its media interface.
//
// The media switch fabric interface is a command unit like any other (msf read,
// write, fast_wr) with two more duties: it holds the receive and transmit
// buffers that `dram[rbuf_rd]` and `dram[tbuf_wr]` move, and it knows when the
// offered traffic has ended. The DRAM unit times the moves and calls readRbuf
// or writeTbuf when the data is transferred.

#ifndef KARAKAL_SIM_IXP_MEDIA_MEDIAINTERFACE_H
#define KARAKAL_SIM_IXP_MEDIA_MEDIAINTERFACE_H

#include "sim-ixp/bus/Command.h"

#include <cstdint>

namespace karakal::sim {

/// The media interface as the rest of the chip sees it.
class MediaInterface : public CommandUnit {
public:
  /// Copies `bytes` from the receive buffer; `address` is in MSF space
  /// (0x2000 + element * element size + offset).
  virtual void readRbuf(uint32_t address, uint8_t *to, uint32_t bytes) = 0;
  /// Copies `bytes` into the transmit buffer; `address` as above.
  virtual void writeTbuf(uint32_t address, const uint8_t *from,
                         uint32_t bytes) = 0;

  /// Called with each such move; gives the DRAM byte address that the data goes
  /// to (isReceive) or comes from. The media interface uses it to match
  /// transmitted frames with received ones.
  virtual void onBufferMove(bool isReceive, uint32_t mediaAddress,
                            uint32_t dramAddress) {}

  /// A register, or a word of the buffers, at a byte address in MSF space;
  /// `engine` is the writer, which may be xscaleActor.
  virtual uint32_t readRegister(uint32_t address) const = 0;
  virtual void writeRegister(uint32_t address, uint32_t value,
                             uint32_t engine) = 0;

  /// Does what the board's loader does, where software has not: divides the
  /// transmit buffer into a partition for each port, frees the usable receive
  /// elements and enables all channels.
  virtual void start() = 0;
  /// True when every offered packet has been received, dropped at the pins or
  /// refused, and none is left on a wire or in the receive buffer.
  virtual bool isReceiveDone() const = 0;
  /// True when no valid element is in the transmit buffer or on an output wire.
  virtual bool isTransmitDone() const = 0;
  /// Packets of the trace that have begun to arrive (for `@packet N` calls, the
  /// progress bar and the end of warm-up).
  virtual uint64_t arrivedCount() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_MEDIA_MEDIAINTERFACE_H
