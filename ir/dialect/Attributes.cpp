// The decisions of stages as attributes.
//
// Reading, setting and verifying the attributes listed in Attributes.h. The
// table `decisions` says which attribute belongs to which operation.

#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Runtime.h"
#include "ir/dialect/Target.h"

#include "support/Assert.h"
#include "target-ixp/chip/DropReasons.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace karakal::ir {

static std::optional<StringRef> textOf(Operation *op, StringRef name) {
  if (auto text = op->getAttrOfType<StringAttr>(name))
    return text.getValue();
  return std::nullopt;
}

static void setText(Operation *op, StringRef name, StringRef text) {
  op->setAttr(name, StringAttr::get(op->getContext(), text));
}

/// The value of an enumeration attribute, if it is there.
template <typename Attr>
static auto valueOf(Operation *op, StringRef name)
    -> std::optional<decltype(std::declval<Attr>().getValue())> {
  if (auto attribute = op->getAttrOfType<Attr>(name))
    return attribute.getValue();
  return std::nullopt;
}

template <typename Attr, typename Value>
static void setValue(Operation *op, StringRef name, Value value) {
  op->setAttr(name, Attr::get(op->getContext(), value));
}

FunctionKind kindOf(func::FuncOp function) {
  return valueOf<FunctionKindAttr>(function, kindAttrName)
      .value_or(FunctionKind::Function);
}

void setKind(func::FuncOp function, FunctionKind kind) {
  setValue<FunctionKindAttr>(function, kindAttrName, kind);
}

std::optional<Core> coreOf(func::FuncOp function) {
  return valueOf<CoreAttr>(function, coreAttrName);
}

void setCore(func::FuncOp function, Core core) {
  setValue<CoreAttr>(function, coreAttrName, core);
}

StringRef aggregateOf(func::FuncOp function) {
  return textOf(function, aggregateAttrName).value_or("");
}

void setAggregate(func::FuncOp function, StringRef name) {
  setText(function, aggregateAttrName, name);
}

std::vector<AggregatePlan> aggregatesOf(ModuleOp module) {
  std::vector<AggregatePlan> plans;
  if (auto list = module->getAttrOfType<ArrayAttr>(aggregatesAttrName))
    for (auto plan : list.getAsRange<DictionaryAttr>()) {
      auto engines = plan.getAs<DenseI32ArrayAttr>("engines").asArrayRef();
      plans.push_back({plan.getAs<StringAttr>("name").str(),
                       {engines.begin(), engines.end()}});
    }
  return plans;
}

void setAggregates(ModuleOp module, ArrayRef<AggregatePlan> aggregates) {
  Builder builder(module.getContext());
  SmallVector<Attribute> list;
  for (const AggregatePlan &plan : aggregates) {
    SmallVector<int32_t> engines(plan.engines.begin(), plan.engines.end());
    list.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(plan.name)),
         builder.getNamedAttr("engines",
                              builder.getDenseI32ArrayAttr(engines))}));
  }
  module->setAttr(aggregatesAttrName, builder.getArrayAttr(list));
}

std::optional<uint64_t> profilePacketsOf(func::FuncOp function) {
  auto profile = function->getAttrOfType<DictionaryAttr>(profileAttrName);
  if (!profile)
    return std::nullopt;
  return profile.getAs<IntegerAttr>("packets").getValue().getZExtValue();
}

void setProfilePackets(func::FuncOp function, uint64_t packets) {
  Builder builder(function.getContext());
  function->setAttr(profileAttrName,
                    builder.getDictionaryAttr(builder.getNamedAttr(
                        "packets", builder.getI64IntegerAttr(packets))));
}

