// The manifest of an image.
//
// The facts about a program that the loader, the simulator and the reports need
// besides its code. Numbers come from target-ixp/chip/MemoryMap.h and from the
// attributes of the program.

#include "driver/report/Manifest.h"
#include "driver/cores/Variants.h"
#include "ir/analysis/GlobalsEnd.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Runtime.h"
#include "ir/dialect/Tables.h"
#include "ir/dialect/Target.h"
#include "passes/Passes.h"
#include "swcache/Caches.h"
#include "target-ixp/chip/ChipLayout.h"
#include "target-ixp/chip/Rings.h"
#include "target-ixp/chip/RuntimeFunctions.h"
#include "target-ixp/image/Image.h"
#include "target-ixp/image/Manifest.h"

#include <set>

using namespace mlir;
using nlohmann::json;

namespace karakal::driver {

namespace {

/// The init functions. The one that sets the initial values of globals is
/// first.
std::vector<func::FuncOp> initFunctions(ModuleOp program) {
  std::vector<func::FuncOp> functions;
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::kindOf(function) == ir::FunctionKind::Init) {
      bool isFirst = function.getSymName() == passes::globalsInitName;
      functions.insert(isFirst ? functions.begin() : functions.end(), function);
    }
  return functions;
}

std::vector<func::FuncOp> controlFunctions(ModuleOp program) {
  std::vector<func::FuncOp> functions;
  for (auto function : program.getOps<func::FuncOp>())
    if (ir::kindOf(function) == ir::FunctionKind::Control)
      functions.push_back(function);
  return functions;
}

json describeEngines(const std::vector<AggregateCode> &aggregates,
                     const target::ChipParameters &chip) {
  json engines = json::array();
  engines.push_back(
      {{"engine", target::RxEngine}, {"role", "rx"}, {"ucode", "rx"}});
  for (const AggregateCode &aggregate : aggregates)
    for (uint32_t number : aggregate.plan.engines)
      engines.push_back({{"engine", number},
                         {"role", "app"},
                         {"ucode", aggregate.plan.name},
                         {"aggregate", aggregate.plan.name}});
  engines.push_back(
      {{"engine", target::txEngine(chip)}, {"role", "tx"}, {"ucode", "tx"}});
  return engines;
}

/// SRAM rings of the program's channels.
json describeSramRings(ModuleOp program) {
  std::set<uint32_t> numbers;
  for (auto channel : program.getOps<ir::ChannelOp>())
    if (auto ring = ir::numberOf(channel, ir::ringAttrName);
        ring && target::isSramRing(*ring))
      numbers.insert(*ring);
  json rings = json::array();
  for (uint32_t ring : numbers)
    rings.push_back({{"channel", target::SramRingChannel},
                     {"entry", target::sramRingEntry(ring)},
                     {"base", target::sramRingBase(ring)},
                     {"words", target::SramRingWords}});
  return rings;
}

json describeAggregates(const std::vector<AggregateCode> &engines) {
  json aggregates = json::array();
  for (const AggregateCode &engine : engines) {
    json made = {{"name", engine.plan.name},
                 {"ucode", engine.plan.name},
                 {"words", engine.code.words.size()},
                 {"engines", engine.plan.engines}};
    if (engine.contexts != 0)
      made["contexts"] = engine.contexts;
    for (const AggregateCode::Variant &variant : engine.variants) {
      json described = {{"takes", variant.takes},
                        {"puts", variant.puts},
                        {"ucode", variant.nameIn(engine.plan.name)}};
      if (variant.isPlain)
        described["plain"] = true;
      made["variants"].push_back(std::move(described));
    }
    aggregates.push_back(std::move(made));
  }
  return aggregates;
}

/// The functions that wait for locks, by microcode, and the words that call
/// them.
json describeLockFunctions(const std::vector<AggregateCode> &engines) {
  json all = json::array();
  auto add = [&](const std::string &ucode, const target::Microcode &code) {
    for (const target::FunctionRange &range : code.functions) {
      if (!llvm::is_contained(target::runtime::TakeLock, range.name))
        continue;
      json calls = json::array();
      for (const target::CallSite &call : code.calls)
        if (call.callee == range.begin)
          calls.push_back(call.branch);
      all.push_back({{"ucode", ucode},
                     {"begin", range.begin},
                     {"end", range.end},
                     {"calls", calls}});
    }
  };
  for (const AggregateCode &engine : engines) {
    add(engine.plan.name, engine.code);
    for (const AggregateCode::Variant &variant : engine.variants)
      add(variant.nameIn(engine.plan.name), variant.code);
  }
  return all;
}

/// A type as Baker writes it; a struct by its fields.
std::string nameOfType(Type type) {
  if (auto array = dyn_cast<ir::ArrayType>(type)) {
    std::string sizes = "[" + std::to_string(array.getSize()) + "]";
    Type element = array.getElementType();
    for (; isa<ir::ArrayType>(element);
         element = cast<ir::ArrayType>(element).getElementType())
      sizes +=
          "[" + std::to_string(cast<ir::ArrayType>(element).getSize()) + "]";
    return nameOfType(element) + sizes;
  }
  if (auto record = dyn_cast<ir::StructType>(type)) {
    // A number of more than 64 bits is a struct of two parts, which bears the
    // name of its type. No other struct has such a name.
    llvm::StringRef width = record.getName();
    if (width.consume_front("u") && llvm::all_of(width, llvm::isDigit) &&
        !width.empty())
      return record.getName().str();
    std::string fields;
    for (auto [name, field] :
         llvm::zip(record.getFieldNames(), record.getFieldTypes()))
      fields += nameOfType(field) + " " + name.str() + "; ";
    return "struct { " + fields + "}";
  }
  return "u" + std::to_string(type.getIntOrFloatBitWidth());
}

/// The metadata fields in the packets' descriptors.
json describeMetadata(ModuleOp program) {
  json all = json::array();
  for (auto field : program.getOps<ir::MetadataOp>())
    if (auto word = ir::numberOf(field, ir::wordAttrName))
      all.push_back({{"name", field.getSymName().str()},
                     {"word", *word},
                     {"words", ir::metadataWordCount(field.getType())}});
  return all;
}

json describeGlobals(ModuleOp program) {
  json globals = json::array();
  for (auto global : program.getOps<ir::GlobalOp>()) {
    std::optional<ir::Placement> placement = ir::placementOf(global);
    KARAKAL_ASSERT(placement || ir::isLocal(global),
                   "a global without a placement");
    if (!placement || placement->memory == target::Memory::Local)
      continue; // each engine has its own; see describeCopies
    Type type = global.getType();
    if (ir::isLocal(global)) // the copies of all contexts
      type = ir::ArrayType::get(type.getContext(),
                                ir::copiesOfLocal(program, placement->memory),
                                type);
    ir::ArrayType packed = ir::packedIn(global);
    globals.push_back({{"name", global.getSymName().str()},
                       {"memory", target::memoryName(placement->memory)},
                       {"address", placement->address},
                       {"bytes", 4 * ir::wordCount(type)},
                       {"type", nameOfType(packed ? packed : type)}});
    if (packed)
      globals.back().update({{"elements", packed.getSize()},
                             {"element_bits", ir::packedBits(packed)}});
  }
  return globals;
}

/// Describes the copies of globals in the engines' local memory, for tools that
/// count stale uses.
json describeCopies(ModuleOp program) {
  json caches = json::array();
  for (swcache::GlobalCopy cache : swcache::globalCopiesOf(program)) {
    ir::Placement home = *ir::placementOf(cache.home);
    caches.push_back({{"global", cache.home.getSymName().str()},
                      {"memory", target::memoryName(home.memory)},
                      {"address", home.address},
                      {"bytes", 4 * ir::wordCount(cache.copy.getType())},
                      {"local", ir::placementOf(cache.copy)->address},
                      {"version", swcache::versionPrefix.str() +
                                      target::memoryName(home.memory)},
                      {"interval", swcache::packetInterval(program)},
                      {"context_interval", swcache::contextInterval(program)}});
  }
  return caches;
}

/// Describes the cache lines of large arrays in the engines' local memory. The
/// CAM's tag, or the word after the element, is the index of the element that a
/// cache line holds.
json describeArrayCaches(ModuleOp program) {
  json all = json::array();
  for (swcache::ArrayCache kept : swcache::arrayCachesOf(program)) {
    ir::Placement home = *ir::placementOf(kept.home);
    auto array = cast<ir::ArrayType>(kept.home.getType());
    uint64_t words = ir::wordCount(kept.lines.getType());
    all.push_back({{"global", kept.home.getSymName().str()},
                   {"memory", target::memoryName(home.memory)},
                   {"address", home.address},
                   {"bytes", 4 * ir::wordCount(array)},
                   {"element_bytes", 4 * ir::elementWordStride(array)},
                   {"local", ir::placementOf(kept.lines)->address},
                   {"count", kept.count()},
                   {"line_bytes", 4 * words / kept.count()},
                   {"by_cam", !kept.isDirectMapped},
                   {"cam_tag", kept.tag},
                   {"version", swcache::versionPrefix.str() +
                                   target::memoryName(home.memory)},
                   {"interval", swcache::packetInterval(program)},
                   {"context_interval", swcache::contextInterval(program)}});
  }
  return all;
}

/// Describes the look-up caches. Their results are current while each version
/// word equals the value that the engine read last.
json describeLookupCaches(ModuleOp program) {
  json versions = json::array();
  for (swcache::VersionWord version : swcache::versionWordsOf(program)) {
    ir::Placement home = *ir::placementOf(version.word);
    versions.push_back({{"memory", target::memoryName(home.memory)},
                        {"address", home.address},
                        {"seen", ir::placementOf(version.seen)->address}});
  }
  json all = json::array();
  for (swcache::LookupCache cache : swcache::lookupCachesOf(program))
    all.push_back({{"lookup", cache.lookup.getSymName().str()},
                   {"bytes", 4 * ir::wordCount(cache.results.getType())},
                   {"local", ir::placementOf(cache.results)->address},
                   {"versions", versions},
                   {"interval", swcache::packetInterval(program)},
                   {"context_interval", swcache::contextInterval(program)}});
  return all;
}

uint32_t addressOf(const XScaleCode &code, const std::string &symbol) {
  auto found = code.symbols.find(symbol);
  KARAKAL_ASSERT(found != code.symbols.end(),
                 "the XScale core's code lacks " + symbol);
  return found->second;
}

/// The declared type of a parameter or result.
std::string declaredType(DictionaryAttr attributes, Type type) {
  if (attributes)
    if (auto text = attributes.getAs<StringAttr>(ir::typeAttrName))
      return text.str();
  return "u" + std::to_string(type.getIntOrFloatBitWidth());
}

json describeControl(func::FuncOp function, const XScaleCode &code) {
  json params = json::array();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, ir::nameAttrName);
    params.push_back(
        {{"name", name ? name.str() : "argument" + std::to_string(i)},
         {"type", declaredType(function.getArgAttrDict(i),
                               function.getArgumentTypes()[i])}});
  }
  std::string returns = "void";
  if (function.getNumResults())
    returns = declaredType(function.getResultAttrDict(0),
                           function.getResultTypes()[0]);
  std::string name = function.getSymName().str();
  json made = {{"name", name},
               {"entry", addressOf(code, "control." + name)},
               {"params", params},
               {"returns", returns}};
  if (uint64_t limit = ir::tableLimitOf(function))
    made["table_limit"] = limit;
  if (function->hasAttr(ir::exclusiveAttrName))
    made["exclusive"] = true;
  if (auto interval =
          function->getAttrOfType<IntegerAttr>(ir::intervalAttrName))
    made["interval_us"] = interval.getInt();
  return made;
}

