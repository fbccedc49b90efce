#include "swcache/Caches.h"
#include "ir/analysis/Explain.h"

using namespace mlir;

namespace karakal::swcache {

std::vector<Cache> cachesOf(ModuleOp module) {
  std::vector<Cache> caches;
  for (auto home : module.getOps<ir::GlobalOp>())
    if (auto copy = home->getAttrOfType<FlatSymbolRefAttr>(copyAttrName))
      caches.push_back(
          {home, module.lookupSymbol<ir::GlobalOp>(copy.getValue())});
  return caches;
}

std::vector<Answers> answersOf(ModuleOp module) {
  std::vector<Answers> answers;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto name = function->getAttrOfType<FlatSymbolRefAttr>(answersAttrName))
      answers.push_back(
          {function, module.lookupSymbol<ir::GlobalOp>(name.getValue())});
  return answers;
}

uint64_t Lines::count() const {
  ir::GlobalOp global = lines;
  return cast<ir::ArrayType>(global.getType()).getSize();
}

std::vector<Lines> linesOf(ModuleOp module) {
  std::vector<Lines> all;
  for (auto home : module.getOps<ir::GlobalOp>()) {
    auto name = home->getAttrOfType<FlatSymbolRefAttr>(linesAttrName);
    if (!name)
      continue;
    Lines made;
    made.home = home;
    made.lines = module.lookupSymbol<ir::GlobalOp>(name.getValue());
    made.tag = ir::numberOf(home, tagAttrName).value_or(0);
    auto line = cast<ir::StructType>(
        cast<ir::ArrayType>(made.lines.getType()).getElementType());
    made.isDirect = line.fieldIndex(lineTagName).has_value();
    all.push_back(made);
  }
  return all;
}

std::vector<Version> versionsOf(ModuleOp module) {
  std::vector<Version> versions;
  for (auto word : module.getOps<ir::GlobalOp>())
    if (auto memory = word->getAttrOfType<StringAttr>(versionAttrName))
      versions.push_back({word, module.lookupSymbol<ir::GlobalOp>(
                                    (seenPrefix + memory.getValue()).str())});
  return versions;
}

static uint64_t numberOn(ModuleOp module, StringRef name) {
  auto number = module->getAttrOfType<IntegerAttr>(name);
  return number ? number.getValue().getZExtValue() : 0;
}

uint64_t contextInterval(ModuleOp module) {
  return numberOn(module, intervalAttrName);
}

uint64_t packetInterval(ModuleOp module) {
  return numberOn(module, packetsAttrName);
}

void refuseCaches(ModuleOp plain, ModuleOp cached, StringRef why) {
  for (Answers answers : answersOf(cached)) {
    Operation *lookup = plain.lookupSymbol(answers.lookup.getSymName());
    if (!lookup->hasAttr(answersAttrName))
      ir::explain(lookup, "plan-caches")
          << "results of @" << answers.lookup.getSymName()
          << " not kept after all: " << why;
  }
  for (Lines kept : linesOf(cached)) {
    Operation *home = plain.lookupSymbol(kept.home.getSymName());
    if (!home->hasAttr(linesAttrName))
      ir::explain(home, "plan-caches")
          << "elements of @" << kept.home.getSymName()
          << " not kept after all: " << why;
  }
  for (Cache cache : cachesOf(cached)) {
    auto global = plain.lookupSymbol<ir::GlobalOp>(cache.home.getSymName());
    if (global->hasAttr(copyAttrName))
      continue;
    global->setAttr(reasonAttrName, StringAttr::get(plain.getContext(), why));
    ir::explain(global, "plan-caches")
        << "@" << global.getSymName() << " not cached after all: " << why;
  }
}

} // namespace karakal::swcache
