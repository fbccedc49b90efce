//===- Services.cpp - locks, counters, hashes, time, chance ---------------===//

#include "ir/Services.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "ir/BakerServices.cpp.inc"
