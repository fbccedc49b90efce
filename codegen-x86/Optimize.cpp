// LLVM's optimization of a program for x86.

#include "codegen-x86/Optimize.h"
#include "support/Assert.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"

namespace karakal::x86 {

using namespace llvm;

void verify(const Module &module, const char *when) {
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(module, &stream))
    KARAKAL_UNREACHABLE(std::string("invalid LLVM IR ") + when + ": " + text);
}

void optimize(Module &module, TargetMachine &machine) {
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
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(module, modules);
}

} // namespace karakal::x86