// A memory has the same number in the dialect and in target-ixp.
static_assert(uint32_t(MemoryName::Scratch) ==
                  uint32_t(target::Memory::Scratch) &&
              uint32_t(MemoryName::Sram0) == uint32_t(target::Memory::Sram0) &&
              uint32_t(MemoryName::Sram1) == uint32_t(target::Memory::Sram1) &&
              uint32_t(MemoryName::Sram2) == uint32_t(target::Memory::Sram2) &&
              uint32_t(MemoryName::Sram3) == uint32_t(target::Memory::Sram3) &&
              uint32_t(MemoryName::Dram) == uint32_t(target::Memory::Dram) &&
              uint32_t(MemoryName::Local) == uint32_t(target::Memory::Local) &&
              getMaxEnumValForMemoryName() + 1 == target::MemoryKinds);

std::optional<Placement> placementOf(GlobalOp global) {
  auto placement = global->getAttrOfType<PlacementAttr>(placementAttrName);
  if (!placement)
    return std::nullopt;
  return Placement{target::Memory(placement.getMemory()),
                   placement.getAddress()};
}

void setPlacement(GlobalOp global, const Placement &placement) {
  global->setAttr(placementAttrName,
                  PlacementAttr::get(global.getContext(),
                                     MemoryName(placement.memory),
                                     placement.address));
}

std::optional<MemoryRequest> requestedMemoryOf(GlobalOp global) {
  return valueOf<MemoryRequestAttr>(global, placementInAttrName);
}

void setRequestedMemory(GlobalOp global, MemoryRequest request) {
  setValue<MemoryRequestAttr>(global, placementInAttrName, request);
}

std::optional<Via> viaOf(ChannelOp channel) {
  return valueOf<ViaAttr>(channel, viaAttrName);
}

void setVia(ChannelOp channel, Via via) {
  setValue<ViaAttr>(channel, viaAttrName, via);
}

std::optional<uint32_t> numberOf(Operation *op, StringRef name) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name))
    return uint32_t(number.getValue().getZExtValue());
  return std::nullopt;
}

void setNumber(Operation *op, StringRef name, uint32_t value) {
  op->setAttr(name, Builder(op->getContext()).getI32IntegerAttr(value));
}

IntegerType builtinMetadataType(MLIRContext *context, StringRef name) {
  unsigned width = llvm::StringSwitch<unsigned>(name)
                       .Cases(rxPortName, txPortName, 8)
                       .Case(sequenceName, 32)
                       .Default(0);
  return width ? IntegerType::get(context, width) : IntegerType();
}

/// The name of the drop reason of packets that a channel refuses.
static std::string refusalName(ChannelOp channel) {
  return ((puntOf(channel) ? "punt:" : "ring:") + channel.getSymName()).str();
}

std::vector<std::string> programDropReasons(ModuleOp module) {
  std::vector<std::string> reasons = {unspecifiedReasonName.str(),
                                      truncatedReasonName.str(),
                                      noPortReasonName.str()};
  KARAKAL_ASSERT(reasons.size() == target::DropReasonsMin,
                 "the reasons of the runtime come first");
  for (auto reason : module.getOps<DropReasonOp>())
    reasons.push_back(reason.getSymName().str());
  return reasons;
}

std::vector<std::string> dropReasonsOf(ModuleOp module) {
  std::vector<std::string> reasons = programDropReasons(module);
  for (auto channel : module.getOps<ChannelOp>())
    if (puntOf(channel))
      reasons.push_back(refusalName(channel));
  for (auto channel : module.getOps<ChannelOp>())
    if (channel->hasAttr(cycleAttrName))
      reasons.push_back(refusalName(channel));
  return reasons;
}

LogicalResult checkDropReasons(ModuleOp module) {
  size_t count = dropReasonsOf(module).size();
  if (count <= target::DropCounterCount)
    return success();
  return module.emitError()
         << "the drop reasons do not fit: " << count << " counters needed, "
         << target::DropCounterCount << " available [E-ir-001]";
}

std::optional<uint32_t> refusalReason(ChannelOp channel) {
  if (!puntOf(channel) && !channel->hasAttr(cycleAttrName))
    return std::nullopt;
  auto reasons = dropReasonsOf(channel->getParentOfType<ModuleOp>());
  return llvm::find(reasons, refusalName(channel)) - reasons.begin();
}

