// Packet accesses by their offset from an anchor.
//
// baker-pac treats the bytes of a packet as an object that begins at an
// *anchor*: a handle that is at no constant distance from an earlier one (from
// a ring, a copy, after a decap of a variable size, or where handles with
// different anchors meet). Every other handle is at a constant distance from
// its anchor, so its accesses are ranges of bits relative to the anchor.
//
// Metadata are the bytes of the packet's descriptor. There the anchor is the
// packet: all its handles have the same descriptor, wherever their heads are.

#ifndef KARAKAL_PASSES_PAC_PACPACKETS_H
#define KARAKAL_PASSES_PAC_PACPACKETS_H

#include "ir/dialect/Baker.h"
#include "support/Assert.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <vector>

namespace karakal::passes::pac {

/// The position of a handle's head: `delta` bytes after its anchor's.
struct AnchorOffset {
  mlir::Value anchor;
  int32_t delta = 0;

  bool operator==(const AnchorOffset &other) const {
    return anchor == other.anchor && delta == other.delta;
  }
};

/// The byte of its buffer at which the head of `handle` is, if it is a packet
/// from Rx or packet_create, or from a channel whose packets have one head
/// (`baker.head` of channel-heads).
std::optional<int32_t> headOf(mlir::Value handle);

/// The bytes whose accesses are combined.
enum class Bytes { Data, Descriptor };

/// The offsets of all handles of a function. The analysis is optimistic: a
/// block argument is an anchor only if two different offsets meet in it.
class AnchorOffsets {
public:
  AnchorOffsets(mlir::func::FuncOp function, Bytes bytes);

  AnchorOffset of(mlir::Value handle) const { return offsets.lookup(handle); }
  mlir::ArrayRef<mlir::Value> handles() const { return order; }

private:
  bool visit(mlir::Block &block);
  bool set(mlir::Value handle, AnchorOffset offset);
  std::optional<AnchorOffset> incoming(mlir::BlockArgument argument);

  Bytes bytes;
  llvm::DenseMap<mlir::Value, AnchorOffset> offsets;
  std::vector<mlir::Value> order;
};

/// An access of the bytes of an anchor, in the order of its block.
struct Event {
  enum Kind { Read, Write, Flush, Drop };
  Kind kind;
  mlir::Operation *op;
  /// The handle that is current at `op`.
  mlir::Value handle;
  /// Read, Write: the first bit relative to the anchor's head, and the width.
  int32_t bit = 0;
  uint32_t width = 0;
  /// Flush: why memory must be up to date.
  const char *why = nullptr;

  bool isAccess() const { return kind == Read || kind == Write; }
  int32_t byteBegin() const { return bit >> 3; }
  int32_t byteEnd() const { return (bitEnd() + 7) >> 3; }
  int32_t bitEnd() const { return bit + int32_t(width); }
};

/// The range of bytes of an anchor that sets of bytes or bits cover; `low` is
/// the offset of the first byte.
struct Window {
  int32_t low = 0, high = 0;
  unsigned size() const { return high - low; }
  bool contains(int32_t byte) const { return byte >= low && byte < high; }
  llvm::BitVector none() const { return llvm::BitVector(size()); }
  void add(llvm::BitVector &bytes, int32_t begin, int32_t end) const {
    KARAKAL_ASSERT(begin >= low && end <= high, "bytes of the window");
    bytes.set(begin - low, end - low);
  }
  llvm::BitVector noBits() const { return llvm::BitVector(8 * size()); }
  void addBits(llvm::BitVector &bits, int32_t begin, int32_t end) const {
    KARAKAL_ASSERT(begin >= 8 * low && end <= 8 * high, "bits of the window");
    bits.set(begin - 8 * low, end - 8 * low);
  }
  bool hasBit(const llvm::BitVector &bits, int32_t bit) const {
    return bits.test(bit - 8 * low);
  }
  /// The bytes with at least one bit in `bits`.
  llvm::BitVector bytesOf(const llvm::BitVector &bits) const {
    llvm::BitVector bytes = none();
    for (unsigned bit : bits.set_bits())
      bytes.set(bit / 8);
    return bytes;
  }
};

/// The bytes of an anchor, and their accesses.
struct Anchor {
  Bytes bytes = Bytes::Data;
  mlir::Value value;
  /// The handles at a constant distance, in program order, and the distances.
  std::vector<mlir::Value> handles;
  llvm::DenseMap<mlir::Value, int32_t> delta;
  /// Ranges of bytes that writes outside of the plan may change.
  std::vector<std::pair<int32_t, int32_t>> volatileRanges;
  llvm::MapVector<mlir::Block *, std::vector<Event>> events;
  Window window;
  /// The head pointer's byte in the buffer, if known.
  std::optional<int32_t> head;
  /// Whether all bytes from the head on are zero at first.
  bool isZero = false;
  /// The alignment: quadwords (8), words (4) or no known units (1) begin at
  /// offsets that are `phase` modulo `grain`.
  int32_t grain = 1, phase = 0;
  /// If not null, nothing is combined because of this operation.
  mlir::Operation *blocker = nullptr;

  /// Whether a store writes whole units of `grain`.
  bool writesWhole() const { return bytes == Bytes::Descriptor || grain == 8; }
  /// The offset of the first unit of `size` (a power of 2) at or below `byte`.
  int32_t floorTo(int32_t byte, int32_t size) const {
    return byte - ((byte - phase) & (size - 1));
  }
  int32_t ceilTo(int32_t byte, int32_t size) const {
    return floorTo(byte + size - 1, size);
  }
  bool isVolatile(int32_t begin, int32_t end) const {
    return llvm::any_of(volatileRanges, [&](auto range) {
      return begin < range.second && range.first < end;
    });
  }
};

/// Returns the current handle of the anchor before `op`: the last of those that
/// dominate it.
mlir::Value handleBefore(const Anchor &anchor, mlir::DominanceInfo &dominance,
                         mlir::Operation *op);

/// Returns the anchors of `function` with their events, in the order of their
/// values. Requires `splitEdges`.
std::vector<Anchor> findAnchors(mlir::func::FuncOp function, Bytes bytes);

/// Gives each edge that passes a packet to a block argument with another
/// anchor a block of its own, so that code can be put on the edge.
void splitEdges(mlir::func::FuncOp function, Bytes bytes);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACPACKETS_H
