// Fields of words: whole bytes change first.

#include "codegen-me/prepare/Prepare.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace karakal;
using namespace llvm::PatternMatch;

namespace {

/// A word with two parts joined: the upper ones of %label, the byte of %less.
std::string joinOf(const char *keep, const char *bytes) {
  return std::string("define i32 @f(i32 %w, i32 %label, i32 %less) {\n"
                     "  %s = shl i32 %label, 28\n"
                     "  %k = and i32 %w, ") +
         keep + "\n  %y = or disjoint i32 %k, %s\n  %n = and i32 %less, " +
         bytes +
         "\n  %r = or disjoint i32 %y, %n\n"
         "  ret i32 %r\n}\n";
}

/// The value that @f returns after the pass.
llvm::Value *rewritten(llvm::LLVMContext &context, const std::string &text,
                       std::unique_ptr<llvm::Module> &module) {
  llvm::SMDiagnostic diagnostic;
  module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  codegen::changeBytesFirst(*module);
  return module->getFunction("f")->back().getTerminator()->getOperand(0);
}

TEST(Fields, WholeBytesChangeFirst) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Value *result =
      rewritten(context, joinOf("251723775", "16711680"), module);
  const llvm::Function &f = *module->getFunction("f");
  EXPECT_TRUE(
      match(result, m_c_Or(m_And(m_c_Or(m_And(m_Specific(f.getArg(0)),
                                              m_SpecificInt(0xff00ffff)),
                                        m_And(m_Specific(f.getArg(2)),
                                              m_SpecificInt(0xff0000))),
                                 m_SpecificInt(0x0fffffff)),
                           m_Shl(m_Specific(f.getArg(1)), m_SpecificInt(28)))));
}

TEST(Fields, PartsOfBytesStayWhereTheyAre) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  llvm::Value *result =
      rewritten(context, joinOf("251723775", "983040"), module);
  EXPECT_EQ(result->getName(), "r");
}

} // namespace
