// Makes the code of packets for one state of tables and settings.

#include "codegen-x86/specialize/Specialize.h"
#include "codegen-x86/Optimize.h"
#include "codegen-x86/PacketMemory.h"
#include "codegen-x86/Runtime.h"
#include "codegen-x86/specialize/FindCode.h"
#include "codegen-x86/specialize/GlobalAccesses.h"
#include "codegen-x86/specialize/HotCode.h"
#include "support/Assert.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <algorithm>

namespace karakal::x86 {

using namespace llvm;

namespace {

class Specialization {
public:
  Specialization(const Specializable &program, const Snapshot &snapshot,
                 const SpecializeLimits &limits, const Exclusions &without)
      : program(program), snapshot(snapshot), limits(limits), without(without) {
  }

  Specialized run(TargetMachine &machine);
  /// Only counts the instructions.
  uint64_t count(TargetMachine &machine);

private:
  bool fold(TargetMachine &machine);
  bool isExcluded(const std::set<unsigned> &versions) const {
    return any_of(versions, [&](unsigned version) {
      return without.versions.count(version) != 0;
    });
  }
  void assume(const std::string &name, std::string what,
              const std::set<unsigned> &versions, bool isCompared = false);
  void specializeTable(const TableShape &table, const TableContent &content,
                       const Traffic::OfTable &traffic);
  void compareHot(const TableShape &table, const TableContent &content,
                  const std::vector<Rule> &rules, const HotChoice &hot,
                  const std::set<unsigned> &versions, bool isAssumed);
  void foldSlots(const TableShape &table, const TableContent &content);
  void foldGlobals();
  void makeConstant(GlobalVariable &global, ArrayRef<uint32_t> words);

