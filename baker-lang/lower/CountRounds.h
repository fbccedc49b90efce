// Drops packets that go round a cycle of channels too often.

#ifndef KARAKAL_BAKER_LANG_LOWER_COUNTROUNDS_H
#define KARAKAL_BAKER_LANG_LOWER_COUNTROUNDS_H

#include "mlir/IR/BuiltinOps.h"

namespace karakal::lang {

/// Makes the program drop a packet that would go round a cycle of its channels
/// for more than `roundsMax` times, with the reason `too_many_rounds`. Does
/// nothing if `roundsMax` is 0, or to a program without cycles. Cycles whose
/// PPFs are all `@cold` are not counted. `roundsMax` is at most 65,535.
void countRounds(mlir::ModuleOp program, uint32_t roundsMax);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_LOWER_COUNTROUNDS_H
