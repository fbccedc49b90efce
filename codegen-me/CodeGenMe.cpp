// Compiles LLVM IR to microengine words.
//
// First, the IR is prepared. Then LLVM's code generator handles each function
// up to register allocation. Finally, all functions are emitted together:
// frames over the call graph, words, local-memory pointers, delay slots,
// addresses.

#include "codegen-me/CodeGenMe.h"

#include "codegen-me/machine/Frequencies.h"
#include "codegen-me/prepare/Prepare.h"
#include "codegen-me/target/IxpTargetMachine.h"
#include "codegen-me/words/Annotation.h"
#include "codegen-me/words/WordEmitter.h"
#include "codegen-me/words/variables/VariableRanges.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/table/CommandRules.h"
#include "target-ixp/table/Printer.h"
#include "target-ixp/table/ProgramRules.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

/// Collects the errors that LLVM reports while it generates code.
struct ErrorKeeper : public DiagnosticHandler {
  explicit ErrorKeeper(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return true;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    if (!text.empty())
      stream << "; ";
    info.print(printer);
    return true;
  }
  std::string &text;
};

/// The machine functions of a module after register allocation, callers before
/// callees.
class AllFunctions {
public:
  AllFunctions(const CallOrder &order, MachineModuleInfo &machine,
               const CodeGenOptions &options)
      : machine(machine), options(options) {
    // LLVM generates no code for a function whose calls are all unreachable.
    for (Function *function : order)
      if (machine.getMachineFunction(*function))
        this->order.push_back(function);
  }

  Result<target::Microcode> emit();

private:
  MachineFunction &machineFunction(Function *function) {
    return *machine.getMachineFunction(*function);
  }
  void count();

  CallOrder order;
  MachineModuleInfo &machine;
  const CodeGenOptions &options;
  std::map<std::string, uint64_t> statistics;
  bool needsBase = false;
  bool movesPointer = false;
};

void AllFunctions::count() {
  for (const char *name : {"bank_copies", "spills", "reloads"})
    statistics[name] = 0;
  for (Function *function : order) {
    MachineFunction &mf = machineFunction(function);
    statistics["bank_copies"] += mf.getInfo<IxpFunctionInfo>()->bankCopies;
    for (MachineBasicBlock &block : mf)
      for (MachineInstr &instr : block)
        switch (traitsOf(instr.getDesc()).kind) {
        case Kind::FrameLoad:
          ++statistics["reloads"];
          break;
        case Kind::FrameStore:
          ++statistics["spills"];
          break;
        case Kind::FrameAddress:
          needsBase = true;
          break;
        case Kind::LocalLoad:
        case Kind::LocalStore:
          movesPointer = true;
          break;
        case Kind::Cam:
          movesPointer |= traitsOf(instr.getDesc()).operation == CamLookupLine;
          break;
        default:
          break;
        }
  }
}

Result<target::Microcode> AllFunctions::emit() {
  KARAKAL_ASSERT(!order.empty() && order.front()->hasFnAttribute("ixp-entry"),
                 "the entry function is emitted first");
  BlockFrequencies frequencies = estimateFrequencies(order, machine);
  FrameMap frames(order, machine, frequencies);
  count();
  Result<StackPlan> plan =
      planStack(frames, needsBase, movesPointer, options.localWords);
  if (!plan)
    return plan.error();
  Result<SramStack> sram = placeSramStack(*plan, options.chip);
  if (!sram)
    return sram.error();
  WordProgram program;
  program.sources = options.sources;
  WordEmitter emitter(program, frames, *plan, *sram, frequencies);
  for (Function *function : order)
    emitter.emitFunction(machineFunction(function), function == order.front());
  const SourceValues source(program);
  if (options.level > 0) {
    forwardMoves(program);
    statistics["writes_in_place"] = writeInPlace(program);
    statistics["copies_merged"] = mergeCopies(program);
    statistics["parts_merged"] = mergeParts(program);
    statistics["words_parked"] = parkWords(program);
    statistics["loops_rotated"] = rotateLoops(program);
    statistics["detours_moved"] = moveDetours(program);
    dropPointerWrites(program);
  }
  WaitStatistics waits = placeWaits(program);
  statistics["commands"] = waits.commands;
  statistics["waits"] = waits.waits;
  statistics["swaps"] = waits.swaps;
  placeWindows(program, *plan);
  statistics["pointer_slots_filled"] =
      options.level > 0 ? fillPointerSlots(program) : 0;
  statistics["delay_slots_filled"] =
      options.level > 0 ? fillDelaySlots(program) : 0;
  padPointers(program);
  statistics["stack_words"] = plan->words;
  Result<target::Microcode> code =
      resolve(program, unsigned(options.chip.meControlStore));
  if (!code)
    return code;
  std::vector<target::RuleBreach> breaches = target::checkProgram(code->words);
  for (const target::RuleBreach &breach : target::checkCommands(code->words))
    breaches.push_back(breach);
  for (const target::RuleBreach &breach : breaches)
    KARAKAL_UNREACHABLE("word " + std::to_string(breach.address) + ": " +
                        breach.message + " [" + breach.id + "]");
  statistics["words"] = code->words.size();
  code->notes = annotate(program);
  placeVariables(program, source, *code);
  KARAKAL_ASSERT(code->notes.size() == code->words.size() &&
                     code->frequencies.size() == code->words.size() &&
                     code->taken.size() == code->words.size(),
                 "every word has its note and its frequencies");
  code->statistics = statistics;
  return code;
}

/// Runs LLVM's code generator and keeps its machine functions.
class Generation {
public:
  Generation()
      : machine(CodeGenOptLevel::Default),
        info(new MachineModuleInfoWrapperPass(&machine)) {
    TargetLibraryInfoImpl libraries(machine.getTargetTriple());
    libraries.disableAllFunctions();
    passes.add(new TargetLibraryInfoWrapperPass(libraries));
    passes.add(
        createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
    TargetPassConfig *config = machine.createPassConfig(passes);
    config->setDisableVerify(false);
    passes.add(config);
    passes.add(info);
    config->addISelPasses();
    config->addMachinePasses();
    config->setInitialized();
  }
  MachineModuleInfo &run(Module &module) {
    passes.run(module);
    return info->getMMI();
  }

private:
  IxpTargetMachine machine;
  MachineModuleInfoWrapperPass *info;
  legacy::PassManager passes;
};

} // namespace

void registerTarget() { (void)IxpTargetMachine(CodeGenOptLevel::Default); }

Result<target::Microcode> compileForMe(Module &module,
                                       const CodeGenOptions &options) {
  Result<CallOrder> order = prepareModule(module, options.entry);
  if (!order)
    return order.error();
  std::string problems;
  LLVMContext &context = module.getContext();
  std::unique_ptr<DiagnosticHandler> before = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorKeeper>(problems));
  Result<target::Microcode> code = [&]() -> Result<target::Microcode> {
    Generation generation;
    MachineModuleInfo &machine = generation.run(module);
    if (!problems.empty())
      return makeError("E-codegen-me-030", problems);
    return AllFunctions(*order, machine, options).emit();
  }();
  context.setDiagnosticHandler(std::move(before));
  return code;
}

std::string printAsm(const target::Microcode &code) {
  std::string text;
  for (const target::FunctionRange &range : code.functions)
    text += "; " + range.name + ": words " + std::to_string(range.begin) +
            " to " + std::to_string(range.end) + "\n";
  return text + withNotes(target::printProgram(code.words), code.notes);
}

} // namespace karakal::codegen
