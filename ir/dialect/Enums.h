// The enumerations of the baker dialect, without the rest of the dialect.

#ifndef KARAKAL_IR_DIALECT_ENUMS_H
#define KARAKAL_IR_DIALECT_ENUMS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

#include "ir/dialect/BakerEnums.h.inc"

#endif // KARAKAL_IR_DIALECT_ENUMS_H
