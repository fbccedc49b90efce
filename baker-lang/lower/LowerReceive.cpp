// Receiving: where received packets enter the program.
//
// An input that takes all received packets is the consumer of the channel `rx`.
// If wires name ports, a generated PPF distributes the packets, so that the
// graph has one receive point:
//
//     wiring { rx[0, 1] -> lan.in_cc; rx -> wan.in_cc; }
//
//     ppf rx.by_port: switch (rx.port) { case 0: case 1: put port0;
//                                        default: put others }
//
// If it is merged with the PPFs that it feeds, it is a branch. Otherwise it
// selects the ring of an aggregate.

#include "baker-lang/lower/FunctionLowering.h"

#include "ir/dialect/Attributes.h"
#include "support/Error.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

namespace cf = mlir::cf;
namespace arith = mlir::arith;
using mlir::Block;
using mlir::Value;

namespace karakal::lang {

namespace {

constexpr const char *dispatcherName = "rx.by_port";
constexpr const char *dispatcherInput = "rx.by_port.in_cc";

/// The dispatcher's output to a receiver. It is named after the receiver's
/// first port, as `port0`, or `others`.
std::string outputTo(const Receiver &receiver) {
  std::string name = receiver.ports.empty()
                         ? "others"
                         : "port" + std::to_string(receiver.ports[0]);
  return std::string(dispatcherName) + "." + name;
}

} // namespace

void ProgramLowering::lowerReceiveChannels() {
  if (program.receivers.empty())
    return;
  const EndpointDecl &first = *program.receivers[0].input;
  builder.create<ir::ChannelOp>(location(first.range), ir::rxChannelName.str(),
                                first.type->protocol->name, "rx",
                                onlyReceiver() ? first.symbol()
                                               : std::string(dispatcherInput));
  if (onlyReceiver())
    return;
  for (const Receiver &to : program.receivers)
    builder.create<ir::ChannelOp>(location(to.wire), outputTo(to),
                                  first.type->protocol->name, dispatcherName,
                                  to.input->symbol());
}

/// Generates the PPF that distributes received packets by port.
void ProgramLowering::lowerPortDispatch() {
  if (onlyReceiver() || program.receivers.empty())
    return;
  mlir::Location at = location(program.receivers[0].wire);
  mlir::Type packetType = lowerType(program.receivers[0].input->type);
  auto op = builder.create<mlir::func::FuncOp>(
      at, dispatcherInput, builder.getFunctionType({packetType}, {}));
  ir::setKind(op, ir::FunctionKind::Ppf);
  mlir::OpBuilder body = mlir::OpBuilder::atBlockBegin(op.addEntryBlock());
  Value packet = op.getArgument(0);
  setReceiveMetadata(body, packet, at);
  Value port = body.create<ir::MetaReadOp>(at, body.getIntegerType(8), packet,
                                           ir::rxPortName);
  auto putTo = [&](const Receiver &to) {
    body.create<ir::ChannelPutOp>(location(to.wire), outputTo(to), packet);
    body.create<mlir::func::ReturnOp>(at);
  };
  const Receiver *others = nullptr;
  for (const Receiver &to : program.receivers) {
    if (to.ports.empty())
      others = &to;
    Block *taken = to.ports.empty() ? nullptr : op.addBlock();
    for (uint8_t number : to.ports) {
      Value isThisPort = body.create<arith::CmpIOp>(
          at, arith::CmpIPredicate::eq, port,
          body.create<arith::ConstantOp>(at, body.getI8IntegerAttr(number)));
      Block *next = op.addBlock();
      body.create<cf::CondBranchOp>(location(to.wire), isThisPort, taken, next);
      body.setInsertionPointToStart(next);
    }
    if (!taken)
      continue;
    mlir::OpBuilder::InsertionGuard guard(body);
    body.setInsertionPointToStart(taken);
    putTo(to);
  }
  if (others)
    return putTo(*others);
  body.create<ir::PacketDropOp>(
      at, packet,
      mlir::FlatSymbolRefAttr::get(body.getContext(), noReceiverName));
  body.create<mlir::func::ReturnOp>(at);
}

void ProgramLowering::setReceiveMetadata(mlir::OpBuilder &builder, Value packet,
                                         mlir::Location at) const {
  if (carries(rxLengthName)) {
    Value length = builder.create<ir::PacketLengthOp>(at, packet);
    builder.create<ir::MetaWriteOp>(
        at,
        builder.create<arith::TruncIOp>(at, builder.getIntegerType(16), length),
        packet, rxLengthName);
  }
  if (carries(rxTimeName))
    builder.create<ir::MetaWriteOp>(
        at, builder.create<ir::TimestampOp>(at, builder.getI32Type()), packet,
        rxTimeName);
}

void FunctionLowering::setReceiveMetadataOnce(Value packet, SourceRange where) {
  if (!parent.carries(rxLengthName) && !parent.carries(rxTimeName))
    return;
  mlir::Location at = location(where);
  if (parent.onlyReceiver()->feederCount == 1)
    return parent.setReceiveMetadata(builder, packet, at);
  // A packet that the program sent to this input has its length already.
  Value length = builder.create<ir::MetaReadOp>(at, builder.getIntegerType(16),
                                                packet, rxLengthName);
  Value none = builder.create<arith::ConstantOp>(
      at, builder.getIntegerAttr(builder.getIntegerType(16), 0));
  Value isUnset =
      builder.create<arith::CmpIOp>(at, arith::CmpIPredicate::eq, length, none);
  Block *unset = newBlock(), *after = newBlock();
  builder.create<cf::CondBranchOp>(at, isUnset, unset, after);
  start(unset);
  parent.setReceiveMetadata(builder, packet, at);
  jump(after, where);
  start(after);
}

} // namespace karakal::lang
