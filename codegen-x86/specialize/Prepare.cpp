// Prepares a program for being specialized while it runs.

#include "codegen-x86/specialize/Prepare.h"
#include "codegen-x86/specialize/GlobalAccesses.h"
#include "support/Assert.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <algorithm>

namespace karakal::x86 {

using namespace llvm;

const SharedGlobal *Specializable::global(const std::string &name) const {
  auto found =
      std::find_if(globals.begin(), globals.end(),
                   [&](const auto &each) { return each.name == name; });
  return found == globals.end() ? nullptr : &*found;
}

namespace {

class Preparation {
public:
  Preparation(Module &module, const ProgramParts &program)
      : module(module), program(program),
        packets(reachableFrom(module, program.packetEntries)),
        changers(reachableFrom(module, changerNames(program))) {
    for (Function *function : packets)
      changers.erase(function);
  }

  Specializable run();

private:
  static std::vector<std::string> changerNames(const ProgramParts &program) {
    std::vector<std::string> names = program.inits;
    for (const auto &[wrapper, name] : program.controls)
      names.push_back(wrapper);
    return names;
  }

  /// The globals of tables that are read to list their entries, although no
  /// packet reads them.
  bool isOfTable(const GlobalVariable &global) const {
    return std::any_of(program.tables.begin(), program.tables.end(),
                       [&](const TableShape &table) {
                         return global.getName() == table.own("buckets") ||
                                global.getName() == table.own("holders") ||
                                global.getName() == table.own("used");
                       });
  }

  void describeGlobals();
  void findWriters();
  void follow();
  bool isFollowed(const TableShape &table);
  std::vector<bool> wordsThatPacketsWrite(const TableShape &table);
  std::string packetCode();

  Module &module;
  const ProgramParts &program;
  FunctionSet packets, changers;
  AccessMap ofPackets, ofChangers;
  Specializable made;
};

} // namespace

void Preparation::describeGlobals() {
  for (auto &[global, accesses] : ofPackets) {
    if (accesses.all.empty() && !accesses.escapes && !isOfTable(*global))
      continue;
    auto *type = dyn_cast<ArrayType>(global->getValueType());
    if (!type || !type->getElementType()->isIntegerTy(32))
      continue;
    SharedGlobal shared;
    shared.name = global->getName().str();
    shared.words = type->getNumElements();
    shared.startsAsZero = global->getInitializer()->isNullValue();
    shared.isWrittenByPackets = accesses.writes();
    if (!accesses.escapes && !ofChangers[global].escapes)
      shared.version = int(made.versionCount++);
    global->setLinkage(GlobalValue::ExternalLinkage);
    global->setDSOLocal(true);
    made.globals.push_back(shared);
  }
}

/// Notes which control functions may change each global.
void Preparation::findWriters() {
  for (const auto &[wrapper, name] : program.controls) {
    FunctionSet reached = reachableFrom(module, {wrapper});
    for (SharedGlobal &shared : made.globals) {
      const GlobalAccesses &accesses =
          ofChangers[module.getGlobalVariable(shared.name, true)];
      if (std::any_of(accesses.all.begin(), accesses.all.end(),
                      [&](const GlobalAccess &access) {
                        return access.isWrite &&
                               reached.contains(access.at->getFunction());
                      }))
        shared.writers.push_back(name);
    }
  }
}

/// Makes stores of control functions increment versions.
void Preparation::follow() {
  Type *i64 = Type::getInt64Ty(module.getContext());
  auto *type = ArrayType::get(i64, std::max(made.versionCount, 1u));
  auto *versions = new GlobalVariable(
      module, type, false, GlobalValue::ExternalLinkage,
      ConstantAggregateZero::get(type), Specializable::Versions);
  versions->setDSOLocal(true);
  for (const SharedGlobal &shared : made.globals) {
    if (shared.version < 0)
      continue;
    for (const GlobalAccess &access :
         ofChangers[module.getGlobalVariable(shared.name, true)].all) {
      if (!access.isWrite)
        continue;
      IRBuilder<> builder(access.at->getNextNode());
      Value *word =
          builder.CreateConstInBoundsGEP2_64(type, versions, 0, shared.version);
      builder.CreateStore(
          builder.CreateAdd(builder.CreateLoad(i64, word), builder.getInt64(1)),
          word);
    }
  }
}

/// Whether the look-up reads nothing that packets write or whose changes are
/// not followed, and does nothing but reading.
bool Preparation::isFollowed(const TableShape &table) {
  Function *find = module.getFunction(table.find());
  if (!find || find->isDeclaration())
    return false;
  FunctionSet functions = reachableFrom(module, {table.find()});
  for (auto &[global, accesses] : accessesOf(module, functions)) {
    if (accesses.writes())
      return false;
    const SharedGlobal *shared = made.global(global->getName().str());
    if (!accesses.all.empty() && (!shared || shared->version < 0))
      return false;
    for (const GlobalAccess &read : accesses.all)
      for (const GlobalAccess &write : ofPackets[global].all)
        if (write.isWrite && write.mayOverlap(read))
          return false;
  }
  const SharedGlobal *entries = made.global(table.own("entries"));
  return entries && entries->version >= 0 &&
         find->getReturnType()->isIntegerTy(32);
}

/// By the words of a slot.
std::vector<bool> Preparation::wordsThatPacketsWrite(const TableShape &table) {
  constexpr unsigned wordBytes = 4;
  const GlobalAccesses &accesses =
      ofPackets[module.getGlobalVariable(table.own("entries"), true)];
  std::vector<bool> written(table.slotWords, accesses.escapes);
  for (unsigned word = 0; word < table.slotWords; ++word) {
    GlobalAccess ofWord = {nullptr, word * wordBytes,
                           table.slotWords * wordBytes, wordBytes, false};
    for (const GlobalAccess &access : accesses.all)
      if (access.isWrite && access.mayOverlap(ofWord))
        written[word] = true;
  }
  return written;
}

/// The functions of packets alone.
std::string Preparation::packetCode() {
  ValueToValueMapTy map;
  std::unique_ptr<Module> clone =
      CloneModule(module, map, [&](const GlobalValue *value) {
        auto *function = dyn_cast<Function>(value);
        return function && packets.contains(const_cast<Function *>(function));
      });
  for (GlobalValue &value : make_early_inc_range(clone->global_values()))
    if (value.isDeclaration() && value.use_empty())
      value.eraseFromParent();
  for (GlobalVariable &global : clone->globals())
    global.setDSOLocal(false);
  std::string bitcode;
  raw_string_ostream stream(bitcode);
  WriteBitcodeToFile(*clone, stream);
  return bitcode;
}

Specializable Preparation::run() {
  ofPackets = accessesOf(module, packets);
  ofChangers = accessesOf(module, changers);
  made.packetEntries = program.packetEntries;
  made.hashMultiplier = program.hashMultiplier;
  describeGlobals();
  findWriters();
  for (const TableShape &table : program.tables)
    if (isFollowed(table)) {
      made.tables.push_back(table);
      made.tables.back().writtenWords = wordsThatPacketsWrite(table);
    }
  made.bitcode = packetCode();
  follow();
  return std::move(made);
}

Specializable prepareToSpecialize(Module &module, const ProgramParts &program) {
  KARAKAL_ASSERT(!program.packetEntries.empty(), "packets enter the program");
  return Preparation(module, program).run();
}

} // namespace karakal::x86