PuntAttr puntOf(ChannelOp channel) {
  return channel->getAttrOfType<PuntAttr>(puntAttrName);
}

uint32_t dropReasonNumber(PacketDropOp drop) {
  auto name = drop.getReason();
  if (!name)
    return 0;
  auto reasons = programDropReasons(drop->getParentOfType<ModuleOp>());
  return llvm::find(reasons, *name) - reasons.begin();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
using Check = LogicalResult (*)(Operation *, Attribute);

/// A decision: its attribute, the operation that has it, and its check.
struct Decision {
  StringLiteral name;
  StringLiteral bearer;
  Check check;
};
} // namespace

/// Accepts attributes of class `Attr`; its parser checks the value.
template <const StringLiteral &name, typename Attr>
static LogicalResult verifyIsA(Operation *op, Attribute attribute) {
  if (isa<Attr>(attribute))
    return success();
  return op->emitOpError() << "'" << name << "' must be a #baker."
                           << Attr::getMnemonic() << "<...>";
}

template <const StringLiteral &name>
static LogicalResult verifyUnit(Operation *op, Attribute attribute) {
  if (isa<UnitAttr>(attribute))
    return success();
  return op->emitOpError() << "'" << name << "' must be a unit attribute";
}

static bool isI32(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  return number && number.getType().isSignlessInteger(32);
}

static LogicalResult verifyKind(Operation *op, Attribute attribute) {
  if (failed(verifyIsA<kindAttrName, FunctionKindAttr>(op, attribute)))
    return failure();
  auto function = cast<func::FuncOp>(op);
  auto type = function.getFunctionType();
  auto isPacket = [](Type type) { return isa<PacketType>(type); };
  switch (cast<FunctionKindAttr>(attribute).getValue()) {
  case FunctionKind::Ppf:
    if (type.getNumInputs() == 1 && type.getNumResults() == 0 &&
        isPacket(type.getInput(0)))
      return success();
    return op->emitOpError(
               "a PPF body takes one packet and returns nothing, but has type ")
           << type;
  case FunctionKind::Init:
    if (type.getNumInputs() == 0 && type.getNumResults() == 0)
      return success();
    return op->emitOpError(
               "an init function takes and returns nothing, but has type ")
           << type;
  case FunctionKind::Control:
    if (llvm::none_of(type.getInputs(), isPacket) &&
        llvm::none_of(type.getResults(), isPacket))
      return success();
    return op->emitOpError("a control function cannot take or return packets");
  case FunctionKind::Function:
    return success();
  }
  KARAKAL_UNREACHABLE("no such kind of function");
}

static LogicalResult verifyCore(Operation *op, Attribute attribute) {
  if (failed(verifyIsA<coreAttrName, CoreAttr>(op, attribute)))
    return failure();
  switch (cast<CoreAttr>(attribute).getValue()) {
  case Core::Me:
  case Core::XScale:
    return success();
  case Core::Host:
    return op->emitOpError("'baker.core' is a core of the chip, not the host");
  }
  KARAKAL_UNREACHABLE("no such core");
}

static LogicalResult verifyAggregate(Operation *op, Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute); text && !text.empty())
    return success();
  return op->emitOpError("'baker.aggregate' must be the name of an aggregate");
}

static LogicalResult verifyAggregates(Operation *op, Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  auto isPlan = [](Attribute entry) {
    auto plan = dyn_cast<DictionaryAttr>(entry);
    auto engines =
        plan ? plan.getAs<DenseI32ArrayAttr>("engines") : DenseI32ArrayAttr();
    return engines && !engines.empty() && plan.getAs<StringAttr>("name");
  };
  if (list && !list.empty() && llvm::all_of(list, isPlan))
    return success();
  return op->emitOpError("'baker.aggregates' must be a list of {name = "
                         "\"...\", engines = array<i32: ...>}");
}

template <const StringLiteral &name>
static LogicalResult verifyNumber(Operation *op, Attribute attribute) {
  if (isI32(attribute))
    return success();
  return op->emitOpError() << "'" << name << "' must be a 32-bit integer";
}

