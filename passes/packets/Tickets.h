// Tickets, by which Tx keeps the order of packets.

#ifndef KARAKAL_PASSES_PACKETS_TICKETS_H
#define KARAKAL_PASSES_PACKETS_TICKETS_H

#include "llvm/ADT/StringRef.h"

namespace karakal::passes {

/// Set on a module: the second words of messages from Rx and to Tx have tickets
/// (target-ixp/chip/Order.h).
inline constexpr llvm::StringLiteral orderAttrName = "baker.order.kept";

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_TICKETS_H
