// The channels as the program of one core sees them.

#ifndef KARAKAL_PASSES_PACKETS_CORECHANNELS_H
#define KARAKAL_PASSES_PACKETS_CORECHANNELS_H

#include "ir/dialect/Attributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <set>

namespace karakal::passes {

/// One entry of a dispatch: messages with `id` go to `consumer`.
struct Route {
  uint32_t id;
  mlir::func::FuncOp consumer;
  /// The position of the heads of its packets, if known.
  ir::HeadAttr head;
  /// The limits of a channel towards the XScale core.
  ir::PuntAttr punt;
  /// Messages in the profile.
  int64_t messages = 1;
  /// Whether the code also takes the messages of other channels.
  bool isShared = false;

  /// Whether the messages of `other` get the same code.
  bool isLike(const Route &other) const {
    return consumer == other.consumer && head == other.head &&
           punt == other.punt;
  }
};

class CoreChannels {
public:
  /// The program of `core` or, for a microengine, of one aggregate; empty: of
  /// all PPFs on the engines.
  CoreChannels(mlir::ModuleOp module, ir::Core core, llvm::StringRef aggregate)
      : module(module), core(core), aggregate(aggregate) {}

  mlir::func::FuncOp consumerOf(ir::ChannelOp channel);
  /// Whether `function` is part of this program.
  bool isOurs(mlir::func::FuncOp function);
  /// Whether this program takes the packets of Rx.
  bool takesRx();
  /// Whether the channel is a call in its consumer's program.
  static bool isCall(ir::ChannelOp channel);

  /// Returns the channels that are calls in this program.
  llvm::SmallVector<Route> calls();
  /// Returns the channels whose messages this program takes from `ring`.
  llvm::SmallVector<Route> routesOn(uint32_t ring);
  /// Returns the rings of channels that this program reads, in the order of
  /// polling.
  std::set<uint32_t> ringsHere();
  /// Whether a poll is a command to a unit that other contexts share.
  bool pollsByCommand();
  /// Returns the polls that find a message on `ring`, and those that go on to
  /// later rings, under full load: not all polls find nothing.
  llvm::SmallVector<int64_t> messageCounts(uint32_t ring);

private:
  Route routeOf(ir::ChannelOp channel);

  mlir::ModuleOp module;
  ir::Core core;
  std::string aggregate;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_CORECHANNELS_H
