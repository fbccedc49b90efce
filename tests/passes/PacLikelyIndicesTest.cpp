// The likely index of reads after a header of variable size, against indices
// computed by hand.

#include "passes/pac/PacLikelyIndices.h"

#include "ir/dialect/Baker.h"
#include "ir/dialect/ProfileAttributes.h"
#include "mlir/IR/Matchers.h"
#include "tests/ir/ModuleText.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace karakal::passes::pac {
namespace {

class LikelyIndices : public ir::ModuleText {
protected:
  /// Splits the read of a header whose size is in %n, a number of words. The
  /// read executes if `condition` is `taken`; `index` computes %i.
  unsigned split(const std::string &condition, const std::string &index,
                 bool taken = false) {
    std::string text = R"(
baker.protocol @ip min_bytes 20 [#baker.protocol_field<"size" at 4 : 4>, #baker.protocol_field<"rest" at 64 : 32 x 14>]
func.func @f(%ph: !baker.packet<"ip">) -> i32 {
  %c2 = arith.constant 2 : i32
  %c5 = arith.constant 5 : i32
  %c20 = arith.constant 20 : i32
  %none = arith.constant 0 : i32
  %size = baker.packet_read %ph "size" : !baker.packet<"ip"> -> i4
  %n = arith.extui %size : i4 to i32
)" + condition + "  cf.cond_br %is, " +
                       (taken ? "^read, ^out" : "^out, ^read") + R"(
^out:
  return %none : i32
^read:
)" + index + R"(
  %r = baker.packet_read %ph "rest"[%i] : !baker.packet<"ip"> -> i32
  return %r : i32
}
)";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module ? splitLikelyIndices(function()) : 0;
  }

  func::FuncOp function() { return module->lookupSymbol<func::FuncOp>("f"); }

  /// The constant indices of reads of "rest".
  std::vector<uint64_t> constantIndices() {
    std::vector<uint64_t> found;
    function().walk([&](ir::PacketReadOp read) {
      APInt index;
      if (read.getIndex() &&
          matchPattern(read.getIndex(), m_ConstantInt(&index)))
        found.push_back(index.getZExtValue());
    });
    return found;
  }
};

const char *const atLeastFive = "  %is = arith.cmpi ult, %n, %c5 : i32\n";
const char *const lessTwo = "  %i = arith.subi %n, %c2 : i32\n";

TEST_F(LikelyIndices, IsThatOfTheSmallestHeaderThatPassesTheCheck) {
  EXPECT_EQ(split(atLeastFive, lessTwo), 1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
}

TEST_F(LikelyIndices, AddsOneToAStrictBound) {
  // Not n <= 5, so n >= 6.
  EXPECT_EQ(split("  %is = arith.cmpi ule, %n, %c5 : i32\n", lessTwo), 1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{6 - 2}));
  EXPECT_EQ(split("  %is = arith.cmpi ugt, %n, %c5 : i32\n", lessTwo, true),
            1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{6 - 2}));
  EXPECT_EQ(split("  %is = arith.cmpi uge, %n, %c5 : i32\n", lessTwo, true),
            1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
}

TEST_F(LikelyIndices, UsesABoundOnAMultipleOfTheSize) {
  // 4 n >= 20 bytes, so n >= 5 words.
  EXPECT_EQ(split("  %b = arith.shli %n, %c2 : i32\n"
                  "  %is = arith.cmpi ult, %b, %c20 : i32\n",
                  lessTwo),
            1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
}

TEST_F(LikelyIndices, UsesABoundOnTheFieldThatIsExtended) {
  const char *const condition = "  %five = arith.constant 5 : i4\n"
                                "  %is = arith.cmpi ult, %size, %five : i4\n";
  EXPECT_EQ(split(condition, lessTwo), 1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
}

TEST_F(LikelyIndices, RoundsUpABoundOnAMultipleOfTheSize) {
  // 4 n >= 21 bytes, so n >= 6 words.
  EXPECT_EQ(split("  %c21 = arith.constant 21 : i32\n"
                  "  %b = arith.shli %n, %c2 : i32\n"
                  "  %is = arith.cmpi ult, %b, %c21 : i32\n",
                  lessTwo),
            1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{6 - 2}));
}

/// The index may be computed by up to eight operations, here n + 1 + … - 8.
TEST_F(LikelyIndices, FollowsAFewOperationsOnly) {
  auto sums = [](unsigned count) {
    std::string text = "  %one = arith.constant 1 : i32\n"
                       "  %all = arith.constant " +
                       std::to_string(count + 2) + " : i32\n";
    std::string last = "%n";
    for (unsigned i = 0; i < count; ++i) {
      std::string next = "%s" + std::to_string(i);
      text += "  " + next + " = arith.addi " + last + ", %one : i32\n";
      last = next;
    }
    return text + "  %i = arith.subi " + last + ", %all : i32\n";
  };
  for (unsigned count : {3u, 7u}) {
    EXPECT_EQ(split(atLeastFive, sums(count)), 1u) << count;
    EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
  }
  EXPECT_EQ(split(atLeastFive, sums(8)), 0u);
}

TEST_F(LikelyIndices, FollowsExtensionsAsOneOperationEach) {
  const char *const condition = "  %five = arith.constant 5 : i4\n"
                                "  %is = arith.cmpi ult, %size, %five : i4\n";
  auto extended = [](unsigned count) {
    std::string text, last = "%size";
    for (unsigned i = 0; i < count; ++i) {
      std::string next = "%e" + std::to_string(i);
      text += "  " + next + " = arith.extui " + last + " : i" +
              std::to_string(4 + i) + " to i" +
              std::to_string(i + 1 == count ? 32 : 5 + i) + "\n";
      last = next;
    }
    return text + "  %i = arith.subi " + last + ", %c2 : i32\n";
  };
  EXPECT_EQ(split(condition, extended(7)), 1u);
  EXPECT_EQ(constantIndices(), (std::vector<uint64_t>{5 - 2}));
  EXPECT_EQ(split(condition, extended(8)), 0u);
}

TEST_F(LikelyIndices, IsTheExpectedPathOfTheBranch) {
  split(atLeastFive, lessTwo);
  auto read = *llvm::find_if(
      function().getBody().getOps<ir::PacketReadOp>(), [](auto read) {
        APInt index;
        return read.getIndex() &&
               matchPattern(read.getIndex(), m_ConstantInt(&index));
      });
  Operation *branch = read->getBlock()->getSinglePredecessor()->getTerminator();
  EXPECT_EQ(ir::branchCountsOf(branch), (ArrayRef<int64_t>{99, 1}));
  EXPECT_EQ(branch->getSuccessor(0), read->getBlock());
}

TEST_F(LikelyIndices, DoesNotSplitAReadWithoutALowerBound) {
  // n <= 5 bounds the index from above only.
  EXPECT_EQ(split("  %is = arith.cmpi ult, %n, %c5 : i32\n", lessTwo, true),
            0u);
  EXPECT_TRUE(constantIndices().empty());
}

TEST_F(LikelyIndices, DoesNotSplitAtAnIndexOutsideOfTheArray) {
  // 20 - 2 is beyond the 14 elements.
  EXPECT_EQ(split("  %is = arith.cmpi ult, %n, %c20 : i32\n", lessTwo), 0u);
}

TEST_F(LikelyIndices, DoesNotSplitAConstantIndex) {
  EXPECT_EQ(split(atLeastFive, "  %i = arith.constant 3 : i32\n"), 0u);
}

} // namespace
} // namespace karakal::passes::pac
