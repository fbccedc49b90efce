// A program that looks up its packets' first word in a list of rules.
//
// A packet leaves with the value of the rule that it matched and with the hits
// that the rule had, which packets count.

#ifndef KARAKAL_TESTS_HOST_RULESPROGRAM_H
#define KARAKAL_TESTS_HOST_RULESPROGRAM_H

#include "HandWrittenPrograms.h"

namespace karakal::host {

/// A slot is: value, mask, priority, next slot, what is answered, hits.
inline constexpr const char *RulesOfPackets = R"(
@m.t.own.entries = internal global [240 x i32] zeroinitializer
@m.t.own.head = internal global [1 x i32] zeroinitializer
define i32 @m.t.find(i32 %key) {
entry:
  %first = load i32, ptr @m.t.own.head
  br label %loop
loop:
  %n = phi i32 [%first, %entry], [%next, %other]
  %isNone = icmp eq i32 %n, 0
  br i1 %isNone, label %end, label %compare
compare:
  %at = mul i32 %n, 6
  %wide = zext i32 %at to i64
  %value.p = getelementptr i32, ptr @m.t.own.entries, i64 %wide
  %mask.p = getelementptr i32, ptr %value.p, i64 1
  %next.p = getelementptr i32, ptr %value.p, i64 3
  %value = load i32, ptr %value.p
  %mask = load i32, ptr %mask.p
  %next = load i32, ptr %next.p
  %masked = and i32 %key, %mask
  %isHit = icmp eq i32 %masked, %value
  br i1 %isHit, label %end, label %other
other:
  br label %loop
end:
  ret i32 %n
}
define void @in(i32 %h) {
  %first = call i64 @baker_packet_read(i32 %h, i32 0, i32 32)
  %key = trunc i64 %first to i32
  %slot = call i32 @m.t.find(i32 %key)
  %isHit = icmp ne i32 %slot, 0
  br i1 %isHit, label %hit, label %miss
miss:
  call void @baker_packet_drop(i32 %h, i32 2)
  ret void
hit:
  %at = mul i32 %slot, 6
  %wide = zext i32 %at to i64
  %base = getelementptr i32, ptr @m.t.own.entries, i64 %wide
  %answer.p = getelementptr i32, ptr %base, i64 4
  %answer = load i32, ptr %answer.p
  %hits.p = getelementptr i32, ptr %base, i64 5
  %hits = load i32, ptr %hits.p
  %more = add i32 %hits, 1
  store i32 %more, ptr %hits.p
  %a = zext i32 %answer to i64
  %b = zext i32 %more to i64
  call void @baker_packet_write(i32 %h, i32 32, i32 32, i64 %a)
  call void @baker_packet_write(i32 %h, i32 64, i32 32, i64 %b)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
)";

/// Rules go to the front of the list, and from there.
inline constexpr const char *RulesOfControl = R"(
define i32 @control.put(ptr %args) {
  %slot.w = load i64, ptr %args
  %value.a = getelementptr i64, ptr %args, i64 1
  %value.w = load i64, ptr %value.a
  %mask.a = getelementptr i64, ptr %args, i64 2
  %mask.w = load i64, ptr %mask.a
  %answer.a = getelementptr i64, ptr %args, i64 3
  %answer.w = load i64, ptr %answer.a
  %slot = trunc i64 %slot.w to i32
  %value = trunc i64 %value.w to i32
  %mask = trunc i64 %mask.w to i32
  %answer = trunc i64 %answer.w to i32
  %at = mul i32 %slot, 6
  %wide = zext i32 %at to i64
  %base = getelementptr i32, ptr @m.t.own.entries, i64 %wide
  %mask.p = getelementptr i32, ptr %base, i64 1
  %next.p = getelementptr i32, ptr %base, i64 3
  %answer.p = getelementptr i32, ptr %base, i64 4
  %hits.p = getelementptr i32, ptr %base, i64 5
  %head = load i32, ptr @m.t.own.head
  store i32 %value, ptr %base
  store i32 %mask, ptr %mask.p
  store i32 %answer, ptr %answer.p
  store i32 0, ptr %hits.p
  store i32 %head, ptr %next.p
  store i32 %slot, ptr @m.t.own.head
  ret i32 0
}
define i32 @control.change(ptr %args) {
  %slot.w = load i64, ptr %args
  %answer.a = getelementptr i64, ptr %args, i64 1
  %answer.w = load i64, ptr %answer.a
  %slot = trunc i64 %slot.w to i32
  %answer = trunc i64 %answer.w to i32
  %at = mul i32 %slot, 6
  %wide = zext i32 %at to i64
  %base = getelementptr i32, ptr @m.t.own.entries, i64 %wide
  %answer.p = getelementptr i32, ptr %base, i64 4
  store i32 %answer, ptr %answer.p
  ret i32 0
}
define i32 @control.drop(ptr %args) {
  %head = load i32, ptr @m.t.own.head
  %at = mul i32 %head, 6
  %wide = zext i32 %at to i64
  %base = getelementptr i32, ptr @m.t.own.entries, i64 %wide
  %next.p = getelementptr i32, ptr %base, i64 3
  %next = load i32, ptr %next.p
  store i32 %next, ptr @m.t.own.head
  ret i32 0
}
)";

inline HostProgram makeRules() {
  HostProgram program =
      makeProgram(std::string(RulesOfPackets) + RulesOfControl);
  program.controls = {
      {"control.put",
       {"m.put",
        {{"slot", "u32"},
         {"value", "u32"},
         {"mask", "u32"},
         {"answer", "u32"}}}},
      {"control.change", {"m.change", {{"slot", "u32"}, {"answer", "u32"}}}},
      {"control.drop", {"m.drop", {}}}};
  x86::TableShape table;
  table.name = "m.t";
  table.structure = "list";
  table.packed = {{0, 32, 0}};
  table.packedBits = 32;
  table.hasMasks = true;
  table.slotWords = 6;
  table.limit = 39;
  program.tables = {table};
  return program;
}

} // namespace karakal::host

#endif // KARAKAL_TESTS_HOST_RULESPROGRAM_H
