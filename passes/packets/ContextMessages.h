// The words of packets' descriptors beside the messages of a context to itself.

#ifndef KARAKAL_PASSES_PACKETS_CONTEXTMESSAGES_H
#define KARAKAL_PASSES_PACKETS_CONTEXTMESSAGES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes {

/// Passes the words of a packet's descriptor along the way of its message:
/// through block arguments, from @me_main to @me_message, and around its loop.
class ContextMessages {
public:
  /// Adds `wordCount` arguments to each block of `function` that gets a
  /// message, and to @me_message itself.
  ContextMessages(mlir::func::FuncOp function, size_t wordCount);

  /// Returns the words that come with a message; empty if none do.
  llvm::ArrayRef<mlir::Value> wordsOf(mlir::Value message) const;
  /// Sets the words of a message that the function sends.
  void send(mlir::Value message, llvm::ArrayRef<mlir::Value> sent) {
    words[message].assign(sent.begin(), sent.end());
  }
  /// Adds the words to branches and calls that pass messages. All messages that
  /// the function sends must have theirs.
  void pass();

private:
  void receive(mlir::BlockArgument message, size_t wordCount);

  mlir::func::FuncOp function;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> words;
};

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_CONTEXTMESSAGES_H
