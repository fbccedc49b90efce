// The form of a specialized look-up, and its code of compares.

#include "codegen-x86/specialize/FindCode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include <gmock/gmock.h>

using namespace karakal::x86;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

/// A table of one key of 32 bits.
TableShape tableOf(const char *structure) {
  TableShape table;
  table.name = "t";
  table.structure = structure;
  table.packed = {{0, 32, 0}};
  table.packedBits = 32;
  table.slotWords = 2;
  return table;
}

/// Rules for keys 10, 20 and so on, whose slots are 1, 2 and so on.
std::vector<Rule> exactRules(unsigned count) {
  std::vector<Rule> rules;
  for (unsigned i = 1; i <= count; ++i) {
    Rule rule;
    rule.slot = i;
    rule.values = {uint64_t(10 * i) << 32};
    rule.masks = {~uint64_t(0) << 32};
    rules.push_back(rule);
  }
  return rules;
}

/// The weights of each branch of a look-up of two rules by compares.
std::vector<std::vector<uint32_t>> weightsOf(const Traffic::OfTable &traffic) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      "define i32 @t.find(i32 %key) {\n  ret i32 99\n}\n", diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  TableShape table = tableOf("buckets");
  writeFind(*module, table, exactRules(2), FindForm::Compares, traffic);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  std::vector<std::vector<uint32_t>> all;
  for (llvm::Instruction &each :
       llvm::instructions(*module->getFunction(table.find())))
    if (auto *branch = llvm::dyn_cast<llvm::BranchInst>(&each);
        branch && branch->isConditional()) {
      llvm::SmallVector<uint32_t> weights;
      llvm::extractBranchWeights(*branch, weights);
      all.emplace_back(weights.begin(), weights.end());
    }
  return all;
}

} // namespace

TEST(FindCode, BranchesHaveTheSharesOfTheLookUpsThatComeThere) {
  Traffic::OfTable traffic;
  traffic.lookups = 1000;
  traffic.slots = {{2, 0.5}, {1, 0.25}};
  constexpr uint32_t one = 1 << 20;
  // Slot 1 is compared first. Of the other three quarters two have slot 2.
  EXPECT_THAT(weightsOf(traffic),
              ElementsAre(ElementsAre(one / 4 + 1, 3 * (one / 4) + 1),
                          ElementsAre(one / 2 + 1, one / 4 + 1)));
}

TEST(FindCode, WithoutTrafficBranchesHaveNoWeights) {
  EXPECT_THAT(weightsOf({}), ElementsAre(IsEmpty(), IsEmpty()));
}

TEST(FindCode, FewRulesBecomeCode) {
  SpecializeLimits limits;
  limits.comparedMax = 4;
  auto formOf = [&](const char *structure, unsigned count) {
    return chooseFind(tableOf(structure), exactRules(count), limits).form;
  };
  EXPECT_EQ(formOf("hash", 0), FindForm::Empty);
  EXPECT_EQ(formOf("hash", 4), FindForm::Compares);
  EXPECT_EQ(formOf("hash", 5), FindForm::Own);
  EXPECT_EQ(formOf("direct", 2), FindForm::Compares);
  EXPECT_EQ(formOf("direct", 3), FindForm::Own) << "a read by number is quick";
  EXPECT_EQ(formOf("index", 3), FindForm::Own);
}

TEST(FindCode, OneSetOfMasksIsIndexedWhereTheOwnLookUpReadsMore) {
  SpecializeLimits limits;
  limits.comparedMax = 4;
  EXPECT_EQ(chooseFind(tableOf("list"), exactRules(50), limits).form,
            FindForm::Indexed);
  limits.maskSetsMax = 0;
  EXPECT_EQ(chooseFind(tableOf("list"), exactRules(50), limits).form,
            FindForm::Own);
}

TEST(FindCode, BitVectorsAreIndexedWhereSetsOfMasksAreFew) {
  SpecializeLimits limits;
  limits.comparedMax = 1;
  TableShape table = tableOf("bit_vectors");
  table.hasMasks = true;
  ASSERT_EQ(table.keyWords(), 3u) << "six reads, worth four sets of masks";
  std::vector<Rule> rules = exactRules(5);
  for (unsigned sets = 0; sets < 4; ++sets) {
    EXPECT_EQ(chooseFind(table, rules, limits).form, FindForm::Indexed);
    rules[sets].masks = {uint64_t(0xff000000 | sets) << 32};
  }
  EXPECT_EQ(chooseFind(table, rules, limits).form, FindForm::Own);
}