template <const StringLiteral &name>
static LogicalResult verifyPositive(Operation *op, Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (number && number.getType().isSignlessInteger(64) &&
      number.getValue().isStrictlyPositive())
    return success();
  return op->emitOpError() << "'" << name
                           << "' must be a 64-bit integer above 0";
}

static LogicalResult verifyPacked(Operation *op, Attribute attribute) {
  auto type = dyn_cast<TypeAttr>(attribute);
  if (type && isa<ArrayType>(type.getValue()))
    return success();
  return op->emitOpError("'baker.packed' must be the type of an array");
}

static const Decision decisions[] = {
    {kindAttrName, "func.func", verifyKind},
    {profileAttrName, "func.func", verifyProfile},
    {profileAttrName, "baker.channel", verifyProfile},
    {profileAttrName, "baker.global", verifyProfile},
    {profileAttrName, "builtin.module", verifyProfile},
    {localityAttrName, "baker.global", verifyLocality},
    {localityAttrName, "func.func", verifyLocality},
    {branchAttrName, "cf.cond_br", verifyBranch},
    {branchAttrName, "cf.switch", verifyBranch},
    {coreAttrName, "func.func", verifyCore},
    {coldAttrName, "func.func", verifyUnit<coldAttrName>},
    {rareAttrName, "func.func", verifyUnit<rareAttrName>},
    {uncopiedAttrName, "builtin.module", verifyNumber<uncopiedAttrName>},
    {exclusiveAttrName, "func.func", verifyUnit<exclusiveAttrName>},
    {intervalAttrName, "func.func", verifyPositive<intervalAttrName>},
    {cycleAttrName, "baker.channel", verifyUnit<cycleAttrName>},
    {messageAttrName, "func.call", verifyNumber<messageAttrName>},
    {aggregateAttrName, "func.func", verifyAggregate},
    {aggregatesAttrName, "builtin.module", verifyAggregates},
    {placementAttrName, "baker.global",
     verifyIsA<placementAttrName, PlacementAttr>},
    {placementInAttrName, "baker.global",
     verifyIsA<placementInAttrName, MemoryRequestAttr>},
    {localAttrName, "baker.global", verifyUnit<localAttrName>},
    {packedAttrName, "baker.global", verifyPacked},
    {strideAttrName, "baker.global", verifyNumber<strideAttrName>},
    {tolerateAttrName, "baker.global", verifyPositive<tolerateAttrName>},
    {viaAttrName, "baker.channel", verifyIsA<viaAttrName, ViaAttr>},
    {ringAttrName, "baker.channel", verifyNumber<ringAttrName>},
    {idAttrName, "baker.channel", verifyNumber<idAttrName>},
    {wordAttrName, "baker.metadata", verifyNumber<wordAttrName>},
    {targetAttrName, "builtin.module", verifyTarget},
    {refusalsAttrName, "builtin.module", verifyRefusals},
    {hashMultiplierAttrName, "builtin.module", verifyHashMultiplier},
    {headAttrName, "", verifyIsA<headAttrName, HeadAttr>},
    {puntAttrName, "baker.channel", verifyIsA<puntAttrName, PuntAttr>},
};

LogicalResult verifyDecision(Operation *op, NamedAttribute attribute) {
  StringRef bearer;
  for (const Decision &decision : decisions) {
    if (decision.name != attribute.getName())
      continue;
    if (decision.bearer.empty() ||
        op->getName().getStringRef() == decision.bearer)
      return decision.check(op, attribute.getValue());
    if (bearer.empty())
      bearer = decision.bearer;
  }
  if (!bearer.empty())
    return op->emitOpError() << "'" << attribute.getName().getValue()
                             << "' belongs on a " << bearer;
  // A pass may have attributes that are not in this table. The pass verifies
  // them, and their names have a prefix of their own.
  if (attribute.getName().getValue().count('.') > 1)
    return success();
  return op->emitOpError() << "unknown attribute '"
                           << attribute.getName().getValue() << "'";
}

} // namespace karakal::ir
