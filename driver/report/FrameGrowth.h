// The bytes that packets gain on their way.
//
// Tx sends a frame in mpackets of 64 bytes, so a packet that gains bytes costs
// it more. The analysis finds the most bytes that a packet has gained at its
// head and at its tail when a call of a PPF puts it on a channel, over all
// paths of the call:
//
//   decap of 14 bytes, encap of 4, of 14, put        head 4, tail 0
//
// The head of a packet from Rx can gain the headroom of its buffer at most, and
// a packet its buffer, whatever a loop adds. Bytes that are taken away count if
// their number is constant. A packet that the program makes may be of any size.

#ifndef KARAKAL_DRIVER_REPORT_FRAMEGROWTH_H
#define KARAKAL_DRIVER_REPORT_FRAMEGROWTH_H

#include "ir/dialect/Baker.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <string>

namespace karakal::driver {

/// Bytes that a packet has gained; less than 0: lost.
struct Growth {
  int head = 0, tail = 0;

  Growth &operator+=(const Growth &more);
  bool operator==(const Growth &other) const {
    return head == other.head && tail == other.tail;
  }
  /// The most of each.
  void join(const Growth &other);
};

class FrameGrowth {
public:
  explicit FrameGrowth(mlir::ModuleOp planned) : planned(planned) {}

  /// What a packet gains in one call of the PPF that puts it on the channel, at
  /// most.
  Growth ofPut(mlir::func::FuncOp ppf, ir::ChannelOp channel);

  /// What any packet can gain: the buffer's space before and after a frame.
  static Growth most();

private:
  /// What the paths of a function add to its packets.
  struct Paths {
    std::map<std::string, Growth> puts; ///< by channel
    std::map<unsigned, Growth> results; ///< by index
  };
  class Search;
  const Paths &pathsOf(mlir::func::FuncOp function);

  mlir::ModuleOp planned;
  llvm::DenseMap<mlir::Operation *, Paths> done;
};

} // namespace karakal::driver

#endif // KARAKAL_DRIVER_REPORT_FRAMEGROWTH_H
