// Decisions of stages as attributes.
//
// Reading, setting and verifying the attributes listed in Attributes.h. The
// table `decisions` says which attribute belongs to which operation.

#include "ir/dialect/Attributes.h"

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

FunctionKind kindOf(func::FuncOp function) {
  return llvm::StringSwitch<FunctionKind>(
             textOf(function, kindAttrName).value_or("function"))
      .Case("ppf", FunctionKind::Ppf)
      .Case("control", FunctionKind::Control)
      .Case("init", FunctionKind::Init)
      .Default(FunctionKind::Function);
}

void setKind(func::FuncOp function, FunctionKind kind) {
  static constexpr StringLiteral names[] = {"ppf", "function", "control",
                                            "init"};
  setText(function, kindAttrName, names[unsigned(kind)]);
}

std::optional<Core> coreOf(func::FuncOp function) {
  if (auto text = textOf(function, coreAttrName))
    return *text == "me" ? Core::Me : Core::XScale;
  return std::nullopt;
}

void setCore(func::FuncOp function, Core core) {
  setText(function, coreAttrName, core == Core::Me ? "me" : "xscale");
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

std::optional<Place> placeOf(GlobalOp global) {
  auto place = global->getAttrOfType<DictionaryAttr>(placeAttrName);
  if (!place)
    return std::nullopt;
  auto address = place.getAs<IntegerAttr>("address").getValue();
  return Place{place.getAs<StringAttr>("memory").str(),
               uint32_t(address.getZExtValue())};
}

void setPlace(GlobalOp global, const Place &place) {
  Builder builder(global.getContext());
  global->setAttr(
      placeAttrName,
      builder.getDictionaryAttr(
          {builder.getNamedAttr("memory", builder.getStringAttr(place.memory)),
           builder.getNamedAttr("address",
                                builder.getI32IntegerAttr(place.address))}));
}

std::optional<Via> viaOf(ChannelOp channel) {
  if (auto text = textOf(channel, viaAttrName))
    return *text == "call" ? Via::Call : Via::Ring;
  return std::nullopt;
}

void setVia(ChannelOp channel, Via via) {
  setText(channel, viaAttrName, via == Via::Call ? "call" : "ring");
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

std::vector<std::string> dropReasonsOf(ModuleOp module) {
  std::vector<std::string> reasons = {unspecifiedReasonName.str(),
                                      truncatedReasonName.str()};
  for (auto reason : module.getOps<DropReasonOp>())
    reasons.push_back(reason.getSymName().str());
  return reasons;
}

uint32_t dropReasonNumber(PacketDropOp drop) {
  auto name = drop.getReason();
  if (!name)
    return 0;
  auto reasons = dropReasonsOf(drop->getParentOfType<ModuleOp>());
  return llvm::find(reasons, *name) - reasons.begin();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

namespace {
using Check = LogicalResult (*)(Operation *, Attribute);

/// One decision: its attribute, the operation that bears it, its check.
struct Decision {
  StringLiteral name;
  StringLiteral bearer;
  Check check;
};
} // namespace

static LogicalResult verifyOneOf(Operation *op, StringRef name,
                                 Attribute attribute,
                                 ArrayRef<StringRef> allowed) {
  auto text = dyn_cast<StringAttr>(attribute);
  if (text && llvm::is_contained(allowed, text.getValue()))
    return success();
  auto diagnostic = op->emitOpError() << "'" << name << "' must be one of ";
  llvm::interleaveComma(allowed, diagnostic, [&](StringRef word) {
    diagnostic << '"' << word << '"';
  });
  return diagnostic;
}

static bool isI32(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  return number && number.getType().isSignlessInteger(32);
}

static LogicalResult verifyKind(Operation *op, Attribute attribute) {
  if (failed(verifyOneOf(op, kindAttrName, attribute,
                         {"ppf", "function", "control", "init"})))
    return failure();
  auto function = cast<func::FuncOp>(op);
  auto type = function.getFunctionType();
  StringRef kind = cast<StringAttr>(attribute).getValue();
  auto isPacket = [](Type type) { return isa<PacketType>(type); };
  if (kind == "ppf" && (type.getNumInputs() != 1 || type.getNumResults() != 0 ||
                        !isPacket(type.getInput(0))))
    return op->emitOpError(
               "a PPF body takes one packet and returns nothing, but has type ")
           << type;
  if (kind == "init" && (type.getNumInputs() || type.getNumResults()))
    return op->emitOpError(
               "an init function takes and returns nothing, but has type ")
           << type;
  if (kind == "control" && (llvm::any_of(type.getInputs(), isPacket) ||
                            llvm::any_of(type.getResults(), isPacket)))
    return op->emitOpError("a control function cannot take or return packets");
  return success();
}

static LogicalResult verifyPlace(Operation *op, Attribute attribute) {
  auto place = dyn_cast<DictionaryAttr>(attribute);
  auto memory = place ? place.getAs<StringAttr>("memory") : nullptr;
  if (!memory || !isI32(place.get("address")))
    return op->emitOpError(
        "'baker.place' must be {memory = \"...\", address = N : i32}");
  if (failed(verifyOneOf(op, "memory", memory,
                         {"sram0", "sram1", "scratch", "dram", "local"})))
    return failure();
  auto address = place.getAs<IntegerAttr>("address").getValue();
  if (address.getZExtValue() % 4 != 0)
    return op->emitOpError("address ")
           << address.getZExtValue() << " is not a multiple of 4";
  return success();
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

static LogicalResult verifyHead(Operation *op, Attribute attribute) {
  if (isa<HeadAttr>(attribute))
    return success();
  return op->emitOpError("'baker.head' must be a #baker.head<...>");
}

template <const StringLiteral &name>
static LogicalResult verifyNumber(Operation *op, Attribute attribute) {
  if (isI32(attribute))
    return success();
  return op->emitOpError() << "'" << name << "' must be a 32-bit integer";
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
    {coreAttrName, "func.func",
     [](Operation *op, Attribute attribute) {
       return verifyOneOf(op, coreAttrName, attribute, {"me", "xscale"});
     }},
    {coldAttrName, "func.func",
     [](Operation *op, Attribute attribute) -> LogicalResult {
       if (isa<UnitAttr>(attribute))
         return success();
       return op->emitOpError("'baker.cold' has no value");
     }},
    {aggregateAttrName, "func.func", verifyAggregate},
    {aggregatesAttrName, "builtin.module", verifyAggregates},
    {placeAttrName, "baker.global", verifyPlace},
    {placeInAttrName, "baker.global",
     [](Operation *op, Attribute attribute) {
       return verifyOneOf(op, placeInAttrName, attribute,
                          SmallVector<StringRef>(std::begin(placeNames),
                                                 std::end(placeNames)));
     }},
    {tolerateAttrName, "baker.global",
     [](Operation *op, Attribute attribute) -> LogicalResult {
       auto number = dyn_cast<IntegerAttr>(attribute);
       if (number && number.getType().isSignlessInteger(64) &&
           number.getValue().isStrictlyPositive())
         return success();
       return op->emitOpError(
           "'baker.tolerate' must be a 64-bit integer above 0");
     }},
    {viaAttrName, "baker.channel",
     [](Operation *op, Attribute attribute) {
       return verifyOneOf(op, viaAttrName, attribute, {"call", "ring"});
     }},
    {ringAttrName, "baker.channel", verifyNumber<ringAttrName>},
    {idAttrName, "baker.channel", verifyNumber<idAttrName>},
    {wordAttrName, "baker.metadata", verifyNumber<wordAttrName>},
    {headAttrName, "", verifyHead},
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
  // Attributes of passes that this table does not know are theirs to verify,
  // but only if they carry a prefix of their own.
  if (attribute.getName().getValue().count('.') > 1)
    return success();
  return op->emitOpError() << "unknown attribute '"
                           << attribute.getName().getValue() << "'";
}

} // namespace karakal::ir
