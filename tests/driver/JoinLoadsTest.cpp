// Loads of adjacent words that become one command, and loads that do not.

#include "codegen-me/prepare/JoinLoads.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace karakal::codegen;
using namespace llvm;

namespace {

/// Returns the words of each load of the function, in order, after the pass.
std::vector<unsigned> loadsAfter(const std::string &text) {
  LLVMContext context;
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseIR(MemoryBufferRef(text, "test"), problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  if (!module)
    return {};
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(
      JoinLoads(karakal::target::ChipParameters())));
  passes.run(*module, modules);
  EXPECT_FALSE(verifyModule(*module, &errs()));
  std::vector<unsigned> words;
  for (Function &function : *module)
    for (Instruction &instr : instructions(function))
      if (auto *load = dyn_cast<LoadInst>(&instr)) {
        auto *run = dyn_cast<FixedVectorType>(load->getType());
        words.push_back(run ? run->getNumElements() : 1);
      }
  return words;
}

/// Returns a program with a load of word `first`, the code `between`, and a
/// load of word `then`, of a record of `alignment` bytes in SRAM. The second
/// load executes with the odds `weight` to 100.
std::string program(int first, const std::string &between, int then,
                    int alignment = 16, int weight = 100) {
  auto load = [](const std::string &name, int word) {
    return " %a" + name + " = add i32 %x, " + std::to_string(4 * word) +
           "\n %p" + name + " = inttoptr i32 %a" + name +
           " to ptr addrspace(1)\n %" + name +
           " = load i32, ptr addrspace(1) %p" + name + ", align 4\n";
  };
  return "target datalayout = \"E-p:32:32-p1:32:32-p3:32:32-n32\"\n"
         "declare void @f()\n"
         "define i32 @test(i32 %i, i32 %y) {\n"
         " %x = mul i32 %i, " +
         std::to_string(alignment) + "\n" + load("v", first) +
         " %c = icmp eq i32 %v, %y\n"
         " br i1 %c, label %more, label %done, !prof !0\n"
         "more:\n" +
         between + load("w", then) +
         " br label %done\n"
         "done:\n %r = phi i32 [ %v, %0 ], [ %w, %more ]\n ret i32 %r\n}\n"
         "!0 = !{!\"branch_weights\", i32 " +
         std::to_string(weight) + ", i32 100}\n";
}

using Words = std::vector<unsigned>;

TEST(JoinLoads, LoadsOfOneRecordBecomeOneCommand) {
  EXPECT_EQ(loadsAfter(program(1, "", 0)), Words{2});
  EXPECT_EQ(loadsAfter(program(0, "", 3)), Words{4});
}

TEST(JoinLoads, LoadsOfDifferentAlignedBlocksStayApart) {
  EXPECT_EQ(loadsAfter(program(1, "", 0, 12)), (Words{1, 1}));
  EXPECT_EQ(loadsAfter(program(1, "", 4)), (Words{1, 1}));
}

TEST(JoinLoads, ARarelyExecutedLoadIsNotJoined) {
  EXPECT_EQ(loadsAfter(program(1, "", 0, 16, 1)), (Words{1, 1}));
}

TEST(JoinLoads, LoadsAreNotJoinedAcrossAccessesOfTheSameMemory) {
  const std::string pointer = " %q = inttoptr i32 %y to ptr addrspace(1)\n";
  EXPECT_EQ(loadsAfter(
                program(1, pointer + " store i32 1, ptr addrspace(1) %q\n", 0)),
            (Words{1, 1}));
  EXPECT_EQ(loadsAfter(program(
                1, pointer + " %o = load i32, ptr addrspace(1) %q\n", 0)),
            (Words{1, 1, 1}));
  EXPECT_EQ(loadsAfter(program(1, " call void @f()\n", 0)), (Words{1, 1}));
  EXPECT_EQ(loadsAfter(program(1,
                               " %q = inttoptr i32 %y to ptr addrspace(2)\n"
                               " store i32 1, ptr addrspace(2) %q\n",
                               0)),
            Words{2});
}

TEST(JoinLoads, ALoadInALoopWithAStoreStaysThere) {
  // In each iteration the load reads what the store before it wrote.
  EXPECT_EQ(loadsAfter("target datalayout = \"E-p:32:32-p1:32:32-n32\"\n"
                       "define void @test(i32 %i) {\n"
                       " %x = mul i32 %i, 16\n"
                       " %p = inttoptr i32 %x to ptr addrspace(1)\n"
                       " %v = load i32, ptr addrspace(1) %p\n"
                       " %a = add i32 %x, 4\n"
                       " %q = inttoptr i32 %a to ptr addrspace(1)\n"
                       " br label %loop\n"
                       "loop:\n"
                       " %w = load i32, ptr addrspace(1) %q\n"
                       " store i32 %v, ptr addrspace(1) %q\n"
                       " %c = icmp eq i32 %w, 0\n"
                       " br i1 %c, label %loop, label %done\n"
                       "done:\n ret void\n}\n"),
            (Words{1, 1}));
}

} // namespace
