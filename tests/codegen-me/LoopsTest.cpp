// What moves out of loops.

#include "CompileText.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::tests;
using testing::HasSubstr;
using testing::Not;

namespace {

/// A loop that stores a constant if a branch is taken, `taken` of 100,000
/// times.
std::string loopThatStores(unsigned taken) {
  return R"(
    declare void @__ixp_halt()
    define void @me_main() {
      %p = inttoptr i32 64 to ptr addrspace(1)
      br label %loop
    loop:
      %i = phi i32 [ 0, %0 ], [ %next, %rest ]
      %v = load volatile i32, ptr addrspace(1) %p, align 4
      %c = icmp eq i32 %v, 7
      br i1 %c, label %store, label %rest, !prof !0
    store:
      store volatile i32 305419896, ptr addrspace(1) %p, align 4
      br label %rest
    rest:
      %next = add i32 %i, 1
      %again = icmp ult i32 %next, 1000
      br i1 %again, label %loop, label %end
    end:
      call void @__ixp_halt()
      unreachable
    }
    !0 = !{!"branch_weights", i32 )" +
         std::to_string(taken) + ", i32 " + std::to_string(100000 - taken) +
         "}\n";
}

/// The instructions before the loop.
std::string beforeLoop(unsigned taken) {
  auto code = compile(loopThatStores(taken));
  EXPECT_TRUE(bool(code)) << (code ? "" : code.error().str());
  std::string text = code ? codegen::printAsm(*code) : "";
  EXPECT_THAT(text, HasSubstr("0x5678")) << "the loop needs the constant";
  return text.substr(0, text.find("#:"));
}

} // namespace

TEST(Loops, AConstantOfFrequentCodeIsMadeBefore) {
  EXPECT_THAT(beforeLoop(50000), HasSubstr("0x5678"));
}

TEST(Loops, AConstantOfRareCodeTakesNoRegisterOfTheLoop) {
  EXPECT_THAT(beforeLoop(1), Not(HasSubstr("0x5678")));
}
