// The interpreter's control flow, calls and runs.
//
// Other files execute one group of operations each. Values are in a table by
// SSA value. A call of the program is a call in C++, so the depth of calls is
// limited.

#include "ir/interp/Interpreter.h"

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/interp/InterpreterState.h"
#include "support/Error.h"
#include "target-ixp/chip/Rings.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using llvm::APInt;

namespace karakal::ir {

namespace {

/// The prefix of init functions that the compiler makes.
constexpr StringLiteral ownPrefix = "karakal.";
/// The most operations for one packet and for the calls that set up tables. A
/// program that needs more is assumed to loop forever.
constexpr uint64_t packetStepsMax = 1000000, controlStepsMax = 30000000;
/// The most nested calls. A channel is delivered by a call, so this is more
/// than the depth of any PPF graph without cycles.
constexpr unsigned depthMax = 400;

} // namespace

/// Returns the ring that a call of the runtime reads, if it reads one.
static std::optional<uint32_t> ringReadBy(StringRef name,
                                          ArrayRef<APInt> arguments) {
  if (name == target::runtime::NeighbourGet)
    return target::RingNeighbour;
  if (name == target::intrinsic::RingGet)
    return uint32_t(arguments[0].getZExtValue());
  if (name != target::intrinsic::SramRingGet)
    return std::nullopt;
  uint64_t queue = arguments[0].getZExtValue();
  for (uint32_t i = 0; i < target::RingSramCount; ++i)
    if (uint32_t ring = target::RingSramFirst + i;
        target::queueWord(target::SramRingChannel,
                          target::sramRingEntry(ring)) == queue)
      return ring;
  return std::nullopt;
}

/// Returns the rings that the engine's program of `module` reads.
static DenseSet<uint32_t> ringsReadBy(ModuleOp module) {
  DenseSet<uint32_t> rings;
  auto entry = module.lookupSymbol<func::FuncOp>(target::runtime::EngineEntry);
  if (!entry)
    return rings;
  entry.walk([&](func::CallOp call) {
    SmallVector<APInt> arguments;
    for (Value operand : call.getOperands())
      if (APInt number; matchPattern(operand, m_ConstantInt(&number)))
        arguments.push_back(number);
    if (arguments.size() == call.getNumOperands())
      if (auto ring = ringReadBy(call.getCallee(), arguments))
        rings.insert(*ring);
  });
  return rings;
}

Interpreter::Interpreter(ModuleOp module, const Stimulus &stimulus)
    : module(module), stimulus(stimulus), machine(stimulus), symbols(module),
      ringsRead(ringsReadBy(module)), stepsMax(packetStepsMax) {
  for (auto metadata : module.getOps<MetadataOp>())
    machine.metadataWords =
        std::min(machine.metadataWords + metadataWordCount(metadata.getType()),
                 target::DescriptorWords - target::DescriptorMetadata);
  uint64_t next = 0;
  for (auto global : module.getOps<GlobalOp>()) {
    globalStart[global.getSymName()] = next;
    next += wordCount(global.getType());
  }
  result.globals = stimulus.globals;
  result.globals.resize(next);
}

void Interpreter::trap(const Twine &why) {
  if (isStopped())
    return;
  Event event;
  event.kind = Event::Trap;
  event.where = why.str();
  addEvent(event);
  hasTrapped = true;
}

void Interpreter::giveUp(const Twine &why) {
  if (result.unknown.empty())
    result.unknown = why.str();
}

//===----------------------------------------------------------------------===//
// Channels, rings and the runtime
//===----------------------------------------------------------------------===//

void Interpreter::deliver(StringRef name, uint32_t handle) {
  auto channel = symbols.lookup<ChannelOp>(name);
  KARAKAL_ASSERT(channel, "a channel_put names channel @" + name.str());
  if (auto consumer = symbols.lookup<func::FuncOp>(channel.getConsumer())) {
    deliveries.push_back({consumer, handle});
    return;
  }
  Event event;
  event.where = channel.getConsumer().str();
  event.packet = machine.imageOf(*machine.find(handle));
  addEvent(event);
  machine.release(handle);
}

void Interpreter::putMessage(uint32_t ring,
                             const std::vector<uint32_t> &message) {
  KARAKAL_ASSERT(!message.empty(), "a message has a word with the handle");
  // The next-neighbour ring that is written is that of the next engine.
  if (ringsRead.contains(ring) && !target::isNeighbourRing(ring)) {
    machine.rings[ring].push_back(message);
    return;
  }
  uint32_t handle = message[0] & target::HandleMask;
  PacketCell *packet = machine.find(handle);
  if (!packet)
    return trap("a message names no packet");
  Event event;
  event.where = "ring " + std::to_string(ring) + " channel " +
                std::to_string(message[0] >> target::RingChannelShift);
  event.packet = machine.imageOf(*packet);
  // Tx uses only the frame and the port.
  if (ring == target::RingTx) {
    event.packet.metadata.clear();
    event.packet.rxPort = 0;
    event.packet.sequence = 0;
  }
  addEvent(event);
  machine.release(handle);
}

SmallVector<APInt> Interpreter::callRuntime(StringRef name,
                                            ArrayRef<APInt> arguments,
                                            unsigned resultCount) {
  auto isWaiting = [&] {
    return llvm::any_of(machine.rings,
                        [](const auto &ring) { return !ring.second.empty(); });
  };
  if (std::optional<uint32_t> number = ringReadBy(name, arguments)) {
    auto &ring = machine.rings[*number];
    SmallVector<APInt> words(resultCount, APInt(32, 0));
    if (ring.empty())
      return words;
    for (auto [i, word] : llvm::enumerate(ring.front()))
      if (i < words.size())
        words[i] = APInt(32, word);
    ring.pop_front();
    return words;
  }
  if (name == target::intrinsic::RingStatus) {
    uint32_t ring = uint32_t(arguments[0].getZExtValue());
    bool isOn = ring == target::RingFromXScale && machine.rings[ring].empty();
    return {APInt(32, isOn)};
  }
  if (name == target::intrinsic::Swap || name == target::intrinsic::Sleep) {
    isIdle = !isWaiting();
    return {};
  }
  auto argument = [&](unsigned i) {
    return uint32_t(arguments[i].getZExtValue());
  };
  if (name == target::intrinsic::CamLookup)
    return {APInt(32, machine.cam.lookup(argument(0)))};
  if (name == target::intrinsic::CamWrite) {
    machine.cam.write(argument(0) % target::CamEntries, argument(1));
    return {};
  }
  if (name == target::intrinsic::CamClear) {
    machine.cam.clear();
    return {};
  }
  // Interpreted programs have no copies, so nothing reads their versions.
  if (name == target::intrinsic::SramIncrement)
    return {};
  // Nobody stops interpreted engines or exchanges their code.
  if (name == target::runtime::StopAsked)
    return {APInt(32, 0)};
  if (name == target::runtime::LeaveCaches)
    return {};
  if (name == target::runtime::CountDrop) {
    Event event;
    event.kind = Event::Drop;
    auto reasons = dropReasonsOf(module);
    uint64_t reason = arguments[0].getZExtValue();
    KARAKAL_ASSERT(reason < reasons.size(), "the drop reason is declared");
    event.where = reasons[reason];
    addEvent(event);
    return {};
  }
  if (name == target::runtime::PacketRoom) {
    if (arguments[0].ult(arguments[1]))
      trap("no space before the packet");
    return {};
  }
  giveUp("a call of @" + name);
  return {};
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Interpreter::enter(Block *block, ArrayRef<APInt> arguments,
                        Values &values) {
  KARAKAL_ASSERT(arguments.size() == block->getNumArguments(),
                 "a value for each argument of the block");
  reached.insert(block);
  for (auto [argument, value] : llvm::zip(block->getArguments(), arguments))
    values[argument] = value;
}

Block *Interpreter::branch(Operation &terminator, Values &values) {
  auto jump = [&](Block *to, ValueRange operands) {
    SmallVector<APInt> arguments;
    for (Value operand : operands)
      arguments.push_back(values[operand]);
    enter(to, arguments, values);
    return to;
  };
  if (auto always = dyn_cast<cf::BranchOp>(terminator))
    return jump(always.getDest(), always.getDestOperands());
  if (auto test = dyn_cast<cf::CondBranchOp>(terminator)) {
    bool isTrue = !values[test.getCondition()].isZero();
    return isTrue ? jump(test.getTrueDest(), test.getTrueDestOperands())
                  : jump(test.getFalseDest(), test.getFalseDestOperands());
  }
  if (auto choice = dyn_cast<cf::SwitchOp>(terminator)) {
    const APInt flag = values[choice.getFlag()];
    if (auto cases = choice.getCaseValues())
      for (auto [i, value] : llvm::enumerate(cases->getValues<APInt>()))
        if (value == flag)
          return jump(choice.getCaseDestinations()[i],
                      choice.getCaseOperands(unsigned(i)));
    return jump(choice.getDefaultDestination(), choice.getDefaultOperands());
  }
  giveUp("the operation " + terminator.getName().getStringRef());
  return nullptr;
}

void Interpreter::countStep() {
  if (++stepCount > stepsMax)
    giveUp("more than " + Twine(stepsMax) + " operations");
}

void Interpreter::execute(Operation &op, Values &values) {
  countStep();
  if (isStopped())
    return;
  if (auto call = dyn_cast<func::CallOp>(op)) {
    SmallVector<APInt> arguments;
    for (Value operand : call.getOperands())
      arguments.push_back(values[operand]);
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    KARAKAL_ASSERT(callee, "a call names @" + call.getCallee().str());
    SmallVector<APInt> results =
        callee.isExternal()
            ? callRuntime(call.getCallee(), arguments, call.getNumResults())
            : callFunction(callee, arguments);
    for (auto [result, value] : llvm::zip(call.getResults(), results))
      values[result] = value;
    return;
  }
  if (op.getName().getStringRef() == "ub.poison") {
    values[op.getResult(0)] =
        APInt(64, 0).trunc(op.getResult(0).getType().getIntOrFloatBitWidth());
    return;
  }
  if (op.getName().getStringRef() == "llvm.intr.assume")
    return;
  // A cast between a packet and its handle.
  if (isa<UnrealizedConversionCastOp>(op) && op.getNumOperands() == 1) {
    values[op.getResult(0)] = APInt(32, handleOf(values[op.getOperand(0)]));
    return;
  }
  if (!executeArith(op, values) && !executeAccess(op, values) &&
      !executeFraming(op, values) && !executePacket(op, values) &&
      !executeMessage(op, values) && !executeMetadata(op, values) &&
      !executeGlobal(op, values) && !executeService(op, values))
    giveUp("the operation " + op.getName().getStringRef());
}

SmallVector<APInt> Interpreter::callFunction(func::FuncOp function,
                                             ArrayRef<APInt> arguments) {
  if (++depth > depthMax) {
    giveUp("more than " + Twine(depthMax) + " nested calls");
    return {};
  }
  Values values;
  Block *block = &function.getBody().front();
  enter(block, arguments, values);
  SmallVector<APInt> results;
  while (block && !isStopped()) {
    for (Operation &op : block->without_terminator()) {
      execute(op, values);
      if (isStopped())
        break;
    }
    if (isStopped())
      break;
    Operation &terminator = *block->getTerminator();
    if (auto end = dyn_cast<func::ReturnOp>(terminator)) {
      for (Value value : end.getOperands())
        results.push_back(values[value]);
      break;
    }
    countStep();
    block = branch(terminator, values);
  }
  --depth;
  return results;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

void Interpreter::resetContext() {
  // Other contexts go on after one has stopped.
  stepCount = 0;
  depth = 0;
  isIdle = hasTrapped = false;
  machine.rings.clear();
  deliveries.clear();
}

bool Interpreter::takePacket(const Arrival &arrival) {
  resetContext();
  auto entry = symbols.lookup<func::FuncOp>(target::runtime::EngineEntry);
  bool isFromRx = arrival.ring == target::RingRx;
  if (entry && !ringsRead.contains(arrival.ring))
    return false;
  const PacketImage &packet = arrival.packet;
  uint32_t handle = machine.receive(packet, arrival.head);
  if (entry) {
    uint32_t number = isFromRx
                          ? uint32_t(packet.rxPort) << target::RingPortShift
                          : arrival.channel << target::RingChannelShift;
    uint32_t headAndLength = arrival.head << 16 | uint32_t(packet.bytes.size());
    machine.rings[arrival.ring].push_back(
        {number | handle, isFromRx ? headAndLength : 0});
    callFunction(entry, {});
    return true;
  }
  for (auto channel : module.getOps<ChannelOp>())
    if (isFromRx ? channel.comesFromRx()
                 : numberOf(channel, idAttrName) == arrival.channel)
      deliver(channel.getSymName(), handle);
  while (!deliveries.empty() && !isStopped()) {
    auto [consumer, delivered] = deliveries.front();
    deliveries.pop_front();
    callFunction(consumer, {APInt(32, delivered)});
  }
  return true;
}

RunResult Interpreter::run() {
  for (const Arrival &arrival : stimulus.packets) {
    bool isTaken = takePacket(arrival);
    if (!result.unknown.empty())
      break;
    result.packetCount += isTaken;
  }
  module.walk([&](Block *block) {
    if (isa_and_nonnull<func::FuncOp>(block->getParentOp()))
      result.reached.push_back(reached.contains(block));
  });
  return std::move(result);
}

RunResult Interpreter::runControl(ArrayRef<ControlCall> calls) {
  stepsMax = controlStepsMax;
  for (auto global : module.getOps<GlobalOp>())
    llvm::copy(initialWords(global),
               result.globals.begin() + globalStart[global.getSymName()]);
  auto runInits = [&](bool isOurs) {
    for (auto function : module.getOps<func::FuncOp>()) {
      if (kindOf(function) != FunctionKind::Init ||
          function.getSymName().starts_with(ownPrefix) != isOurs)
        continue;
      resetContext();
      callFunction(function, {});
    }
  };
  runInits(true);
  runInits(false);
  for (const ControlCall &call : calls) {
    resetContext();
    auto function = symbols.lookup<func::FuncOp>(call.function);
    if (!function || function.isExternal()) {
      giveUp("there is no control function @" + call.function);
      break;
    }
    SmallVector<APInt> arguments;
    for (auto [type, value] :
         llvm::zip(function.getArgumentTypes(), call.arguments))
      arguments.push_back(
          APInt(64, value).zextOrTrunc(type.getIntOrFloatBitWidth()));
    callFunction(function, arguments);
  }
  return std::move(result);
}

std::string Event::str() const {
  std::string text = "packet " + std::to_string(input) + ": ";
  switch (kind) {
  case Trap:
    return text + "stop: " + where;
  case Drop:
    return text + "dropped: " + where;
  case Put:
    break;
  }
  text += "put on " + where + ", rx.port " + std::to_string(packet.rxPort) +
          ", tx.port " + std::to_string(packet.txPort) + ", sequence " +
          std::to_string(packet.sequence);
  if (!packet.metadata.empty()) {
    text += ", metadata";
    for (uint32_t word : packet.metadata)
      text += " " + std::to_string(word);
  }
  return text + ", bytes " + llvm::toHex(packet.bytes, /*LowerCase=*/true);
}

size_t globalWordCount(ModuleOp module) {
  size_t count = 0;
  for (auto global : module.getOps<GlobalOp>())
    count += wordCount(global.getType());
  return count;
}

RunResult interpret(ModuleOp module, const Stimulus &stimulus) {
  return Interpreter(module, stimulus).run();
}

RunResult callControl(ModuleOp module, const std::vector<ControlCall> &calls) {
  return Interpreter(module, Stimulus()).runControl(calls);
}

} // namespace karakal::ir
