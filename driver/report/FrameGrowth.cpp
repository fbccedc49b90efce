// The bytes that packets gain on their way.

#include "driver/report/FrameGrowth.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>

using namespace mlir;

namespace karakal::driver {

namespace {

constexpr int headMost = int(target::BufferHeadroom);
constexpr int tailMost =
    int(target::BufferBytes - target::BufferHeadroom - target::FrameBytesMin);
static_assert(tailMost > 0, "a buffer holds a frame after its headroom");

/// The constant number of bytes of an operation, or nothing.
std::optional<int> constantOf(Value bytes) {
  APInt value;
  if (!matchPattern(bytes, m_ConstantInt(&value)))
    return std::nullopt;
  return int(std::min<uint64_t>(value.getZExtValue(), target::BufferBytes));
}

} // namespace

Growth &Growth::operator+=(const Growth &more) {
  head = std::min(head + more.head, headMost);
  tail = std::min(tail + more.tail, tailMost);
  return *this;
}

void Growth::join(const Growth &other) {
  head = std::max(head, other.head);
  tail = std::max(tail, other.tail);
}

Growth FrameGrowth::most() { return {headMost, tailMost}; }

Growth FrameGrowth::ofPut(func::FuncOp ppf, ir::ChannelOp channel) {
  const Paths &paths = pathsOf(ppf);
  auto at = paths.puts.find(channel.getSymName().str());
  return at == paths.puts.end() ? most() : at->second;
}

/// The growth of the packets of one function, by value.
class FrameGrowth::Search {
public:
  Search(FrameGrowth &growth, func::FuncOp function)
      : growth(growth), function(function) {}

  Paths run();

private:
  void pass(Operation &op);
  void passCall(func::CallOp call);
  void passBranch(BranchOpInterface branch);
  /// Adds `more` to what is known of `from`, for `to`.
  void offer(Value from, Value to, const Growth &more);
  void reach(Value to, const Growth &at) { join(values, to, at); }

  template <typename Map, typename Key>
  void join(Map &map, const Key &key, const Growth &at) {
    auto [known, isNew] = map.try_emplace(key, at);
    Growth before = known->second;
    known->second.join(at);
    isChanged |= isNew || !(known->second == before);
  }

  FrameGrowth &growth;
  func::FuncOp function;
  llvm::DenseMap<Value, Growth> values;
  Paths paths;
  bool isChanged = false;
};

void FrameGrowth::Search::offer(Value from, Value to, const Growth &more) {
  auto known = values.find(from);
  if (known == values.end()) // not reached yet
    return;
  Growth at = known->second;
  at += more;
  reach(to, at);
}

void FrameGrowth::Search::passCall(func::CallOp call) {
  auto callee = growth.planned.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal())
    return;
  const Paths called = growth.pathsOf(callee);
  for (Value packet : call.getOperands()) {
    auto known = values.find(packet);
    if (known == values.end())
      continue;
    for (const auto &[channel, more] : called.puts) {
      Growth at = known->second;
      at += more;
      join(paths.puts, channel, at);
    }
    for (const auto &[index, more] : called.results)
      offer(packet, call.getResult(index), more);
  }
}

void FrameGrowth::Search::passBranch(BranchOpInterface branch) {
  for (unsigned i = 0; i < branch->getNumSuccessors(); ++i) {
    SuccessorOperands operands = branch.getSuccessorOperands(i);
    for (unsigned k = 0; k < operands.size(); ++k)
      if (Value value = operands[k])
        offer(value, branch->getSuccessor(i)->getArgument(k), {});
  }
}

void FrameGrowth::Search::pass(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](ir::PacketEncapOp encap) {
        int bytes = constantOf(encap.getBytes()).value_or(headMost);
        offer(encap.getPacket(), encap.getOuter(), {bytes, 0});
      })
      .Case([&](ir::PacketDecapOp decap) {
        int bytes = constantOf(decap.getBytes()).value_or(0);
        offer(decap.getPacket(), decap.getInner(), {-bytes, 0});
      })
      .Case([&](ir::PacketAddTailOp add) {
        int bytes = constantOf(add.getBytes()).value_or(tailMost);
        offer(add.getPacket(), add->getResult(0), {0, bytes});
      })
      .Case([&](ir::ChannelPutOp put) {
        auto known = values.find(put.getPacket());
        if (known != values.end())
          join(paths.puts, put.getChannel().str(), known->second);
      })
      .Case([&](func::CallOp call) { passCall(call); })
      .Case([&](func::ReturnOp end) {
        for (auto [index, value] : llvm::enumerate(end.getOperands()))
          if (auto known = values.find(value); known != values.end())
            join(paths.results, unsigned(index), known->second);
      })
      .Case([&](BranchOpInterface branch) { passBranch(branch); })
      .Default([&](Operation *other) {
        // A copy is as long as its original; any other packet may be of any
        // size.
        for (Value result : other->getResults())
          if (isa<ir::PacketType>(result.getType())) {
            if (isa<ir::PacketCopyOp, ir::PacketRemoveTailOp>(other))
              offer(other->getOperand(0), result, {});
            else
              reach(result, most());
          }
      });
}

FrameGrowth::Paths FrameGrowth::Search::run() {
  for (Value argument : function.getArguments())
    if (isa<ir::PacketType>(argument.getType()))
      reach(argument, {});
  // Ends because growth is bounded and only rises.
  do {
    isChanged = false;
    for (Block &block : function.getBody())
      for (Operation &op : block)
        pass(op);
  } while (isChanged);
  return std::move(paths);
}

const FrameGrowth::Paths &FrameGrowth::pathsOf(func::FuncOp function) {
  if (auto at = done.find(function); at != done.end())
    return at->second;
  Paths paths = Search(*this, function).run();
  KARAKAL_ASSERT(llvm::all_of(paths.puts,
                              [](const auto &put) {
                                return put.second.head <= headMost &&
                                       put.second.tail <= tailMost;
                              }),
                 "a packet stays in its buffer");
  return done[function] = std::move(paths);
}

} // namespace karakal::driver
