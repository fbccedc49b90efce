// Global data as memory accesses.
//
// On the chip a reference is the byte address of its object, an i32. The memory
// of the global at its root is the address space of the access. On the host a
// reference is a pointer into an LLVM global of words.
//
//   %m = baker.load %ref : !baker.ref<i48>
//   →  %p = inttoptr i32 %ref to ptr addrspace(1)
//      %w = load i64, ptr addrspace(1) %p, align 4
//      %m = trunc i64 %w to i48

#include "ir/analysis/GlobalsEnd.h"
#include "ir/analysis/References.h"
#include "ir/dialect/Attributes.h"
#include "ir/dialect/Batches.h"
#include "ir/dialect/Layout.h"
#include "ir/dialect/Tables.h"
#include "passes/to-llvm/LocalArrays.h"
#include "passes/to-llvm/ToLlvmAccess.h"
#include "target-ixp/chip/Memories.h"

using namespace mlir;

namespace karakal::passes {

namespace {

constexpr uint32_t bytesPerWord = 4;

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

struct GlobalRef : ToLlvmPattern<ir::GlobalRefOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::GlobalRefOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (ir::isLocal(ir::globalOf(op))) {
      FailureOr<Value> address = localAddress(op, context, rewriter);
      if (succeeded(address))
        rewriter.replaceOp(op, *address);
      return address;
    }
    if (context.isHost()) {
      Type pointer = LLVM::LLVMPointerType::get(op.getContext());
      rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, pointer,
                                                     op.getGlobal());
      return success();
    }
    std::optional<ir::Placement> at = ir::placementOf(ir::globalOf(op));
    if (!at)
      return op.emitError() << "global @" << op.getGlobal()
                            << " has no placement: run baker-assign-memory";
    rewriter.replaceOp(
        op, constantWord(rewriter, op.getLoc(),
                         target::commandAddress(at->memory, at->address)));
    return success();
  }
};

/// Returns `ref` plus `words`, an i32.
template <typename Rewriter>
Value advance(Rewriter &rewriter, Location loc, Value ref, Value words) {
  Type i32 = rewriter.getI32Type();
  if (isa<LLVM::LLVMPointerType>(ref.getType())) {
    // Zero-extend, because a GEP index is signed.
    Value wide = rewriter.template create<LLVM::ZExtOp>(
        loc, rewriter.getI64Type(), words);
    return rewriter.template create<LLVM::GEPOp>(loc, ref.getType(), i32, ref,
                                                 ArrayRef<LLVM::GEPArg>{wide});
  }
  Value two = rewriter.template create<LLVM::ConstantOp>(
      loc, rewriter.getI32IntegerAttr(2));
  Value bytes = rewriter.template create<LLVM::ShlOp>(loc, words, two);
  return rewriter.template create<LLVM::AddOp>(loc, ref, bytes);
}

struct Element : ToLlvmPattern<ir::ElementOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::ElementOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto array = cast<ir::ArrayType>(ir::pointeeOf(op.getArray()));
    uint64_t stride = ir::elementWordStride(array);
    Value words = adaptor.getIndex();
    if (stride != 1)
      words = rewriter.create<LLVM::MulOp>(
          loc, words, constantWord(rewriter, loc, uint32_t(stride)));
    rewriter.replaceOp(op, advance(rewriter, loc, adaptor.getArray(), words));
    return success();
  }
};

struct Field : ToLlvmPattern<ir::FieldOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::FieldOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    auto record = cast<ir::StructType>(ir::pointeeOf(op.getRecord()));
    uint64_t words =
        ir::fieldWordOffset(record, *record.fieldIndex(op.getField()));
    Value ref = adaptor.getRecord();
    if (words != 0)
      ref = advance(rewriter, op.getLoc(), ref,
                    constantWord(rewriter, op.getLoc(), uint32_t(words)));
    rewriter.replaceOp(op, ref);
    return success();
  }
};

