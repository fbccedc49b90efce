// Values of selects where a branch shows which one it is.
//
// A look-up returns the number of a slot if the slot is used, or 0: a select.
// Where the program has tested the result, it is the number, so an access to
// the slot's values has the same place as the access that tested the slot, and
// PAC can combine the two.

#ifndef KARAKAL_PASSES_PACKETS_KNOWNSELECTS_H
#define KARAKAL_PASSES_PACKETS_KNOWNSELECTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace karakal::passes {

/// Replaces the result of a select by one of its two values in the blocks that
/// control reaches only if it has that value. References to an element of an
/// array or to a field whose place depends on the select are made again there.
void useKnownSelects(mlir::func::FuncOp function);

} // namespace karakal::passes

#endif // KARAKAL_PASSES_PACKETS_KNOWNSELECTS_H
