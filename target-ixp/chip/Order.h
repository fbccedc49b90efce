// Numbers that keep the order of packets.
//
// Contexts work on packets at the same time, so a packet may overtake an
// earlier one. In an image whose order is kept (bakerc --order=port), Rx
// numbers its packets, and Tx sends them, and gives those for the XScale core
// to it, by these numbers: a packet that comes too early waits in Tx's local
// memory. A packet that ends otherwise gives its number up by a message to Tx.
// A copy, a packet that the program makes and one that comes back from the core
// have no number and wait for nothing.
//
//   Rx     →  ring rx, second word   head << 16 | length | ticket
//   engine →  ring tx, second word   head << 16 | length | ticket
//   engine →  ring tx, given up      first word 1, second OrderControl | ticket
//   engine →  ring tx, to the core   first word its message, second the same
//   between engines: the packed ticket in the descriptor's word of ports
//
// A ticket is the number modulo 256 and a bit that says that there is one. Its
// bits are those that head (11 bits) and length (12 bits) leave:
//
//   31      30..27          26..16   15..12           11..0
//   valid   number 7..4     head     number 3..0      length
//
// So many packets can have a number at a time: Rx gives out the numbers of a
// block of 32 when the block 256 numbers before has left Tx. As Tx has a place
// for each number, it takes every message at once, and nobody waits for it.

#ifndef KARAKAL_TARGET_IXP_CHIP_ORDER_H
#define KARAKAL_TARGET_IXP_CHIP_ORDER_H

#include "target-ixp/chip/Rings.h"

namespace karakal::target {

constexpr uint32_t OrderNumbers = 256;
constexpr uint32_t OrderBlock = 32;
constexpr uint32_t OrderBlocks = OrderNumbers / OrderBlock;

constexpr uint32_t TicketValid = 1u << 31;
constexpr uint32_t TicketMask = 0xf800f000;
constexpr uint32_t PlaceLengthMask = 0xfff; ///< the length beside a ticket
constexpr uint32_t PlaceHeadMask = 0x7ff;   ///< the head, shifted down
static_assert((TicketMask & (PlaceHeadMask << 16 | PlaceLengthMask)) == 0 &&
              BufferBytes <= PlaceLengthMask &&
              BufferBytes - 1 <= PlaceHeadMask);

/// In the low half of a descriptor's ports the upper five bits of a ticket are
/// lower by this.
constexpr uint32_t TicketPackShift = 20;
constexpr uint32_t TicketLowMask = 0xf000;
constexpr uint32_t TicketPackedHighMask = TicketMask >> TicketPackShift & 0xf80;
constexpr uint32_t TicketPackedValid = TicketValid >> TicketPackShift;

constexpr uint32_t ticketOf(uint32_t number) {
  return TicketValid | (number >> 4 & 15) << 27 | (number & 15) << 12;
}
constexpr uint32_t packedTicket(uint32_t ticket) {
  return (ticket & TicketLowMask) |
         (ticket >> TicketPackShift & TicketPackedHighMask);
}
static_assert(packedTicket(ticketOf(0xa5)) == 0x5d00);

/// Head and length of a message that is no packet to send: no packet is so
/// long.
constexpr uint32_t OrderControl = PlaceHeadMask << 16 | PlaceLengthMask;
/// The first word of a message that gives a number up: no handle.
constexpr uint32_t OrderGivenUp = 1;

/// A word of scratch: the blocks of numbers that have left Tx [K].
constexpr uint32_t OrderReleased = 0x3b14;
static_assert(OrderReleased > EngineStopWord &&
              OrderReleased < StoppedContextsWord);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_ORDER_H
