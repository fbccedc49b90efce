#include "swcache/Caches.h"
#include "ir/analysis/Explain.h"

using namespace mlir;

namespace karakal::swcache {

std::vector<GlobalCopy> globalCopiesOf(ModuleOp module) {
  std::vector<GlobalCopy> caches;
  for (auto home : module.getOps<ir::GlobalOp>())
    if (auto copy = home->getAttrOfType<FlatSymbolRefAttr>(copyAttrName))
      caches.push_back(
          {home, module.lookupSymbol<ir::GlobalOp>(copy.getValue())});
  return caches;
}

std::vector<LookupCache> lookupCachesOf(ModuleOp module) {
  std::vector<LookupCache> caches;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(resultsAttrName))
      caches.push_back(
          {function, module.lookupSymbol<ir::GlobalOp>(name.getValue())});
  return caches;
}

uint64_t ArrayCache::count() const {
  ir::GlobalOp global = lines;
  return cast<ir::ArrayType>(global.getType()).getSize();
}

std::vector<ArrayCache> arrayCachesOf(ModuleOp module) {
  std::vector<ArrayCache> all;
  for (auto home : module.getOps<ir::GlobalOp>()) {
    auto name = home->getAttrOfType<FlatSymbolRefAttr>(linesAttrName);
    if (!name)
      continue;
    ArrayCache made;
    made.home = home;
    made.lines = module.lookupSymbol<ir::GlobalOp>(name.getValue());
    made.tag = ir::numberOf(home, tagAttrName).value_or(0);
    auto line = cast<ir::StructType>(
        cast<ir::ArrayType>(made.lines.getType()).getElementType());
    made.isDirectMapped = line.fieldIndex(cacheLineTagName).has_value();
    all.push_back(made);
  }
  return all;
}

std::vector<VersionWord> versionWordsOf(ModuleOp module) {
  std::vector<VersionWord> versions;
  for (auto word : module.getOps<ir::GlobalOp>())
    if (auto memory = word->getAttrOfType<ir::MemoryNameAttr>(versionAttrName))
      versions.push_back(
          {word,
           module.lookupSymbol<ir::GlobalOp>(
               (seenPrefix + stringifyMemoryName(memory.getValue())).str())});
  return versions;
}

static uint64_t numberOn(ModuleOp module, StringRef name) {
  auto number = module->getAttrOfType<IntegerAttr>(name);
  return number ? number.getValue().getZExtValue() : 0;
}

bool exchangesCode(ModuleOp module) {
  return module->hasAttr(exchangedAttrName);
}

uint64_t contextInterval(ModuleOp module) {
  return numberOn(module, intervalAttrName);
}

uint64_t packetInterval(ModuleOp module) {
  return numberOn(module, packetsAttrName);
}

void refuseCaches(ModuleOp plain, ModuleOp cached, StringRef why) {
  for (LookupCache cache : lookupCachesOf(cached)) {
    Operation *lookup = plain.lookupSymbol(cache.lookup.getSymName());
    if (!lookup->hasAttr(resultsAttrName))
      ir::explain(lookup, "plan-caches")
          << "results of @" << cache.lookup.getSymName()
          << " not cached after all: " << why;
  }
  for (ArrayCache cache : arrayCachesOf(cached)) {
    Operation *home = plain.lookupSymbol(cache.home.getSymName());
    if (!home->hasAttr(linesAttrName))
      ir::explain(home, "plan-caches")
          << "elements of @" << cache.home.getSymName()
          << " not cached after all: " << why;
  }
  for (GlobalCopy cache : globalCopiesOf(cached)) {
    auto global = plain.lookupSymbol<ir::GlobalOp>(cache.home.getSymName());
    if (global->hasAttr(copyAttrName))
      continue;
    global->setAttr(reasonAttrName, StringAttr::get(plain.getContext(), why));
    ir::explain(global, "plan-caches")
        << "@" << global.getSymName() << " not cached after all: " << why;
  }
}

} // namespace karakal::swcache
