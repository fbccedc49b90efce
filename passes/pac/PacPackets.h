// Packet accesses by place.
//
// Baker-pac sees the bytes of a packet as an object that begins at an *anchor*:
// a handle of which no earlier one is known at a constant distance (from a
// ring, a copy, after a decap of a variable size, or where handles with
// different anchors meet). Every other handle lies at a constant distance from
// its anchor, so an access of it is a run of bits relative to the anchor.
//
// Metadata are the bytes of the packet's descriptor. There the anchor is the
// packet: its handles lie all at the same place, wherever their heads are.

#ifndef KARAKAL_PASSES_PAC_PACPACKETS_H
#define KARAKAL_PASSES_PAC_PACPACKETS_H

#include "ir/dialect/Baker.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

#include <optional>
#include <vector>

namespace karakal::passes::pac {

/// Where the head of a handle is: `delta` bytes behind its anchor's.
struct Place {
  mlir::Value anchor;
  int32_t delta = 0;

  bool operator==(const Place &other) const {
    return anchor == other.anchor && delta == other.delta;
  }
};

/// Whether `handle` is a packet as the receiver or packet_create gives it: its
/// head is at target::BufferHeadroom.
bool isFresh(mlir::Value handle);

/// Whose bytes are looked at.
enum class Bytes { Data, Descriptor };

/// The place of every handle of a function. Optimistic: a block argument has
/// its own anchor only if two places really meet in it.
class Places {
public:
  Places(mlir::func::FuncOp function, Bytes bytes);

  Place of(mlir::Value handle) const { return places.lookup(handle); }
  mlir::ArrayRef<mlir::Value> handles() const { return order; }

private:
  bool visit(mlir::Block &block);
  bool set(mlir::Value handle, Place place);
  std::optional<Place> incoming(mlir::BlockArgument argument);

  Bytes bytes;
  llvm::DenseMap<mlir::Value, Place> places;
  std::vector<mlir::Value> order;
};

/// What happens to the bytes of one anchor, in the order of its block.
struct Event {
  enum Kind { Read, Write, Flush, Drop };
  Kind kind;
  mlir::Operation *op;
  /// The handle that is current at `op`.
  mlir::Value handle;
  /// Read, Write: the first bit relative to the anchor's head, and the width.
  int32_t bit = 0;
  uint32_t width = 0;
  /// Flush: why memory must hold what was written.
  const char *why = nullptr;

  bool isAccess() const { return kind == Read || kind == Write; }
  int32_t byteBegin() const { return bit >> 3; }
  int32_t byteEnd() const { return (bitEnd() + 7) >> 3; }
  int32_t bitEnd() const { return bit + int32_t(width); }
};

/// Sets of bytes or of bits of an anchor; `low` is the first byte's offset.
struct Window {
  int32_t low = 0, high = 0;
  unsigned size() const { return high - low; }
  bool contains(int32_t byte) const { return byte >= low && byte < high; }
  llvm::BitVector none() const { return llvm::BitVector(size()); }
  void add(llvm::BitVector &bytes, int32_t begin, int32_t end) const {
    bytes.set(begin - low, end - low);
  }
  llvm::BitVector noBits() const { return llvm::BitVector(8 * size()); }
  void addBits(llvm::BitVector &bits, int32_t begin, int32_t end) const {
    bits.set(begin - 8 * low, end - 8 * low);
  }
  bool hasBit(const llvm::BitVector &bits, int32_t bit) const {
    return bits.test(bit - 8 * low);
  }
  /// The bytes of which `bits` has any.
  llvm::BitVector bytesOf(const llvm::BitVector &bits) const {
    llvm::BitVector bytes = none();
    for (unsigned bit : bits.set_bits())
      bytes.set(bit / 8);
    return bytes;
  }
};

/// One object of bytes.
struct Anchor {
  Bytes bytes = Bytes::Data;
  mlir::Value value;
  /// The handles at a constant distance, in program order, and the distances.
  std::vector<mlir::Value> handles;
  llvm::DenseMap<mlir::Value, int32_t> delta;
  /// Runs of bytes that writes outside of this plan may change.
  std::vector<std::pair<int32_t, int32_t>> volatileRuns;
  llvm::MapVector<mlir::Block *, std::vector<Event>> events;
  Window window;
  /// The head pointer's byte in the buffer, if known.
  std::optional<int32_t> head;
  /// Whether all bytes from the head on are zero at first, in memory as in the
  /// program's values.
  bool isZero = false;
  /// Offsets at which quadwords (8), words (4) or nothing known (1) begin:
  /// those that are `phase` modulo `grain`.
  int32_t grain = 1, phase = 0;
  /// Not null: nothing is combined, because of this operation.
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
    return llvm::any_of(volatileRuns, [&](auto run) {
      return begin < run.second && run.first < end;
    });
  }
};

/// All anchors of `function` with their events, in the order of their values.
/// Edges on which a packet changes its anchor have a block of their own.
std::vector<Anchor> findAnchors(mlir::func::FuncOp function, Bytes bytes);

/// Gives each edge that passes a packet to a block argument with another
/// anchor a block of its own, so that code can be put on the edge.
void splitEdges(mlir::func::FuncOp function, Bytes bytes);

} // namespace karakal::passes::pac

#endif // KARAKAL_PASSES_PAC_PACPACKETS_H
