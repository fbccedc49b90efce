// Services of the chip.
//
// Lowers locks, counters, hashes, timestamps and random numbers to calls of
// runtime/services.ll or of the host's counterpart. Where one thread of the
// host processes one packet at a time, a lock is always free.
//
//   %old = baker.atomic addi %n, %ref
//     →  %old = call @__ixp_sram_test_and_add(%ref, %n)
//   without a use of %old
//     →  call @__ixp_sram_add(%ref, %n)

#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Services.h"
#include "passes/to-llvm/Threads.h"
#include "passes/to-llvm/ToLlvmPatterns.h"
#include "support/Assert.h"
#include "target-ixp/chip/PathMarks.h"
#include "target-ixp/chip/RuntimeNames.h"

using namespace mlir;

namespace karakal::passes {

namespace {

/// The functions that take a lock, or that release it, by its memory.
struct LockFunctions {
  const char *scratch, *sram, *local;

  /// Returns null for a memory that cannot hold locks.
  const char *in(target::Memory memory) const {
    switch (memory) {
    case target::Memory::Scratch:
      return scratch;
    case target::Memory::Sram0:
    case target::Memory::Sram1:
    case target::Memory::Sram2:
    case target::Memory::Sram3:
      return sram;
    case target::Memory::Local:
      return local;
    case target::Memory::Dram:
      return nullptr;
    }
    KARAKAL_UNREACHABLE("no such memory");
  }
};
constexpr LockFunctions takeFunctions = {target::runtime::Lock,
                                         target::runtime::LockSram,
                                         target::runtime::LockLocal};
constexpr LockFunctions giveFunctions = {target::runtime::Unlock,
                                         target::runtime::UnlockSram,
                                         target::runtime::UnlockLocal};

/// An atomic operation.
struct AtomicRow {
  arith::AtomicRMWKind kind;
  LLVM::AtomicBinOp onHost;
  /// The functions of the chip's memories, with the old word and without.
  struct {
    const char *exchange, *change;
  } scratch, sram;
  /// The memories take the bits to clear, not those to keep.
  bool isInverted;
};
constexpr AtomicRow atomicRows[] = {
    {arith::AtomicRMWKind::addi,
     LLVM::AtomicBinOp::add,
     {target::intrinsic::ScratchTestAdd, target::intrinsic::ScratchAdd},
     {target::intrinsic::SramTestAdd, target::intrinsic::SramAdd},
     false},
    {arith::AtomicRMWKind::ori,
     LLVM::AtomicBinOp::_or,
     {target::intrinsic::ScratchTestSet, target::intrinsic::ScratchSet},
     {target::intrinsic::SramTestSet, target::intrinsic::SramSet},
     false},
    {arith::AtomicRMWKind::andi,
     LLVM::AtomicBinOp::_and,
     {target::intrinsic::ScratchTestClear, target::intrinsic::ScratchClear},
     {target::intrinsic::SramTestClear, target::intrinsic::SramClear},
     true},
    {arith::AtomicRMWKind::assign,
     LLVM::AtomicBinOp::xchg,
     {target::intrinsic::ScratchSwap, nullptr},
     {target::intrinsic::SramSwap, nullptr},
     false}};

const AtomicRow &rowOf(ir::AtomicOp op) {
  const auto *row = llvm::find_if(atomicRows, [&](const AtomicRow &candidate) {
    return candidate.kind == op.getKind();
  });
  KARAKAL_ASSERT(row != std::end(atomicRows),
                 "the verifier allows no other atomic operation");
  return *row;
}

/// Returns null for a memory without atomic operations.
const decltype(AtomicRow::scratch) *functionsIn(const AtomicRow &row,
                                                target::Memory memory) {
  switch (memory) {
  case target::Memory::Scratch:
    return &row.scratch;
  case target::Memory::Sram0:
  case target::Memory::Sram1:
  case target::Memory::Sram2:
  case target::Memory::Sram3:
    return &row.sram;
  case target::Memory::Dram:
  case target::Memory::Local:
    return nullptr;
  }
  KARAKAL_UNREACHABLE("no such memory");
}

/// Whether several threads of the host run the program of `op`.
bool haveThreads(Operation *op) {
  return op->getParentOfType<ModuleOp>()->hasAttr(threadsAttribute);
}

/// `baker.lock` and `baker.unlock`.
template <typename Op> struct LockCall : ToLlvmPattern<Op> {
  LockCall(const LLVMTypeConverter &converter, ToLlvmContext &context,
           const LockFunctions &functions)
      : ToLlvmPattern<Op>(converter, context), functions(functions) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!this->context.isHost()) {
      ir::GlobalOp global = ir::globalOf(op.getRef());
      std::optional<ir::Placement> placement;
      if (global)
        placement = ir::placementOf(global);
      const char *function =
          placement ? functions.in(placement->memory) : nullptr;
      if (!function)
        return op.emitError()
               << "a lock is a global in scratch, SRAM or local memory";
      callRuntime(rewriter, op, function, {}, adaptor.getRef());
    } else if (haveThreads(op)) {
      callRuntime(rewriter, op, functions.scratch, {}, adaptor.getRef());
    }
    rewriter.eraseOp(op);
    return success();
  }