/// A load or store through a reference.
template <typename Op> struct Access : ToLlvmPattern<Op> {
  using ToLlvmPattern<Op>::ToLlvmPattern;
  using typename ToLlvmPattern<Op>::Rewriter;

  FailureOr<Value> pointer(Op op, Value ref, Rewriter &rewriter) const {
    if (this->context.isHost())
      return ref;
    ir::GlobalOp global = ir::globalOf(op.getRef());
    if (global && ir::isLocal(global) && this->context.core != ir::Core::Me)
      return Value(rewriter.template create<LLVM::IntToPtrOp>(
          op.getLoc(), LLVM::LLVMPointerType::get(op.getContext()), ref));
    std::optional<ir::Placement> placement;
    if (global)
      placement = ir::placementOf(global);
    if (!placement)
      return op.emitError()
             << "the memory of this access is not known: references are "
                "followed to their global inside one function only";
    Type type = LLVM::LLVMPointerType::get(
        op.getContext(), target::addressSpaceOf(placement->memory));
    return Value(
        rewriter.template create<LLVM::IntToPtrOp>(op.getLoc(), type, ref));
  }

  /// Returns the pointer to word `at` of the object, for bursts.
  FailureOr<Value> wordPointer(Op op, Value ref, Rewriter &rewriter) const {
    Location loc = op.getLoc();
    if (op.getAt() != 0)
      ref =
          advance(rewriter, loc, ref, constantWord(rewriter, loc, op.getAt()));
    return pointer(op, ref, rewriter);
  }
};

struct Load : Access<ir::LoadOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::LoadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    FailureOr<Value> address = pointer(op, adaptor.getRef(), rewriter);
    if (failed(address))
      return failure();
    Value value;
    if (width > wordBits && context.isHost()) {
      // Use two words, so that their order does not depend on the host's.
      Value high = loadWord(rewriter, loc, *address);
      Value second =
          advance(rewriter, loc, *address, constantWord(rewriter, loc, 1));
      value = joinWords(rewriter, loc, high, loadWord(rewriter, loc, second));
    } else {
      Type type = rewriter.getIntegerType(width > wordBits ? 64 : wordBits);
      value = rewriter.create<LLVM::LoadOp>(loc, type, *address, bytesPerWord);
    }
    rewriter.replaceOp(op, resize(rewriter, loc, value, width));
    return success();
  }

  static Value loadWord(Rewriter &rewriter, Location loc, Value address) {
    return rewriter.create<LLVM::LoadOp>(loc, rewriter.getI32Type(), address,
                                         bytesPerWord);
  }
};

struct Store : Access<ir::StoreOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::StoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    FailureOr<Value> address = pointer(op, adaptor.getRef(), rewriter);
    if (failed(address))
      return failure();
    if (width > wordBits && context.isHost()) {
      Value wide = resize(rewriter, loc, adaptor.getValue(), 64);
      storeWord(rewriter, loc, highWord(rewriter, loc, wide), *address);
      storeWord(
          rewriter, loc, wide,
          advance(rewriter, loc, *address, constantWord(rewriter, loc, 1)));
    } else {
      Value value = resize(rewriter, loc, adaptor.getValue(),
                           width > wordBits ? 64 : wordBits);
      rewriter.create<LLVM::StoreOp>(loc, value, *address, bytesPerWord,
                                     isSeenInOrder());
    }
    rewriter.eraseOp(op);
    return success();
  }

  /// The engines see each store of the XScale core, in the program's order, so
  /// LLVM must neither reorder them nor leave any out.
  bool isSeenInOrder() const { return context.core == ir::Core::XScale; }

  static void storeWord(Rewriter &rewriter, Location loc, Value value,
                        Value address) {
    rewriter.create<LLVM::StoreOp>(loc, resize(rewriter, loc, value, wordBits),
                                   address, bytesPerWord);
  }
};

struct LoadWords : Access<ir::LoadWordsOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::LoadWordsOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> address = wordPointer(op, adaptor.getRef(), rewriter);
    if (failed(address))
      return failure();
    unsigned count = op.getWords().size();
    if (!context.isHost()) {
      rewriter.replaceOp(
          op, loadBurst(rewriter, loc, *address, count, bytesPerWord));
      return success();
    }
    SmallVector<Value> words;
    for (unsigned i = 0; i < count; ++i)
      words.push_back(Load::loadWord(
          rewriter, loc,
          advance(rewriter, loc, *address, constantWord(rewriter, loc, i))));
    rewriter.replaceOp(op, words);
    return success();
  }
};

