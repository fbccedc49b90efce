//===- Services.h - locks, counters, hashes, time, chance -------*- C++ -*-===//

#ifndef KARAKAL_IR_SERVICES_H
#define KARAKAL_IR_SERVICES_H

#include "ir/Baker.h"

#define GET_OP_CLASSES
#include "ir/BakerServices.h.inc"

#endif // KARAKAL_IR_SERVICES_H
