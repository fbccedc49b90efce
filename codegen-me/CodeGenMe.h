// Compiles LLVM IR to microengine words.
//
// The entry point of the back end. The module holds one aggregate: its entry
// function, an endless loop in which each context starts, and what that calls.
// Address spaces: 0 and 4 local memory, 1 SRAM, 2 DRAM, 3 scratch. Accesses are
// whole words. `__ixp_` functions stand for instructions (IxpIntrinsics.cpp).

#ifndef KARAKAL_CODEGEN_ME_CODEGENME_H
#define KARAKAL_CODEGEN_ME_CODEGENME_H

#include "support/Error.h"
#include "target-ixp/chip/ChipParameters.h"
#include "target-ixp/chip/RuntimeNames.h"
#include "target-ixp/image/Microcode.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace karakal::codegen {

struct CodeGenOptions {
  /// 0: words in program order, no delay slots filled; 1 and more: all passes.
  unsigned level = 2;
  /// `void entry()`; each context starts at its first word.
  std::string entry = target::runtime::EngineEntry;
  /// The chip that the code is for: its control store, the number of its
  /// engines, and where the stacks beyond local memory lie.
  target::ChipParameters chip;
  /// Words at the start of local memory that the program uses. What is left
  /// after them limits the stacks.
  unsigned localWords = 0;
  /// Source functions by file and line, named if a program does not fit.
  std::vector<target::SourceFunction> sources;
};

/// Enters the microengine in LLVM's list of targets, if it is not there. The
/// list has no lock: call this before threads use compileForMe.
void registerTarget();

/// Compiles the module and modifies it. Errors: E-codegen-me-001 to -012 for
/// what the machine cannot do, -020 for a program that does not fit (lacks
/// Resource::ControlStore), -021 and -022 for a stack that does not fit.
/// Statistics: "words", "bank_copies", "spills", "reloads",
/// "delay_slots_filled", "stack_words".
Result<target::Microcode> compileForMe(llvm::Module &module,
                                       const CodeGenOptions &options = {});

/// The words in Intel's syntax, with comments that name functions and annotate
/// each word (Annotation.h).
std::string printAsm(const target::Microcode &code);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_CODEGENME_H
