// Carries the classes of paths to the words.
//
// The worst-case analysis prices the paths of a message apart: those to Tx, to
// other engines, to the XScale core, and those that drop the packet
// (target-ixp/microcode/WorstCase.h). A call in LLVM IR says what a path does:
//
//     call void @__ixp_path_channel(i32 number)     puts a packet on a channel
//     call void @__ixp_path_drop(i32 reason)        drops a packet
//     call void @__ixp_path_refresh()               refreshes cached copies
//
// markPaths replaces it by a pseudo probe at the start of its basic block,
// which carries the mark through the code generator:
//
//     call void @llvm.pseudoprobe(i64 kind, i64 number, i32 1, i64 -1)
//
// Before blocks with the same code are merged, the probe becomes a PATHMARK
// (machine/KeepPathMarks.cpp). The words of its basic block get the mark,
// because they run if and only if the call would. Neither yields a word. A pass
// may lose a mark with a block that it merges into others, but never moves one
// to a path that did not have it, so the analysis may rely on a mark, and not
// on its absence.

#ifndef KARAKAL_CODEGEN_ME_PREPARE_PATHMARKS_H
#define KARAKAL_CODEGEN_ME_PREPARE_PATHMARKS_H

#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Function.h"

namespace karakal::codegen {

/// Operands of a mark's machine instruction.
constexpr unsigned PathMarkKind = 0, PathMarkNumber = 1;

/// Replaces the calls that mark paths by probes.
void markPaths(llvm::Function &function);

/// Whether the instruction is a probe of markPaths, not of markLoops, or a
/// PATHMARK.
bool isPathMark(const llvm::MachineInstr &instr);

} // namespace karakal::codegen

#endif // KARAKAL_CODEGEN_ME_PREPARE_PATHMARKS_H
