// RUN: baker-opt %s --baker-assign-memory | FileCheck %s

// The largest goes where most room is; the rest balances the channels.

// CHECK: baker.global @small : i48 {baker.place = {address = [[#]] : i32, memory = "sram1"}}
baker.global @small : i48
// CHECK: baker.global @large : !baker.array<100000 x i32> {baker.place = {address = 16 : i32, memory = "sram1"}}
baker.global @large : !baker.array<100000 x i32>
// CHECK: baker.global @kept : i32 {baker.place = {address = 12 : i32, memory = "sram1"}}
baker.global @kept : i32 {baker.place = {memory = "sram1", address = 12 : i32}}
// CHECK: baker.global @other : !baker.array<90000 x i32> {baker.place = {address = 327680 : i32, memory = "sram0"}}
baker.global @other : !baker.array<90000 x i32>

// CHECK: baker.metadata @hop : i16 {baker.word = 0 : i32}
baker.metadata @hop : i16
// CHECK: baker.metadata @stamp : i64 {baker.word = 1 : i32}
baker.metadata @stamp : i64
// CHECK: baker.metadata @last : i1 {baker.word = 3 : i32}
baker.metadata @last : i1
