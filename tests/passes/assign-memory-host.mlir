// RUN: baker-opt --baker-assign-memory=core=host %s | FileCheck %s
// On x86 globals have no places, so none is too large for a chip.

// CHECK: baker.global @large : !baker.array<400000000 x i32>{{$}}
baker.global @large : !baker.array<400000000 x i32>
// CHECK: baker.metadata @class : i8 {baker.word = 0 : i32}
baker.metadata @class : i8