  const Specializable &program;
  const Snapshot &snapshot;
  const SpecializeLimits &limits;
  const Exclusions &without;
  Specialized made;
  Module *module = nullptr;
};

} // namespace

void Specialization::assume(const std::string &name, std::string what,
                            const std::set<unsigned> &versions,
                            bool isCompared) {
  Assumption assumption{name, std::move(what), {}, 0, isCompared};
  for (const SharedGlobal &global : program.globals)
    if (global.version >= 0 && versions.count(unsigned(global.version)))
      for (const std::string &writer : global.writers)
        if (!is_contained(assumption.undoneBy, writer))
          assumption.undoneBy.push_back(writer);
  made.assumptions.push_back(std::move(assumption));
  (isCompared ? made.compared : made.assumed)
      .insert(versions.begin(), versions.end());
}

/// The versions of the globals that a look-up and its entries depend on.
static std::set<unsigned> versionsOf(Module &module,
                                     const Specializable &program,
                                     const TableShape &table) {
  std::set<unsigned> versions;
  auto add = [&](const std::string &name) {
    const SharedGlobal *global = program.global(name);
    KARAKAL_ASSERT(global && global->version >= 0,
                   "changes of " + name + " are followed");
    versions.insert(unsigned(global->version));
  };
  add(table.own("entries"));
  for (Function *function : reachableFrom(module, {table.find()}))
    for (BasicBlock &block : *function)
      for (Instruction &instruction : block)
        for (Value *operand : instruction.operands())
          if (auto *global =
                  dyn_cast<GlobalVariable>(operand->stripInBoundsOffsets()))
            add(global->getName().str());
  return versions;
}

void Specialization::specializeTable(const TableShape &table,
                                     const TableContent &content,
                                     const Traffic::OfTable &traffic) {
  std::vector<Rule> rules = rulesOf(table, content);
  FindChoice choice = chooseFind(table, rules, limits);
  std::set<unsigned> versions = versionsOf(*module, program, table);
  HotChoice hot;
  bool isSearched =
      choice.form == FindForm::Own || choice.form == FindForm::Indexed;
  if (isSearched && !isExcluded(versions))
    hot = chooseHot(table, rules, choice.form, traffic, limits);
  if (choice.form == FindForm::Own) {
    made.left.emplace_back(table.name, choice.reason);
    compareHot(table, content, rules, hot, versions, /*isAssumed=*/false);
    return;
  }
  if (isExcluded(versions)) {
    made.left.emplace_back(table.name, "it changes all the time");
    return;
  }
  if (choice.form == FindForm::Compares && orderByTraffic(rules, traffic))
    choice.reason += ", the most frequent first";
  assume(table.name, choice.reason, versions);
  writeFind(*module, table, rules, choice.form, traffic);
  compareHot(table, content, rules, hot, versions, /*isAssumed=*/true);
  if (choice.form != FindForm::Indexed)
    foldSlots(table, content);
}

/// Compares the entries of `hot` before the look-up. The code compares the
/// table's versions with those of the snapshot unless they are assumed.
void Specialization::compareHot(const TableShape &table,
                                const TableContent &content,
                                const std::vector<Rule> &rules,
                                const HotChoice &hot,
                                const std::set<unsigned> &versions,
                                bool isAssumed) {
  if (hot.entries.empty())
    return;
  VersionValues guard;
  if (!isAssumed && !limits.skipsHotGuard)
    for (unsigned number : versions)
      guard.emplace_back(number, snapshot.versions[number]);
  writeHot(*module, table, content, rules, hot, guard);
  assume(table.name, describe(hot, table, rules), versions,
         /*isCompared=*/true);
}

/// Makes loads of slots that packets do not write loads of constants.
void Specialization::foldSlots(const TableShape &table,
                               const TableContent &content) {
  std::string name = table.own("entries");
  GlobalVariable *entries = module->getGlobalVariable(name);
  uint32_t last = 0;
  for (const TableEntry &entry : content.entries)
    last = std::max(last, entry.slot);
  if (!entries || uint64_t(last + 1) * table.slotWords > limits.readWordsMax)
    return;
  std::vector<uint32_t> words(uint64_t(last + 1) * table.slotWords);
  std::copy(content.defaults.begin(), content.defaults.end(), words.begin());
  for (const TableEntry &entry : content.entries)
    std::copy(entry.words.begin(), entry.words.end(),
              words.begin() + uint64_t(entry.slot) * table.slotWords);
  makeConstant(*entries, words);
}

/// Makes loads of `global` that no packet changes load `words` instead.
void Specialization::makeConstant(GlobalVariable &global,
                                  ArrayRef<uint32_t> words) {
  bool isZero = all_of(words, [](uint32_t word) { return word == 0; });
  Constant *value = isZero
                        ? Constant::getNullValue(global.getValueType())
                        : ConstantDataArray::get(module->getContext(), words);
  auto *twin = new GlobalVariable(*module, value->getType(), true,
                                  GlobalValue::InternalLinkage, value,
                                  global.getName() + ".now");
  twin->setAlignment(Align(16));
  FunctionSet all;
  for (Function &function : *module)
    all.insert(&function);
  GlobalAccesses accesses = accessesOf(global, all);
  std::vector<GlobalAccess> writes;
  copy_if(accesses.all, std::back_inserter(writes),
          [](const GlobalAccess &access) { return access.isWrite; });
  for (const GlobalAccess &read : accesses.all) {
    if (read.isWrite || any_of(writes, [&](const GlobalAccess &write) {
          return write.mayOverlap(read);
        }))
      continue;
    // The same place of the twin.
    auto *load = cast<LoadInst>(read.at);
    IRBuilder<> builder(load);
    Value *pointer = load->getPointerOperand();
    std::vector<GEPOperator *> offsets;
    while (auto *offset = dyn_cast<GEPOperator>(pointer)) {
      offsets.push_back(offset);
      pointer = offset->getPointerOperand();
    }
    KARAKAL_ASSERT(pointer == &global, "an access of this global");
    Value *moved = twin;
    for (GEPOperator *offset : reverse(offsets)) {
      SmallVector<Value *> indices(offset->indices());
      moved = builder.CreateGEP(offset->getSourceElementType(), moved, indices);
    }
    load->setOperand(LoadInst::getPointerOperandIndex(), moved);
  }
}

void Specialization::foldGlobals() {
  auto fold = [&](const std::string &name, ArrayRef<uint32_t> words,
                  const std::string &what) {
    GlobalVariable *global = module->getGlobalVariable(name);
    bool isUsed = global && any_of(global->users(), [](const User *user) {
                    return !user->use_empty() || isa<Instruction>(user);
                  });
    bool isTables = any_of(program.tables, [&](const TableShape &table) {
      return StringRef(name).starts_with(table.own(""));
    });
    std::set<unsigned> versions = {unsigned(program.global(name)->version)};
    if (!isUsed || isTables || without.names.count(name) ||
        isExcluded(versions))
      return;
    assume(name, what, versions);
    makeConstant(*global, words);
  };
  for (const auto &[name, words] : snapshot.words)
    fold(name, words,
         words.size() == 1 ? "is " + std::to_string(words[0])
                           : std::to_string(words.size()) + " words");
  for (const std::string &name : snapshot.zeros)
    fold(name, {}, "all zero");
}

/// Says of primitives what LLVM does not see before they are linked, so that
/// those whose value is not used can go.
static void describePrimitives(Module &module) {
  using namespace target::runtime;
  for (const char *name :
       {"baker_packet_read", "baker_meta_read", "baker_rx_port",
        "baker_tx_port", "baker_packet_length", "baker_packet_headroom"})
    if (Function *function = module.getFunction(name)) {
      function->setOnlyReadsMemory();
      function->setDoesNotThrow();
      function->setWillReturn();
    }
  for (const char *name : {Hash48, Hash64, Hash128})
    if (Function *function = module.getFunction(name)) {
      function->setDoesNotAccessMemory();
      function->setDoesNotThrow();
      function->setWillReturn();
    }
}

/// Makes all but the functions that packets enter local.
static void keepEntriesAlone(Module &module, const Specializable &program) {
  std::vector<std::string> keep = program.packetEntries;
  keep.push_back(PacketSymbols::FindFeatures);
  for (Function &function : module)
    if (!function.isDeclaration() &&
        !is_contained(keep, function.getName().str()))
      function.setLinkage(GlobalValue::InternalLinkage);
}

/// Adds the packet primitives to the code of packets and optimizes it.
static void finish(Module &module, const Specializable &program,
                   TargetMachine &machine) {
  module.getOrInsertFunction(PacketSymbols::FindFeatures,
                             Type::getVoidTy(module.getContext()));
  linkRuntime(module, RuntimePart::Packets);
  linkRuntime(module, RuntimePart::Services);
  fixHashMultiplier(module, program.hashMultiplier);
  keepEntriesAlone(module, program);
  verify(module, "before optimization");
  optimize(module, machine);
}

static std::unique_ptr<Module> readPacketCode(const Specializable &program,
                                              LLVMContext &context) {
  auto read =
      parseBitcodeFile(MemoryBufferRef(program.bitcode, "packets"), context);
  KARAKAL_ASSERT(bool(read), "the program's bitcode is that of this LLVM");
  return std::move(*read);
}

std::unique_ptr<Module> makeObserving(const Specializable &program,
                                      LLVMContext &context,
                                      TargetMachine &machine,
                                      std::vector<unsigned> &ways) {
  std::unique_ptr<Module> module = readPacketCode(program, context);
  ways = observeTraffic(*module, program);
  finish(*module, program, machine);
  return module;
}

/// Reads the program, folds and simplifies it. False if there was nothing to
/// assume and nothing was excluded by name.
bool Specialization::fold(TargetMachine &machine) {
  made.context = std::make_unique<LLVMContext>();
  made.module = readPacketCode(program, *made.context);
  module = made.module.get();
  const Traffic &traffic = snapshot.traffic;
  if (!traffic.branches.empty())
    made.weighedBranches = weighBranches(*module, traffic.branches);
  for (size_t i = 0; i < program.tables.size(); ++i) {
    const TableShape &table = program.tables[i];
    if (without.names.count(table.name))
      continue;
    if (snapshot.tables[i])
      specializeTable(table, *snapshot.tables[i],
                      traffic.tables.empty() ? Traffic::OfTable()
                                             : traffic.tables[i]);
    else
      made.left.emplace_back(table.name, "too large to be looked at");
  }
  foldGlobals();
  if (made.assumptions.empty() && without.names.empty())
    return false;
  describePrimitives(*module);
  keepEntriesAlone(*module, program);
  simplify(*module, machine);
  made.instructions = module->getInstructionCount();
  return true;
}

uint64_t Specialization::count(TargetMachine &machine) {
  bool isDone = fold(machine);
  KARAKAL_ASSERT(isDone, "something is excluded by name");
  return made.instructions;
}

Specialized Specialization::run(TargetMachine &machine) {
  bool isDone = fold(machine);
  if (isDone && made.instructions > limits.instructionsMax) {
    made.refusal = "the program has " + std::to_string(made.instructions) +
                   " instructions, more than " +
                   std::to_string(limits.instructionsMax);
    isDone = false;
  }
  if (!isDone) {
    made.module.reset();
    return std::move(made);
  }
  finish(*module, program, machine);
  return std::move(made);
}

Specialized specialize(const Specializable &program, const Snapshot &snapshot,
                       const SpecializeLimits &limits, TargetMachine &machine,
                       const Exclusions &without) {
  KARAKAL_ASSERT(snapshot.tables.size() == program.tables.size(),
                 "a snapshot of this program");
  return Specialization(program, snapshot, limits, without).run(machine);
}

void measureSavings(Specialized &made, const Specializable &program,
                    const Snapshot &snapshot, const SpecializeLimits &limits,
                    TargetMachine &machine) {
  for (Assumption &assumption : made.assumptions) {
    if (assumption.isCompared)
      continue; // it says what it saves
    Exclusions without{{assumption.name}, {}};
    uint64_t count =
        Specialization(program, snapshot, limits, without).count(machine);
    assumption.savedInstructions = int64_t(count) - int64_t(made.instructions);
  }
}

} // namespace karakal::x86
