// Drops packets that go round a cycle of channels too often.
//
//     a -> b -> c -> a          the channel from c to a closes a cycle
//
//     baker.channel_put @c.out_cc, %ph
//   becomes
//     %n = baker.meta_read %ph @channel.rounds
//     %isLast = arith.cmpi uge, %n, %max
//     cf.cond_br %isLast, ^drop, ^go
//   ^drop:
//     baker.packet_drop %ph reason @too_many_rounds
//     cf.br ^after
//   ^go:
//     baker.meta_write %n + 1, %ph @channel.rounds
//     baker.channel_put @c.out_cc, %ph
//     cf.br ^after
//
// Each cycle has a channel that a depth-first search from the received packets
// finds to lead back. Only puts on these channels count, so a packet pays once
// a round, and a program without cycles nothing. Copies keep the count. The
// field takes a word of the descriptor.
//
// The decision does not depend on cores or levels: x86 and the chip drop the
// same packets.

#include "baker-lang/lower/CountRounds.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Baker.h"
#include "support/Assert.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <functional>

using namespace mlir;

namespace karakal::lang {

namespace {

constexpr llvm::StringLiteral roundsName = "channel.rounds";
constexpr llvm::StringLiteral reasonName = "too_many_rounds";
constexpr unsigned roundsBits = 16;

/// A put and the PPF that it leads to.
struct Edge {
  ir::ChannelPutOp put;
  func::FuncOp to;
};

/// The PPFs of a program and the puts between them.
class PutGraph {
public:
  explicit PutGraph(ModuleOp program) {
    for (auto ppf : program.getOps<func::FuncOp>()) {
      if (!ir::isPpf(ppf))
        continue;
      SmallVector<Edge> &own = edges[ppf];
      ppf.walk([&](ir::ChannelPutOp put) {
        auto channel = program.lookupSymbol<ir::ChannelOp>(put.getChannel());
        KARAKAL_ASSERT(channel, "a put on no channel");
        if (!channel.goesToTx())
          own.push_back(
              {put, program.lookupSymbol<func::FuncOp>(channel.getConsumer())});
      });
    }
    for (auto channel : program.getOps<ir::ChannelOp>())
      if (channel.comesFromRx() && !channel.goesToTx())
        search(program.lookupSymbol<func::FuncOp>(channel.getConsumer()));
    for (auto &[ppf, own] : edges)
      search(ppf);
  }

  /// The puts that lead back, of cycles that do not run on the core alone.
  SmallVector<ir::ChannelPutOp> countedPuts() {
    return llvm::to_vector(llvm::make_filter_range(
        back, [&](ir::ChannelPutOp put) { return isOnEngines(put); }));
  }

private:
  enum class State { New, Open, Done };

  /// Searches from `start` without recursion: chains of PPFs may be long.
  void search(func::FuncOp start) {
    if (states[start] != State::New)
      return;
    states[start] = State::Open;
    SmallVector<std::pair<func::FuncOp, size_t>> path = {{start, 0}};
    while (!path.empty()) {
      auto &[ppf, next] = path.back();
      const SmallVector<Edge> &own = edges[ppf];
      if (next == own.size()) {
        states[ppf] = State::Done;
        path.pop_back();
        continue;
      }
      Edge edge = own[next++];
      State &state = states[edge.to];
      if (state == State::Open) {
        back.push_back(edge.put);
      } else if (state == State::New) {
        state = State::Open;
        path.push_back({edge.to, 0});
      }
    }
  }

  llvm::DenseSet<func::FuncOp> reachedFrom(func::FuncOp start) {
    llvm::DenseSet<func::FuncOp> reached = {start};
    SmallVector<func::FuncOp> open = {start};
    while (!open.empty())
      for (const Edge &edge : edges[open.pop_back_val()])
        if (reached.insert(edge.to).second)
          open.push_back(edge.to);
    return reached;
  }

  /// Whether one of the PPFs on the cycles through `put` is not `@cold`.
  bool isOnEngines(ir::ChannelPutOp put) {
    auto from = put->getParentOfType<func::FuncOp>();
    const Edge *own = llvm::find_if(
        edges[from], [&](const Edge &edge) { return edge.put == put; });
    return llvm::any_of(reachedFrom(own->to), [&](func::FuncOp ppf) {
      return !ppf->hasAttr(ir::coldAttrName) && reachedFrom(ppf).contains(from);
    });
  }

  llvm::MapVector<func::FuncOp, SmallVector<Edge>> edges;
  llvm::DenseMap<func::FuncOp, State> states;
  SmallVector<ir::ChannelPutOp> back;
};

void countAt(ir::ChannelPutOp put, uint32_t roundsMax) {
  Location at = put.getLoc();
  OpBuilder builder(put);
  Value packet = put.getPacket();
  IntegerType type = builder.getIntegerType(roundsBits);
  auto constant = [&](uint32_t value) -> Value {
    return builder.create<arith::ConstantOp>(
        at, builder.getIntegerAttr(type, value));
  };
  Value rounds = builder.create<ir::MetaReadOp>(at, type, packet, roundsName);
  Value isLast = builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::uge,
                                               rounds, constant(roundsMax));
  Block *before = put->getBlock();
  Block *go = before->splitBlock(put);
  Block *after = go->splitBlock(put->getNextNode());
  Block *drop = builder.createBlock(after);
  builder.create<ir::PacketDropOp>(
      at, packet, FlatSymbolRefAttr::get(builder.getContext(), reasonName));
  builder.create<cf::BranchOp>(at, after);
  builder.setInsertionPointToEnd(before);
  builder.create<cf::CondBranchOp>(at, isLast, drop, go);
  builder.setInsertionPoint(put);
  Value next = builder.create<arith::AddIOp>(at, rounds, constant(1));
  builder.create<ir::MetaWriteOp>(at, next, packet, roundsName);
  builder.setInsertionPointToEnd(go);
  builder.create<cf::BranchOp>(at, after);
}

} // namespace

void countRounds(ModuleOp program, uint32_t roundsMax) {
  KARAKAL_ASSERT(roundsMax < 1u << roundsBits, "a count that does not fit");
  if (roundsMax == 0)
    return;
  SmallVector<ir::ChannelPutOp> puts = PutGraph(program).countedPuts();
  if (puts.empty())
    return;
  for (ir::ChannelPutOp put : puts)
    countAt(put, roundsMax);
  auto builder = OpBuilder::atBlockBegin(program.getBody());
  builder.create<ir::MetadataOp>(program.getLoc(), roundsName,
                                 builder.getIntegerType(roundsBits));
  if (program.lookupSymbol(reasonName))
    return;
  builder.setInsertionPointToEnd(program.getBody());
  builder.create<ir::DropReasonOp>(program.getLoc(), reasonName);
}

} // namespace karakal::lang
