// Programs whose code is lowered and compiled when it is first called.

#include "HandWrittenPrograms.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal;
using namespace karakal::host;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// @in counts packets, which go on by a call of @called, from the third on by a
/// message to @queued. Both use a variable of zeros, and one with a value.
const char *Parts = R"(
@count = internal global i32 0
@port = internal global i32 1
define internal i32 @next() {
  %old = load i32, ptr @count
  %new = add i32 %old, 1
  store i32 %new, ptr @count
  ret i32 %new
}
define void @in(i32 %h) {
  call void @baker_profile_add(i32 0, i32 1)
  %n = call i32 @next()
  %late = icmp ugt i32 %n, 2
  br i1 %late, label %queue, label %call
queue:
  %m = or i32 %h, 16777216
  call void @baker_channel_put(i32 0, i32 %m)
  ret void
call:
  call void @called(i32 %h)
  ret void
}
define void @called(i32 %h) {
  %p = load i32, ptr @port
  call void @baker_set_tx_port(i32 %h, i32 %p)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define void @queued(i32 %h) {
  %n = call i32 @next()
  %p = and i32 %n, 3
  call void @baker_set_tx_port(i32 %h, i32 %p)
  call void @baker_channel_put(i32 1, i32 %h)
  call void @baker_profile_add(i32 1, i32 1)
  ret void
}
define void @never(i32 %h) {
  ret void
}
define i32 @control.set(ptr %args) {
  %v = load i64, ptr %args
  %p = trunc i64 %v to i32
  store i32 %p, ptr @port
  ret i32 0
}
define i32 @control.unused(ptr %args) {
  ret i32 0
}
define void @init.setup() {
  store i32 2, ptr @port
  ret void
}
)";

HostProgram makeWhole() {
  HostProgram program = makeProgram(Parts);
  program.ppfs = {{"in"}, {"called"}, {"queued", true}, {"never"}};
  program.channels = {{1, "m.queue", "queued"}, {2, "m.never", "never"}};
  program.controls = {{"control.set", {"m.set", {{"port", "u32"}}}},
                      {"control.unused", {"m.unused", {}}}};
  program.inits = {"init.setup"};
  program.counterCount = 2;
  return program;
}

using Lowered = std::vector<std::vector<std::string>>;

/// The same program in parts, whose symbols it tells `lowered`. `refused`
/// cannot be lowered.
HostProgram makeInParts(Lowered &lowered, const std::string &refused = "") {
  HostProgram program = makeWhole();
  program.module.reset();
  program.context.reset();
  auto ppfs = program.ppfs;
  program.lowerPart = [&lowered, refused,
                       ppfs](const auto &symbols) -> Result<HostPart> {
    auto isAsked = [&](const std::string &symbol) {
      return std::find(symbols.begin(), symbols.end(), symbol) != symbols.end();
    };
    if (isAsked(refused))
      return makeError("E-driver-030", "it cannot be lowered");
    lowered.push_back(symbols);
    HostProgram whole = makeProgram(Parts);
    for (const HostPpf &ppf : ppfs)
      if (!isAsked(ppf.symbol))
        whole.module->getFunction(ppf.symbol)->deleteBody();
    return HostPart{std::move(whole.context), std::move(whole.module)};
  };
  return program;
}

} // namespace

TEST(CodePartsTest, PartsDoWhatTheWholeProgramDoes) {
  auto control = makeControl("set(0)\n@packet 1 set(3)\n");
  Lowered lowered;
  auto whole = run(makeWhole(), makeTrace(6), control, {});
  auto parts = run(makeInParts(lowered), makeTrace(6), control, {});
  ASSERT_TRUE(bool(whole)) << whole.error().str();
  ASSERT_TRUE(bool(parts)) << parts.error().str();
  EXPECT_THAT(ports(*whole), ElementsAre(0, 3, 0, 2, 0, 2));
  EXPECT_EQ(ports(*parts), ports(*whole));
  EXPECT_EQ(parts->profile, whole->profile);
  EXPECT_EQ(parts->updates, whole->updates);
  EXPECT_EQ(parts->packetsByPpf, whole->packetsByPpf);
  EXPECT_EQ(parts->packets.toXScale, whole->packets.toXScale);
}

TEST(CodePartsTest, OnlyWhatIsReachedIsLowered) {
  Lowered lowered;
  auto result =
      run(makeInParts(lowered), makeTrace(2), makeControl("set(0)\n"), {});
  ASSERT_TRUE(bool(result)) << result.error().str();
  EXPECT_THAT(lowered,
              ElementsAre(ElementsAre("init.setup", "in", "control.set"),
                          ElementsAre("called")));
}

TEST(CodePartsTest, APartThatCannotBeLoweredEndsTheRun) {
  Lowered lowered;
  auto result =
      run(makeInParts(lowered, "queued"), makeTrace(4), {}, RunOptions());
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().id, "E-host-004");
  EXPECT_THAT(result.error().message, HasSubstr("packet 2"));
  EXPECT_THAT(result.error().message, HasSubstr("it cannot be lowered"));
}
