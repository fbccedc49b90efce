// The decisions of stages as attributes.
//
// A stage records a decision for later stages as an attribute of the operation
// concerned. This file defines the names and values of these attributes and
// the functions that read and set them. The dialect verifies each one, so a
// hand-written module is checked like a compiled one.
//
//   on func.func        baker.kind     #baker.kind<ppf>, <function>,
//                                      <control>, <init>
//                       baker.profile  {packets = N : i64, …}, see
//                                      ProfileAttributes.h
//                       baker.core     #baker.core<me>, <xscale>
//                       baker.cold     (unit) the source marks the PPF @cold
//                       baker.rare     (unit) few packets of the profile, but
//                                      there is room on the engines
//                       baker.aggregate "main": the aggregate of a PPF on the
//                                      microengines
//                       baker.exclusive (unit) the control function runs while
//                                      no packet is on its way
//   on a parameter or result of a control function
//                       baker.name     "prefix"
//                       baker.type     "u32" (width and sign as declared)
//   on baker.global     baker.placement #baker.placement<sram0 at N>
//                       baker.placement.in  #baker.memory_request<sram>: the
//                                      memory that @place asks for
//                       baker.placement.reason  text
//                       baker.tolerate N : i64: one stale packet in N is
//                                      allowed (@tolerate in the source)
//                       baker.profile  {reads = N : i64, …}, see
//                                      ProfileAttributes.h
//                       baker.locality array<i64: …>, see ProfileAttributes.h
//   on the module       baker.target   "ixp2800 me.count=8", see Target.h
//                       baker.profile  {received = N : i64, traces = N : i64}
//                       baker.aggregates [{name = "main",
//                                      engines = array<i32: 1, 2>}, …]
//   on cf.cond_br, cf.switch
//                       baker.branch   array<i64: …>: how often each
//                                      successor was taken, see
//                                      ProfileAttributes.h
//                       baker.uncopied N : i32: operations of rare paths that
//                                      baker-pac copies if it may
//   on baker.channel    baker.profile  {packets = N : i64}
//                       baker.via      #baker.via<call>, <ring>
//                       baker.ring     N : i32
//                       baker.id       N : i32
//   on func.call        baker.message  N : i32: the call of a rare PPF may
//                                      become a message of channel N that the
//                                      context sends to itself
//   on baker.metadata   baker.word     N : i32
//   on operations that use a packet, and on baker.channel
//                       baker.head     #baker.head<offset 142>: the offset of
//                                      the packet's head before the operation,
//                                      #baker.head<mod 8 is 6>: its alignment

#ifndef KARAKAL_IR_DIALECT_ATTRIBUTES_H
#define KARAKAL_IR_DIALECT_ATTRIBUTES_H

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/Memories.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>
#include <vector>