  const LockFunctions &functions;
};

struct Atomic : ToLlvmPattern<ir::AtomicOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::AtomicOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    const AtomicRow &row = rowOf(op);
    if (context.isHost()) {
      rewriter.replaceOp(op, onHost(op, row, adaptor, rewriter));
      return success();
    }
    ir::GlobalOp global = ir::globalOf(op.getRef());
    std::optional<ir::Placement> placement;
    if (global)
      placement = ir::placementOf(global);
    const auto *functions =
        placement ? functionsIn(row, placement->memory) : nullptr;
    if (!functions)
      return op.emitError()
             << "the word of an atomic operation is a global in scratch or "
                "SRAM";
    Value value = adaptor.getValue();
    if (row.isInverted)
      value = rewriter.create<LLVM::XOrOp>(
          op.getLoc(), value, constantWord(rewriter, op.getLoc(), ~0u));
    // Of those without a result, the XScale core has the addition.
    bool isChange = op.getOld().use_empty() && functions->change &&
                    (context.core == ir::Core::Me ||
                     op.getKind() == arith::AtomicRMWKind::addi);
    if (isChange) {
      callRuntime(rewriter, op, functions->change, {},
                  {adaptor.getRef(), value});
      rewriter.eraseOp(op);
      return success();
    }
    rewriter.replaceOp(op, callRuntime(rewriter, op, functions->exchange,
                                       rewriter.getI32Type(),
                                       {adaptor.getRef(), value}));
    return success();
  }

private:
  static Value onHost(ir::AtomicOp op, const AtomicRow &row, Adaptor adaptor,
                      Rewriter &rewriter) {
    Location loc = op.getLoc();
    Value value = adaptor.getValue();
    if (haveThreads(op))
      return rewriter.create<LLVM::AtomicRMWOp>(
          loc, row.onHost, adaptor.getRef(), value,
          LLVM::AtomicOrdering::monotonic, /*syncscope=*/StringRef(), 4);
    Value old = rewriter.create<LLVM::LoadOp>(loc, rewriter.getI32Type(),
                                              adaptor.getRef(), 4);
    if (row.kind == arith::AtomicRMWKind::addi)
      value = rewriter.create<LLVM::AddOp>(loc, old, value);
    else if (row.kind == arith::AtomicRMWKind::ori)
      value = rewriter.create<LLVM::OrOp>(loc, old, value);
    else if (row.kind == arith::AtomicRMWKind::andi)
      value = rewriter.create<LLVM::AndOp>(loc, old, value);
    rewriter.create<LLVM::StoreOp>(loc, value, adaptor.getRef(), 4);
    return old;
  }
};

/// Returns the name of the function that hashes a key of `width` bits.
const char *hashFunction(unsigned width) {
  switch (width) {
  case 48:
    return target::runtime::Hash48;
  case 64:
    return target::runtime::Hash64;
  case 128:
    return target::runtime::Hash128;
  }
  KARAKAL_UNREACHABLE("the hash unit has no keys of " + std::to_string(width) +
                      " bits");
}

