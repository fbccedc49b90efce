// Where received packets go.
//
// One input that takes all packets is the consumer of the channel `rx`. Where
// the wires of `rx` tell ports apart, a PPF of the compiler's own stands in
// between, so that the graph has one receive point:
//
//     wiring { rx[0, 1] -> lan.in_cc; rx -> wan.in_cc; }
//
//     ppf rx.by_port: switch (rx.port) { case 0: case 1: put port0;
//                                        default: put others }
//
// Merged with what it feeds, it is a branch; apart from that, it decides for
// which aggregate's ring a packet is.

#include "baker-lang/lower/Lowering.h"

#include "ir/dialect/Attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace cf = mlir::cf;
namespace arith = mlir::arith;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

namespace {

constexpr const char *sorterName = "rx.by_port";
constexpr const char *sorterInput = "rx.by_port.in_cc";

/// The sorter's output for a receiver: `port0` from its first port, or
/// `others`.
std::string outputFor(const Receiver &receiver) {
  std::string name = receiver.ports.empty()
                         ? "others"
                         : "port" + std::to_string(receiver.ports[0]);
  return std::string(sorterName) + "." + name;
}

} // namespace

void Lowering::receivers() {
  if (program.receivers.empty())
    return;
  const EndpointDecl &first = *program.receivers[0].input;
  builder.create<ir::ChannelOp>(location(first.range), ir::rxChannelName.str(),
                                first.type->protocol->name, "rx",
                                receiver() ? first.symbol()
                                           : std::string(sorterInput));
  if (receiver())
    return;
  for (const Receiver &to : program.receivers)
    builder.create<ir::ChannelOp>(location(to.wire), outputFor(to),
                                  first.type->protocol->name, sorterName,
                                  to.input->symbol());
}

/// The body of the PPF that tells ports apart.
void Lowering::sortByPort() {
  if (program.receivers.empty() || receiver())
    return;
  mlir::Location at = location(program.receivers[0].wire);
  mlir::Type packetType = type(program.receivers[0].input->type);
  auto op = builder.create<mlir::func::FuncOp>(
      at, sorterInput, builder.getFunctionType({packetType}, {}));
  ir::setKind(op, ir::FunctionKind::Ppf);
  mlir::OpBuilder body = mlir::OpBuilder::atBlockBegin(op.addEntryBlock());
  Value packet = op.getArgument(0);
  setReceived(body, packet, at);
  Value port = body.create<ir::MetaReadOp>(at, body.getIntegerType(8), packet,
                                           ir::rxPortName);
  auto put = [&](const Receiver &to) {
    body.create<ir::ChannelPutOp>(location(to.wire), outputFor(to), packet);
    body.create<mlir::func::ReturnOp>(at);
  };
  const Receiver *others = nullptr;
  for (const Receiver &to : program.receivers) {
    if (to.ports.empty())
      others = &to;
    Block *taken = to.ports.empty() ? nullptr : op.addBlock();
    for (uint8_t number : to.ports) {
      Value isIt = body.create<arith::CmpIOp>(
          at, arith::CmpIPredicate::eq, port,
          body.create<arith::ConstantOp>(at, body.getI8IntegerAttr(number)));
      Block *next = op.addBlock();
      body.create<cf::CondBranchOp>(location(to.wire), isIt, taken, next);
      body.setInsertionPointToStart(next);
    }
    if (!taken)
      continue;
    mlir::OpBuilder::InsertionGuard guard(body);
    body.setInsertionPointToStart(taken);
    put(to);
  }
  if (others)
    return put(*others);
  body.create<ir::PacketDropOp>(
      at, packet,
      mlir::FlatSymbolRefAttr::get(body.getContext(), noReceiverName));
  body.create<mlir::func::ReturnOp>(at);
}

void Lowering::setReceived(mlir::OpBuilder &builder, Value packet,
                           mlir::Location at) const {
  if (isUsed(rxLengthName)) {
    Value length = builder.create<ir::PacketLengthOp>(at, packet);
    builder.create<ir::MetaWriteOp>(
        at,
        builder.create<arith::TruncIOp>(at, builder.getIntegerType(16), length),
        packet, rxLengthName);
  }
  if (isUsed(rxTimeName))
    builder.create<ir::MetaWriteOp>(
        at, builder.create<ir::TimestampOp>(at, builder.getI32Type()), packet,
        rxTimeName);
}

/// At the input that `rx` is wired to. A packet that the program sent there
/// again has its length already.
void FunctionLowering::setReceivedUnlessSet(Value packet, SourceRange where) {
  if (!parent.isUsed(rxLengthName) && !parent.isUsed(rxTimeName))
    return;
  mlir::Location at = location(where);
  if (parent.receiver()->feederCount == 1)
    return parent.setReceived(builder, packet, at);
  Value length = builder.create<ir::MetaReadOp>(at, builder.getIntegerType(16),
                                                packet, rxLengthName);
  Value none = builder.create<arith::ConstantOp>(
      at, builder.getIntegerAttr(builder.getIntegerType(16), 0));
  Value isNew =
      builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::eq, length, none);
  Block *fresh = newBlock(), *after = newBlock();
  builder.create<cf::CondBranchOp>(at, isNew, fresh, after);
  start(fresh);
  parent.setReceived(builder, packet, at);
  jump(after, where);
  start(after);
}

} // namespace karakal::lang
