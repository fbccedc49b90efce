// Observers in LLVM IR.

#include "codegen-x86/ObserveWork.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include <gmock/gmock.h>

using namespace karakal::x86;
using testing::HasSubstr;

namespace {

constexpr const char *program = R"(
@"m.first" = internal global [65536 x i32] zeroinitializer
@"m.second" = internal global [65536 x i32] zeroinitializer
@karakal.batch.live0 = internal global [256 x i32] zeroinitializer
@karakal_x86_descriptors = external global i32
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)

define i32 @ppf(i32 %key, i32 %slot) {
  %a = zext i32 %key to i64
  %first = getelementptr i32, ptr @"m.first", i64 %a
  call void @llvm.prefetch.p0(ptr %first, i32 0, i32 3, i32 1)
  %index = load i32, ptr %first
  %b = zext i32 %index to i64
  %second = getelementptr i32, ptr @"m.second", i64 %b
  %value = load i32, ptr %second
  %s = zext i32 %slot to i64
  %live = getelementptr i32, ptr @karakal.batch.live0, i64 %s
  store i32 %value, ptr %live
  %descriptor = load i32, ptr @karakal_x86_descriptors
  %is = icmp eq i32 %value, %descriptor
  br i1 %is, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
)";

class ObserveWork : public testing::Test {
protected:
  void SetUp() override {
    llvm::InitializeNativeTarget();
    llvm::SMDiagnostic error;
    module = llvm::parseAssemblyString(program, error, context);
    ASSERT_TRUE(module) << error.getMessage().str();
    std::string triple = llvm::sys::getDefaultTargetTriple(), why;
    const auto *target = llvm::TargetRegistry::lookupTarget(triple, why);
    ASSERT_TRUE(target) << why;
    machine.reset(target->createTargetMachine(triple, "", "", {}, {}));
    module->setDataLayout(machine->createDataLayout());
    names = observeWork(*module, *machine);
    llvm::raw_string_ostream(text) << *module;
  }
  /// How often the code calls an observer.
  int calls(const std::string &observer) {
    int count = 0;
    size_t at = 0;
    while ((at = text.find("call void @" + observer, at)) != std::string::npos)
      ++at, ++count;
    return count;
  }

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::vector<std::string> names;
  std::string text;
};

TEST_F(ObserveWork, CountsBlocksAndBranches) {
  EXPECT_EQ(calls(ObserverSymbols::Block), 3);
  EXPECT_EQ(calls(ObserverSymbols::Branch), 1);
}

TEST_F(ObserveWork, TellsHowAccessesDepend) {
  EXPECT_EQ(names, (std::vector<std::string>{"m.first", "m.second"}));
  std::string access = std::string("@") + ObserverSymbols::Access;
  EXPECT_THAT(text, HasSubstr(access + "(i32 2, ptr %first, i32 0)"));
  EXPECT_THAT(text, HasSubstr(access + "(i32 0, ptr %first, i32 0)"));
  EXPECT_THAT(text, HasSubstr(access + "(i32 1, ptr %second, i32 1)"));
}

TEST_F(ObserveWork, LeavesOutWhatEachPacketHasInTheFirstCache) {
  EXPECT_EQ(calls(ObserverSymbols::Access), 3);
}

} // namespace
