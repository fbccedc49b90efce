// LLVM's optimization of a program for x86.

#include "codegen-x86/Optimize.h"
#include "codegen-x86/ZeroExtension.h"
#include "support/Assert.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Instrumentation/ThreadSanitizer.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace karakal::x86 {

using namespace llvm;

void verify(const Module &module, const char *when) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    KARAKAL_UNREACHABLE(std::string("invalid LLVM IR ") + when + ": " + text);
}

/// Runs the pipeline that `build` makes.
static void runPipeline(Module &module, TargetMachine &machine,
                        function_ref<ModulePassManager(PassBuilder &)> build) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  build(builder).run(module, modules);
}

/// In a build with the thread sanitizer: instruments the program's accesses.
/// This process has initialized the sanitizer, so the module does not.
static void instrumentForThreads([[maybe_unused]] Module &module,
                                 [[maybe_unused]] TargetMachine &machine) {
#if __has_feature(thread_sanitizer)
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::SanitizeThread);
  runPipeline(module, machine, [](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(createModuleToFunctionPassAdaptor(ThreadSanitizerPass()));
    return passes;
  });
#endif
}

void inlineAlways(Module &module, TargetMachine &machine) {
  runPipeline(module, machine, [](PassBuilder &) {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass());
    return passes;
  });
}

void simplify(Module &module, TargetMachine &machine) {
  runPipeline(module, machine, [](PassBuilder &builder) {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass());
    passes.addPass(builder.buildInlinerPipeline(OptimizationLevel::O2,
                                                ThinOrFullLTOPhase::None));
    passes.addPass(GlobalDCEPass());
    return passes;
  });
}

void optimizeQuickly(Module &module, TargetMachine &machine) {
  runPipeline(module, machine, [](PassBuilder &builder) {
    ModulePassManager passes;
    passes.addPass(AlwaysInlinerPass());
    passes.addPass(GlobalDCEPass());
    FunctionPassManager simplify;
    simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
    simplify.addPass(EarlyCSEPass());
    simplify.addPass(SimplifyCFGPass());
    passes.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
    return passes;
  });
  guardZeroExtensions(module);
  instrumentForThreads(module, machine);
}

void optimize(Module &module, TargetMachine &machine) {
  runPipeline(module, machine, [](PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2);
  });
  guardZeroExtensions(module);
  instrumentForThreads(module, machine);
}

} // namespace karakal::x86
