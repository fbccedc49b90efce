// Points where packets of a batch wait for each other.

#include "ir/dialect/Batches.h"

#define GET_OP_CLASSES
#include "ir/dialect/BakerBatches.cpp.inc"
