// Linking and optimizing LLVM IR.
//
// The pass lists are written out instead of taken from LLVM's -O2. A
// microengine has no vectors, no constant data and no C library, so the passes
// that introduce them (vectorizers, loop idioms, switch tables, narrowing of
// vector loads) are left out.

#include "driver/pipeline/LlvmStage.h"
#include "codegen-me/prepare/JoinLoads.h"
#include "codegen-me/prepare/NarrowFunnels.h"
#include "driver/pipeline/RunPasses.h"
#include "target-ixp/chip/PathMarks.h"
#include "target-ixp/chip/RuntimeConstants.h"
#include "target-ixp/chip/RuntimeFunctions.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/Utils/Local.h"
#include <cstdlib>
#include <set>

using namespace llvm;

namespace karakal::driver {

const char *levelName(Level level) {
  switch (level) {
  case Level::Base:
    return "base";
  case Level::O1:
    return "o1";
  case Level::O2:
    return "o2";
  case Level::Pac:
    return "pac";
  case Level::Soar:
    return "soar";
  case Level::Phr:
    return "phr";
  case Level::Swc:
    return "swc";
  }
  KARAKAL_UNREACHABLE("no such level");
}

std::string runtimeDirectory() {
  if (const char *fromEnvironment = std::getenv("KARAKAL_RUNTIME_DIR"))
    return fromEnvironment;
  SmallString<128> tools(sys::path::parent_path(
      sys::fs::getMainExecutable("", reinterpret_cast<void *>(&levelName))));
  SmallString<128> installed(tools), built(tools);
  sys::path::append(installed, "..", "share", "karakal", "runtime");
  sys::path::append(built, KARAKAL_RUNTIME_FROM_TOOLS);
  SmallString<128> &found =
      sys::fs::is_directory(installed) ? installed : built;
  sys::path::remove_dots(found, /*remove_dot_dot=*/true);
  return std::string(found);
}

namespace {

/// Replaces `symbol`, whose address is the constant `value`, and the integers
/// made from its address. At level base no pass would fold them.
void replaceSymbol(GlobalVariable &symbol, uint32_t value) {
  auto *integer =
      ConstantInt::get(Type::getInt32Ty(symbol.getContext()), value);
  for (User *user : make_early_inc_range(symbol.users())) {
    auto *address = dyn_cast<ConstantExpr>(user);
    if (address && address->getOpcode() == Instruction::PtrToInt &&
        address->getType() == integer->getType()) {
      address->replaceAllUsesWith(integer);
      address->destroyConstant();
    }
  }
  symbol.replaceAllUsesWith(
      ConstantExpr::getIntToPtr(integer, symbol.getType()));
  symbol.eraseFromParent();
}

/// Replaces the external globals of a runtime module by the values of
/// RuntimeConstants.def.
void resolveConstants(Module &runtime) {
  for (GlobalVariable &symbol : make_early_inc_range(runtime.globals())) {
    if (!symbol.isDeclaration())
      continue;
    std::string name = symbol.getName().str();
    std::optional<uint32_t> value = target::runtimeConstant(name);
    KARAKAL_ASSERT(value, "RuntimeConstants.def has no constant " + name);
    replaceSymbol(symbol, *value);
  }
}

/// Marks the functions of a runtime module with the line of `path` that defines
/// them, so that what stays a call has a source line.
void markSources(Module &runtime, StringRef path) {
  auto text = MemoryBuffer::getFile(path);
  if (!text)
    return; // the file was read a moment ago; lines only inform
  unsigned number = 0;
  SmallVector<StringRef> lines;
  (*text)->getBuffer().split(lines, '\n');
  for (StringRef line : lines) {
    ++number;
    if (!line.consume_front("define "))
      continue;
    StringRef name = line.split('@').second.split('(').first;
    if (Function *function = runtime.getFunction(name))
      function->addFnAttr(
          target::runtime::SourceAttribute,
          (sys::path::filename(path) + ":" + Twine(number)).str());
  }
}

/// Keeps what LLVM says of errors, at which its own handler ends the process.
class ErrorText : public DiagnosticHandler {
public:
  explicit ErrorText(std::string &text) : text(text) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error)
      return false;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

private:
  std::string &text;
};

} // namespace

