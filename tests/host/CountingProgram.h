// A program whose code is made again for what its globals hold.
//
// The PPF writes a setting, and an array element that packets count in, into
// the packet. Control functions change both.

#ifndef KARAKAL_TESTS_HOST_COUNTINGPROGRAM_H
#define KARAKAL_TESTS_HOST_COUNTINGPROGRAM_H

#include "HandWrittenPrograms.h"

namespace karakal::host {

inline HostProgram makeCounting() {
  HostProgram program = makeProgram(R"(
@mode = internal global [1 x i32] zeroinitializer
@cells = internal global [8 x i32] zeroinitializer
define void @in(i32 %h) {
  %mode = load i32, ptr @mode
  %isOn = icmp ne i32 %mode, 0
  br i1 %isOn, label %on, label %end
on:
  %wide = zext i32 %mode to i64
  call void @baker_packet_write(i32 %h, i32 0, i32 32, i64 %wide)
  br label %end
end:
  %limit = load i32, ptr getelementptr (i32, ptr @cells, i64 2)
  %counted = load i32, ptr getelementptr (i32, ptr @cells, i64 3)
  %more = add i32 %counted, 1
  store i32 %more, ptr getelementptr (i32, ptr @cells, i64 3)
  %a = zext i32 %limit to i64
  %b = zext i32 %more to i64
  call void @baker_packet_write(i32 %h, i32 32, i32 32, i64 %a)
  call void @baker_packet_write(i32 %h, i32 64, i32 32, i64 %b)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define i32 @control.mode(ptr %args) {
  %word = load i64, ptr %args
  %value = trunc i64 %word to i32
  store i32 %value, ptr @mode
  ret i32 0
}
define void @answer(i32 %h) {
  %mode = load i32, ptr @mode
  %wide = zext i32 %mode to i64
  call void @baker_packet_write(i32 %h, i32 0, i32 32, i64 %wide)
  call void @baker_channel_put(i32 1, i32 %h)
  ret void
}
define i32 @control.send(ptr %args) {
  %h = call i32 @baker_packet_create(i32 60)
  %message = or i32 %h, 16777216
  call void @baker_channel_put(i32 2, i32 %message)
  ret i32 0
}
define i32 @control.limit(ptr %args) {
  %word = load i64, ptr %args
  %value = trunc i64 %word to i32
  store i32 %value, ptr getelementptr (i32, ptr @cells, i64 2)
  ret i32 0
}
)");
  program.controls = {{"control.mode", {"m.mode", {{"value", "u32"}}}},
                      {"control.limit", {"m.limit", {{"value", "u32"}}}},
                      {"control.send", {"m.send", {}}}};
  program.ppfs.push_back({"answer", false});
  program.channels = {{1, "answers", "answer"}};
  return program;
}

} // namespace karakal::host

#endif // KARAKAL_TESTS_HOST_COUNTINGPROGRAM_H