/// The multiplier of hashes, least significant word first, and where the core
/// has it.
json describeHash(target::HashKey multiplier, const XScaleCode &code) {
  json made = {{"multiplier",
                {uint32_t(multiplier.low), uint32_t(multiplier.low >> 32),
                 uint32_t(multiplier.high), uint32_t(multiplier.high >> 32)}}};
  if (code.hashMultiplier)
    made["core_copy"] = *code.hashMultiplier;
  return made;
}

/// Describes the declared tables, for tools that fill them.
json describeTables(ModuleOp program) {
  json tables = json::array();
  for (auto table : program.getOps<ir::TableOp>()) {
    json keys = json::array(), fields = json::array();
    for (const ir::TableKey &key : ir::keysOf(table))
      keys.push_back({{"name", key.name},
                      {"match", ir::nameOf(key.kind).str()},
                      {"bits", key.bits}});
    auto record = cast<ir::StructType>(table.getRecord());
    for (unsigned i = 0; i < record.getFieldNames().size(); ++i)
      if (!ir::isHidden(table, i))
        fields.push_back({{"name", record.getFieldNames()[i].str()},
                          {"type", cast<StringAttr>(table.getTypes()[i]).str()},
                          {"mutable", ir::isMutable(table, i)}});
    tables.push_back(
        {{"name", table.getSymName().str()},
         {"key", keys},
         {"value", fields},
         {"size", table.getSize()},
         {"limit", table.getLimit()},
         {"entries", table.getEntries() ? table.getEntries()->size() : 0},
         {"structure", table.getStructure().value_or("").str()}});
    if (table.getCounters())
      tables.back()["counters"] = ir::countersOf(table);
    if (table.getIdle())
      tables.back()["idle"] = true;
    if (table.getMeter())
      tables.back()["meter"] = table.getMeter()->str();
  }
  return tables;
}