namespace karakal::ir {

inline constexpr llvm::StringLiteral kindAttrName = "baker.kind";
inline constexpr llvm::StringLiteral profileAttrName = "baker.profile";
inline constexpr llvm::StringLiteral aggregateAttrName = "baker.aggregate";
inline constexpr llvm::StringLiteral aggregatesAttrName = "baker.aggregates";
inline constexpr llvm::StringLiteral branchAttrName = "baker.branch";
inline constexpr llvm::StringLiteral localityAttrName = "baker.locality";
inline constexpr llvm::StringLiteral coreAttrName = "baker.core";
inline constexpr llvm::StringLiteral coldAttrName = "baker.cold";
inline constexpr llvm::StringLiteral rareAttrName = "baker.rare";
inline constexpr llvm::StringLiteral uncopiedAttrName = "baker.uncopied";
inline constexpr llvm::StringLiteral exclusiveAttrName = "baker.exclusive";
inline constexpr llvm::StringLiteral nameAttrName = "baker.name";
inline constexpr llvm::StringLiteral typeAttrName = "baker.type";
inline constexpr llvm::StringLiteral placementAttrName = "baker.placement";
inline constexpr llvm::StringLiteral placementInAttrName = "baker.placement.in";
inline constexpr llvm::StringLiteral placementReasonAttrName =
    "baker.placement.reason";
inline constexpr llvm::StringLiteral tolerateAttrName = "baker.tolerate";
inline constexpr llvm::StringLiteral viaAttrName = "baker.via";
inline constexpr llvm::StringLiteral ringAttrName = "baker.ring";
inline constexpr llvm::StringLiteral idAttrName = "baker.id";
inline constexpr llvm::StringLiteral puntAttrName = "baker.punt";
/// On a channel of the engines that lies on a cycle: a put does not wait for
/// ever.
inline constexpr llvm::StringLiteral cycleAttrName = "baker.cycle";
inline constexpr llvm::StringLiteral messageAttrName = "baker.message";
inline constexpr llvm::StringLiteral wordAttrName = "baker.word";
inline constexpr llvm::StringLiteral headAttrName = "baker.head";

/// The aggregate that takes packets from Rx. It is the only aggregate of a
/// program whose PPFs have no `baker.aggregate`.
inline constexpr llvm::StringLiteral mainAggregateName = "main";

/// Symbols that exist without an operation.
inline constexpr llvm::StringLiteral rxChannelName = "rx";
inline constexpr llvm::StringLiteral txConsumerName = "tx";
inline constexpr llvm::StringLiteral unspecifiedReasonName = "unspecified";
inline constexpr llvm::StringLiteral truncatedReasonName = "truncated";
/// The reason for packets that do not fit their buffer. Not built in: the front
/// end declares it where it is used.
inline constexpr llvm::StringLiteral noSpaceReasonName = "no_room";
/// The global that counts the packets in all queues of the program.
inline constexpr llvm::StringLiteral waitingName = "karakal.waiting";
inline constexpr llvm::StringLiteral rxPortName = "rx.port";
inline constexpr llvm::StringLiteral txPortName = "tx.port";
inline constexpr llvm::StringLiteral sequenceName = "sequence";

/// Returns the kind of `function`; without the attribute it is a Function.
FunctionKind kindOf(mlir::func::FuncOp function);
void setKind(mlir::func::FuncOp function, FunctionKind kind);
inline bool isPpf(mlir::func::FuncOp function) {
  return kindOf(function) == FunctionKind::Ppf;
}

/// The processor that runs a function (`baker.core`): Me or XScale.
std::optional<Core> coreOf(mlir::func::FuncOp function);
void setCore(mlir::func::FuncOp function, Core core);

/// The aggregate of a PPF (`baker.aggregate`); empty if it has none.
llvm::StringRef aggregateOf(mlir::func::FuncOp function);
void setAggregate(mlir::func::FuncOp function, llvm::StringRef name);

/// One aggregate of a program and the engines that run it
/// (`baker.aggregates`).
struct AggregatePlan {
  std::string name;
  std::vector<uint32_t> engines;
};
/// Returns the aggregates of a program. The first one also passes packets from
/// Rx on to the XScale core if no other aggregate takes them. Empty before
/// aggregation.
std::vector<AggregatePlan> aggregatesOf(mlir::ModuleOp module);
void setAggregates(mlir::ModuleOp module,
                   llvm::ArrayRef<AggregatePlan> aggregates);

/// Packets that entered a PPF in the profile run (`baker.profile`).
std::optional<uint64_t> profilePacketsOf(mlir::func::FuncOp function);
void setProfilePackets(mlir::func::FuncOp function, uint64_t packets);

/// Verify the attributes of ir/dialect/ProfileAttributes.h.
mlir::LogicalResult verifyProfile(mlir::Operation *op, mlir::Attribute value);
mlir::LogicalResult verifyBranch(mlir::Operation *op, mlir::Attribute value);
mlir::LogicalResult verifyLocality(mlir::Operation *op, mlir::Attribute value);

/// Where a global lies (`baker.placement`).
struct Placement {
  target::Memory memory = target::Memory::Scratch;
  /// Byte address inside that memory.
  uint32_t address = 0;
};
std::optional<Placement> placementOf(GlobalOp global);
void setPlacement(GlobalOp global, const Placement &placement);
/// The memory that the source asks for (`baker.placement.in`).
std::optional<MemoryRequest> requestedMemoryOf(GlobalOp global);
void setRequestedMemory(GlobalOp global, MemoryRequest request);

/// How a channel is realized (`baker.via`).
std::optional<Via> viaOf(ChannelOp channel);
void setVia(ChannelOp channel, Via via);

/// The value of a 32-bit integer attribute, if it is there.
std::optional<uint32_t> numberOf(mlir::Operation *op, llvm::StringRef name);
void setNumber(mlir::Operation *op, llvm::StringRef name, uint32_t value);

/// Type of the built-in metadata field `name`, or null if it is not built in.
mlir::IntegerType builtinMetadataType(mlir::MLIRContext *context,
                                      llvm::StringRef name);

/// The limits of a channel towards the XScale core (`baker.punt`), or null.
PuntAttr puntOf(ChannelOp channel);

/// Returns the drop reasons of a program in the order of their numbers, the
/// built-in ones first.
std::vector<std::string> programDropReasons(mlir::ModuleOp module);
/// Returns the same, followed by those of channels on the chip: of `baker.punt`
/// (`punt:CHANNEL`) and of `baker.cycle` (`ring:CHANNEL`).
std::vector<std::string> dropReasonsOf(mlir::ModuleOp module);
/// Reports an error if the chip has no counters for all drop reasons.
mlir::LogicalResult checkDropReasons(mlir::ModuleOp module);
/// Returns the number of the drop reason of packets that a channel refuses, by
/// `baker.punt` or `baker.cycle`; none if it has neither.
std::optional<uint32_t> refusalReason(ChannelOp channel);
/// Returns the number of the drop reason of `drop` (0 if it names none).
uint32_t dropReasonNumber(PacketDropOp drop);

/// Verifies one attribute of `op` that records a decision. An unknown name
/// that begins with `baker.` is an error.
mlir::LogicalResult verifyDecision(mlir::Operation *op,
                                   mlir::NamedAttribute attribute);

} // namespace karakal::ir

#endif // KARAKAL_IR_DIALECT_ATTRIBUTES_H