Status linkRuntime(Module &program, const std::string &file) {
  std::string path = runtimeDirectory() + "/" + file;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> runtime =
      parseIRFile(path, diagnostic, program.getContext());
  if (!runtime)
    return makeFileError(
        "E-driver-010", path,
        "cannot read the runtime: " + diagnostic.getMessage().str() +
            ". Set KARAKAL_RUNTIME_DIR to its folder.");
  resolveConstants(*runtime);
  markSources(*runtime, path);
  runtime->setDataLayout(program.getDataLayout());
  runtime->setTargetTriple(program.getTargetTriple());
  LLVMContext &context = program.getContext();
  std::string why;
  std::unique_ptr<DiagnosticHandler> usual = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<ErrorText>(why));
  bool isWrong = Linker::linkModules(program, std::move(runtime));
  context.setDiagnosticHandler(std::move(usual));
  if (isWrong)
    return makeFileError("E-driver-011", path,
                         "the runtime does not link with the program (" + why +
                             "). Set KARAKAL_RUNTIME_DIR to the folder of this "
                             "version.");
  return success();
}

void keepEntries(Module &module, const std::vector<std::string> &entries) {
  std::set<std::string> kept(entries.begin(), entries.end());
  for (Function &function : module) {
    if (function.isDeclaration() || kept.count(function.getName().str()))
      continue;
    function.setLinkage(GlobalValue::InternalLinkage);
  }
}

namespace {

/// The passes of every level: forced inlining and removal of unreachable code.
constexpr const char *basePasses = "always-inline,globaldce";

/// LLVM's scalar -O2 without passes whose results a microengine cannot execute.
constexpr const char *scalarPasses =
    "always-inline,globaldce,"
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>),"
    "ipsccp,deadargelim,"
    "cgscc(inline,function-attrs,function(sroa,early-cse<memssa>,"
    "jump-threading,correlated-propagation,simplifycfg,"
    "instcombine<no-verify-fixpoint>,reassociate,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm,loop-rotate),"
    "simplifycfg,instcombine<no-verify-fixpoint>,loop(indvars,loop-deletion),"
    "gvn,sccp,bdce,instcombine<no-verify-fixpoint>,jump-threading,"
    "correlated-propagation,adce,dse,loop-mssa(licm),simplifycfg,"
    "instcombine<no-verify-fixpoint>)),"
    "ipsccp,globaldce,deadargelim,"
    "function(gvn,instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// A selection of them for the XScale core: two fifths less time for LLVM, and
/// code that executes 3 to 7 percent more instructions.
constexpr const char *xscaleModulePasses =
    "always-inline,globaldce,"
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>),"
    "ipsccp,deadargelim";
/// Those after inlining into a function.
constexpr const char *xscaleFunctionPasses =
    "function(early-cse<memssa>,jump-threading,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),gvn,"
    "jump-threading,adce,simplifycfg)";
/// The most that LLVM may estimate as the cost of what is inlined, less than
/// half of its own limits: a quarter less time for LLVM and less code, and up
/// to 5 percent more instructions.
constexpr int xscaleInlineCostMax = 100;

/// After the last use of assumptions: removes the code that they kept alive.
constexpr const char *cleanPasses =
    "function(instcombine<no-verify-fixpoint>,simplifycfg,adce)";

/// Removes llvm.assume, which is only another use to the code generator.
class DropAssumptions : public PassInfoMixin<DropAssumptions> {
public:
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    Function *assume =
        module.getFunction(Intrinsic::getName(Intrinsic::assume));
    if (!assume)
      return PreservedAnalyses::all();
    for (User *user : make_early_inc_range(assume->users())) {
      auto *call = cast<CallInst>(user);
      Value *condition = call->getArgOperand(0);
      call->eraseFromParent();
      RecursivelyDeleteTriviallyDeadInstructions(condition);
    }
    assume->eraseFromParent();
    return PreservedAnalyses::none();
  }
};

/// Primitives that stay calls although the others are inlined. Either they are
/// so large that the cost of a call does not matter, or no command may be
/// pending when they run (locks).
bool isLargePrimitive(StringRef name) {
  static const StringSet<> large = {
      target::runtime::PacketCopy,    target::runtime::PacketClone,
      target::runtime::PacketDrop,    target::runtime::PacketClear,
      target::runtime::PacketAddTail, target::runtime::PacketCreate,
      target::runtime::PacketBlank,   target::runtime::Lock,
      target::runtime::Unlock,        target::runtime::LockLocal,
      target::runtime::UnlockLocal,   target::runtime::LockSram,
      target::runtime::UnlockSram};
  return large.contains(name);
}