struct Hash : ToLlvmPattern<ir::HashOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::HashOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned width = op.getKey().getType().getIntOrFloatBitWidth();
    unsigned passed = width == 48 ? 64 : width;
    Value key = resize(rewriter, op.getLoc(), adaptor.getKey(), passed);
    Value hash = callRuntime(rewriter, op, hashFunction(width),
                             rewriter.getIntegerType(passed), key);
    rewriter.replaceOp(op, resize(rewriter, op.getLoc(), hash, width));
    return success();
  }
};

/// Lowers an operation without operands to a call of a function.
template <typename Op> struct ServiceCall : ToLlvmPattern<Op> {
  ServiceCall(const LLVMTypeConverter &converter, ToLlvmContext &context,
              StringRef name)
      : ToLlvmPattern<Op>(converter, context), name(name) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, callRuntime(rewriter, op, name, rewriter.getI32Type(), {}));
    return success();
  }

  StringRef name;
};

struct DropCount : ToLlvmPattern<ir::DropCountOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::DropCountOp op, Adaptor,
                                Rewriter &rewriter) const override {
    Value reason =
        constantWord(rewriter, op.getLoc(), ir::dropReasonNumber(op));
    rewriter.replaceOp(op, callRuntime(rewriter, op, target::runtime::DropCount,
                                       rewriter.getI32Type(), reason));
    return success();
  }
};

/// Lowers a trace to calls for each piece of text and each value after it:
/// baker_trace_text(character) and baker_trace_value(number).
struct Trace : ToLlvmPattern<ir::TraceOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::TraceOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (context.isHost()) {
      auto values = adaptor.getValues().begin();
      StringRef text = op.getText();
      auto put = [&](char character) {
        callRuntime(rewriter, op, target::runtime::TraceText, {},
                    constantWord(rewriter, loc, uint8_t(character)));
      };
      while (!text.empty()) {
        if (text.consume_front("{}") && values != adaptor.getValues().end()) {
          callRuntime(rewriter, op, target::runtime::TraceValue, {},
                      resize(rewriter, loc, *values++, 64));
          continue;
        }
        put(text.front());
        text = text.drop_front();
      }
      put('\n');
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers to the call that codegen-me/prepare/LoopBounds.h describes; on other
/// cores to nothing.
template <typename Op> struct LoopMark : ToLlvmPattern<Op> {
  using ToLlvmPattern<Op>::ToLlvmPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (this->context.core == ir::Core::Me) {
      Value number = constantWord(rewriter, op.getLoc(), op.getLoop());
      if constexpr (std::is_same_v<Op, ir::LoopIterationOp>)
        callRuntime(
            rewriter, op, target::intrinsic::LoopIteration, {},
            {number, constantWord(rewriter, op.getLoc(), op.getBound())});
      else
        callRuntime(rewriter, op, target::intrinsic::LoopEntry, {}, number);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers to the call that codegen-me/prepare/PathMarks.h describes; on other
/// cores to nothing.
struct ChannelMark : ToLlvmPattern<ir::ChannelMarkOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::ChannelMarkOp op, Adaptor,
                                Rewriter &rewriter) const override {
    if (context.core == ir::Core::Me)
      callRuntime(rewriter, op, target::intrinsic::PathChannel, {},
                  constantWord(rewriter, op.getLoc(), op.getChannel()));
    rewriter.eraseOp(op);
    return success();
  }
};

/// Stays for the engines until functions have scopes (LineScopes.cpp); nothing
/// shows the variables of other cores.
struct Variable : ToLlvmPattern<ir::VariableOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::VariableOp op, Adaptor,
                                Rewriter &rewriter) const override {
    if (context.core == ir::Core::Me)
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addServicePatterns(RewritePatternSet &patterns,
                        const LLVMTypeConverter &converter,
                        ToLlvmContext &context) {
  patterns.add<Atomic, Hash, Trace, DropCount, LoopMark<ir::LoopEntryOp>,
               LoopMark<ir::LoopIterationOp>, ChannelMark, Variable>(converter,
                                                                     context);
  patterns.add<LockCall<ir::LockOp>>(converter, context, takeFunctions);
  patterns.add<LockCall<ir::UnlockOp>>(converter, context, giveFunctions);
  patterns.add<ServiceCall<ir::TimestampOp>>(converter, context,
                                             target::runtime::Timestamp);
  patterns.add<ServiceCall<ir::RandomOp>>(converter, context,
                                          target::runtime::Random);
}

} // namespace karakal::passes
