// Microcode of LLVM IR as text.

#ifndef KARAKAL_TESTS_CODEGEN_ME_COMPILETEXT_H
#define KARAKAL_TESTS_CODEGEN_ME_COMPILETEXT_H

#include "codegen-me/CodeGenMe.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <string>

namespace karakal::tests {

/// Errors: those of the code generator, and a text that is no module.
inline Result<target::Microcode> compile(const std::string &text,
                                         codegen::CodeGenOptions options = {}) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  if (!module)
    return makeError("test", diagnostic.getMessage().str());
  return codegen::compileForMe(*module, options);
}

} // namespace karakal::tests

#endif // KARAKAL_TESTS_CODEGEN_ME_COMPILETEXT_H