json describeXScale(ModuleOp program, const XScaleCode &code) {
  json init = json::array(), control = json::array();
  for (func::FuncOp function : initFunctions(program)) {
    std::string name = function.getSymName().str();
    init.push_back(
        {{"name", name}, {"entry", addressOf(code, "init." + name)}});
  }
  for (func::FuncOp function : controlFunctions(program))
    control.push_back(describeControl(function, code));
  return {{"handler", addressOf(code, target::runtime::XScaleEntry)},
          {"stack", target::XScaleStackTop},
          {"arguments", target::XScaleArguments},
          {"init", init},
          {"control", control},
          {"refusals", ir::refusalsOf(program)}};
}

} // namespace

std::vector<std::string> xscaleEntries(ModuleOp program) {
  std::vector<std::string> entries = {target::runtime::XScaleEntry};
  for (func::FuncOp function : initFunctions(program))
    entries.push_back("init." + function.getSymName().str());
  for (func::FuncOp function : controlFunctions(program))
    entries.push_back("control." + function.getSymName().str());
  return entries;
}

json makeManifest(ModuleOp program, const Options &options,
                  const std::vector<AggregateCode> &engines,
                  const XScaleCode &xscale) {
  json manifest = {{"format", "karakal-image"},
                   {"version", target::ImageVersion},
                   {"target", ir::targetOf(program).str()},
                   {"program", program.getName().value_or("program").str()},
                   {"level", levelName(options.pipeline.level)},
                   {"aggregates", describeAggregates(engines)},
                   {"engines", describeEngines(engines, ir::chipOf(program))},
                   {"sram_size", ir::chipOf(program).sramBytes},
                   {"buffers", target::describeBuffers()},
                   {"rings", target::describeRings(ir::chipOf(program))},
                   {"sram_rings", describeSramRings(program)},
                   {"drop_reasons", ir::dropReasonsOf(program)},
                   {"drop_counters", target::DropCounterBase},
                   {"globals", describeGlobals(program)},
                   {"metadata", describeMetadata(program)},
                   {"lock_functions", describeLockFunctions(engines)},
                   {"tables", describeTables(program)},
                   {"caches", describeCopies(program)},
                   {"cache_lines", describeArrayCaches(program)},
                   {"lookup_caches", describeLookupCaches(program)},
                   {"xscale", describeXScale(program, xscale)}};
  if (options.pipeline.isStoppable)
    manifest["stop_word"] = target::EngineStopWord;
  if (xscale.engineTable)
    manifest["engine_table"] = *xscale.engineTable;
  if (auto multiplier = ir::ownHashMultiplierOf(program))
    manifest["hash"] = describeHash(*multiplier, xscale);
  return manifest;
}

} // namespace karakal::driver