struct StoreWords : Access<ir::StoreWordsOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::StoreWordsOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    FailureOr<Value> address = wordPointer(op, adaptor.getRef(), rewriter);
    if (failed(address))
      return failure();
    if (context.core == ir::Core::Me)
      storeBurst(rewriter, loc, *address, llvm::to_vector(adaptor.getWords()),
                 bytesPerWord);
    else
      for (auto [i, word] : llvm::enumerate(adaptor.getWords()))
        Store::storeWord(
            rewriter, loc, word,
            advance(rewriter, loc, *address, constantWord(rewriter, loc, i)));
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// On the host prefetches and a call that marks the cut; on the chip nothing.
struct CutMark : ToLlvmPattern<ir::CutOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::CutOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    constexpr uint32_t isRead = 0, isKept = 3, isData = 1;
    if (context.isHost()) {
      if (Value ref = adaptor.getPrefetch()) {
        rewriter.create<LLVM::Prefetch>(loc, ref, isRead, isKept, isData);
        if (std::optional<uint32_t> also = op.getAlso()) {
          Value other = rewriter.create<LLVM::GEPOp>(
              loc, ref.getType(), rewriter.getI8Type(), ref,
              ArrayRef<LLVM::GEPArg>{int32_t(*also)});
          rewriter.create<LLVM::Prefetch>(loc, other, isRead, isKept, isData);
        }
      }
      if (op.getStage())
        callRuntime(rewriter, op, ir::cutFunctionName, {},
                    constantWord(rewriter, loc, *op.getStage()));
      else
        callRuntime(rewriter, op, ir::cutLastFunctionName, {}, {});
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// On the host a global becomes an LLVM global; on the chip its address is in
/// the code.
struct Global : ToLlvmPattern<ir::GlobalOp> {
  using ToLlvmPattern::ToLlvmPattern;
  LogicalResult matchAndRewrite(ir::GlobalOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (!context.isHost() || ir::isLocal(op)) {
      rewriter.eraseOp(op);
      return success();
    }
    Type type = LLVM::LLVMArrayType::get(rewriter.getI32Type(),
                                         ir::wordCount(op.getType()));
    if (!op.getInit()) {
      makeZeros(op, type, rewriter);
      return success();
    }
    std::vector<uint32_t> words = ir::initialWords(op);
    auto value = rewriter.getI32TensorAttr(
        SmallVector<int32_t>(words.begin(), words.end()));
    rewriter.replaceOpWithNewOp<LLVM::GlobalOp>(op, type, /*isConstant=*/false,
                                                LLVM::Linkage::Internal,
                                                op.getSymName(), value);
    return success();
  }

  /// A global of zeros, whose size costs nothing.
  static void makeZeros(ir::GlobalOp op, Type type, Rewriter &rewriter) {
    auto global = rewriter.replaceOpWithNewOp<LLVM::GlobalOp>(
        op, type, /*isConstant=*/false, LLVM::Linkage::Internal,
        op.getSymName(), Attribute());
    rewriter.createBlock(&global.getInitializerRegion());
    Value zero = rewriter.create<LLVM::ZeroOp>(global.getLoc(), type);
    rewriter.create<LLVM::ReturnOp>(global.getLoc(), zero);
  }
};

/// Erases a declaration that the code does not need.
template <typename Op> struct Erase : ToLlvmPattern<Op> {
  using ToLlvmPattern<Op>::ToLlvmPattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void addGlobalPatterns(RewritePatternSet &patterns,
                       const LLVMTypeConverter &converter,
                       ToLlvmContext &context) {
  patterns.add<GlobalRef, Element, Field, Load, Store, LoadWords, StoreWords,
               CutMark>(converter, context);
}

void addSymbolPatterns(RewritePatternSet &patterns,
                       const LLVMTypeConverter &converter,
                       ToLlvmContext &context) {
  patterns
      .add<Global, Erase<ir::ProtocolOp>, Erase<ir::MetadataOp>,
           Erase<ir::DropReasonOp>, Erase<ir::ChannelOp>, Erase<ir::TableOp>>(
          converter, context);
}

} // namespace karakal::passes