/// Sets the attributes of all code for the chip.
void markFunctions(Module &module, bool keepPrimitives) {
  for (Function &function : module) {
    // No tables in constant data, no calls of a C library, no unwinding.
    function.addFnAttr("no-jump-tables", "true");
    function.addFnAttr(Attribute::NoUnwind);
    if (function.getName().starts_with(target::intrinsic::LoopPrefix) ||
        function.getName().starts_with(
            target::intrinsic::PathPrefix)) { // marks, no code
      function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
      function.setWillReturn();
    }
    // Each path keeps its own mark.
    if (function.getName().starts_with(target::intrinsic::PathPrefix))
      function.addFnAttr(Attribute::NoMerge);
    if (function.getName().starts_with(target::intrinsic::WordsPrefix)) {
      function.setDoesNotAccessMemory();
      function.setWillReturn();
    }
    if (function.isDeclaration() ||
        function.hasFnAttribute(Attribute::AlwaysInline))
      continue;
    // Frequent code needs the registers.
    if (function.getName() == target::runtime::ContextEntry)
      function.addFnAttr(Attribute::NoInline);
    if (!function.getName().starts_with(target::runtime::Prefix))
      continue;
    bool isCall = keepPrimitives || isLargePrimitive(function.getName());
    function.addFnAttr(isCall ? Attribute::NoInline : Attribute::InlineHint);
  }
}

template <typename Manager>
void add(PassBuilder &builder, Manager &passes, const char *list) {
  llvm::Error wrong = builder.parsePassPipeline(passes, list);
  KARAKAL_ASSERT(!wrong, "the LLVM pass list does not parse: " +
                             toString(std::move(wrong)));
}

void addXScalePasses(PassBuilder &builder, ModulePassManager &passes) {
  add(builder, passes, xscaleModulePasses);
  InlineParams inlining = getInlineParams(xscaleInlineCostMax);
  inlining.HintThreshold = xscaleInlineCostMax;
  ModuleInlinerWrapperPass inliner(inlining, /*MandatoryFirst=*/false);
  add(builder, inliner.getPM(), xscaleFunctionPasses);
  passes.addPass(std::move(inliner));
  passes.addPass(GlobalDCEPass());
}

/// Runs the passes above level base, of which `addScalar` adds most; at level
/// base those of every level. `addLast` adds more at the end.
void run(Module &module, bool isBase,
         function_ref<void(PassBuilder &, ModulePassManager &)> addScalar,
         function_ref<void(ModulePassManager &)> addLast) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  TargetLibraryInfoImpl noLibrary{Triple(module.getTargetTriple())};
  noLibrary.disableAllFunctions();
  functions.registerPass([&] { return TargetLibraryAnalysis(noLibrary); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  ModulePassManager passes;
  if (isBase)
    add(builder, passes, basePasses);
  else
    addScalar(builder, passes);
  passes.addPass(DropAssumptions());
  if (!isBase) {
    passes.addPass(createModuleToFunctionPassAdaptor(codegen::NarrowFunnels()));
    add(builder, passes, cleanPasses);
  }
  addLast(passes);
  passes.run(module, modules);

  std::string problems;
  raw_string_ostream stream(problems);
  KARAKAL_ASSERT(!verifyModule(module, &stream),
                 "wrong LLVM IR after optimization: " + problems);
}

} // namespace

void optimize(Module &module, Level level, const target::ChipParameters &chip,
              bool keepPrimitives) {
  StageTime time("llvm-optimize");
  markFunctions(module, keepPrimitives);
  run(
      module, level == Level::Base,
      [](PassBuilder &builder, ModulePassManager &passes) {
        add(builder, passes, scalarPasses);
      },
      [&](ModulePassManager &passes) {
        if (includes(level, Level::Pac))
          passes.addPass(
              createModuleToFunctionPassAdaptor(codegen::JoinLoads(chip)));
      });
}

void optimizeForXScale(Module &module, bool isBase) {
  StageTime time("llvm-optimize");
  markFunctions(module, /*keepPrimitives=*/false);
  run(module, isBase, addXScalePasses, [](ModulePassManager &) {});
}

} // namespace karakal::driver
