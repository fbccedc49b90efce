//===- ToLlvm.cpp - one core's program in the LLVM dialect ----------------===//
//
// A packet is its handle, an i32; each operation on it is a call of a packet
// primitive with offset and width in bits:
//
//   %t = baker.packet_read %ph "type"    →   %0 = call i64
//                                              @baker_packet_read(%ph, 96, 16)
//                                            %t = trunc %0 to i16
//
// On the chip a reference is the i32 byte address of what it refers to, and
// the memory, known from the global at its root, is the address space of the
// access. On the host a reference is a pointer into an LLVM global of words.
// A scalar of at most 32 bits is one word, a wider one two, high word first.
//
// Requires: see the pass's description. Ensures: LLVM dialect only.
//
//===----------------------------------------------------------------------===//

#include "passes/ToLlvm.h"
#include "ir/Attributes.h"
#include "ir/Layout.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "passes/Passes.h"
#include "target-ixp/MemoryMap.h"

using namespace mlir;

namespace karakal::passes {

#define GEN_PASS_DEF_TOLLVM
#include "passes/Passes.h.inc"

LLVM::LLVMFuncOp declareRuntime(ModuleOp module, StringRef name, Type result,
                                ArrayRef<Type> operands) {
  if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return found;
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  return builder.create<LLVM::LLVMFuncOp>(
      module.getLoc(), name, LLVM::LLVMFunctionType::get(result, operands));
}

namespace {

constexpr uint32_t bytesPerWord = 4;
constexpr unsigned wordBits = 32;

/// What the patterns know besides their operation.
struct Context {
  LlvmTarget target;
  Pass::Statistic &primitiveCount;
  Pass::Statistic &globalAccessCount;

  bool isHost() const { return target == LlvmTarget::Host; }
};

/// A pattern with the small emitters that all of them use.
template <typename Op> class Pattern : public ConvertOpToLLVMPattern<Op> {
public:
  Pattern(LLVMTypeConverter &converter, Context &context)
      : ConvertOpToLLVMPattern<Op>(converter), context(context) {}

protected:
  using Adaptor = typename Op::Adaptor;
  using Rewriter = ConversionPatternRewriter;

  static Value word(Rewriter &rewriter, Location loc, uint32_t value) {
    return rewriter.create<LLVM::ConstantOp>(
        loc, rewriter.getI32IntegerAttr(int32_t(value)));
  }

  /// `value` cut or extended with zeros to `width` bits.
  static Value resize(Rewriter &rewriter, Location loc, Value value,
                      unsigned width) {
    unsigned from = value.getType().getIntOrFloatBitWidth();
    Type type = rewriter.getIntegerType(width);
    if (from < width)
      return rewriter.create<LLVM::ZExtOp>(loc, type, value);
    if (from > width)
      return rewriter.create<LLVM::TruncOp>(loc, type, value);
    return value;
  }

  /// Calls a primitive; `resultWidth` 0 means void.
  Value primitive(Rewriter &rewriter, Operation *op, StringRef name,
                  unsigned resultWidth, ValueRange operands) const {
    Type result = resultWidth ? Type(rewriter.getIntegerType(resultWidth))
                              : LLVM::LLVMVoidType::get(op->getContext());
    LLVM::LLVMFuncOp callee =
        declareRuntime(op->getParentOfType<ModuleOp>(), name, result,
                       llvm::to_vector(operands.getTypes()));
    auto call = rewriter.create<LLVM::CallOp>(op->getLoc(), callee, operands);
    ++context.primitiveCount;
    return resultWidth ? call.getResult() : Value();
  }

  Context &context;
};

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

/// The bit offset of a field, or of an element of it, in its header.
template <typename Op>
Value bitOffset(Op op, Value index, ConversionPatternRewriter &rewriter) {
  ir::ProtocolFieldAttr field =
      ir::lookupField(op, op.getPacket().getType(), op.getField());
  Location loc = op.getLoc();
  auto word = [&](uint32_t value) -> Value {
    return rewriter.create<LLVM::ConstantOp>(
        loc, rewriter.getI32IntegerAttr(int32_t(value)));
  };
  Value offset = word(field.getOffset());
  if (!index)
    return offset;
  Value scaled =
      rewriter.create<LLVM::MulOp>(loc, index, word(field.getWidth()));
  return rewriter.create<LLVM::AddOp>(loc, offset, scaled);
}

struct PacketRead : Pattern<ir::PacketReadOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketReadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value value = primitive(rewriter, op, "baker_packet_read", 64,
                            {adaptor.getPacket(),
                             bitOffset(op, adaptor.getIndex(), rewriter),
                             word(rewriter, op.getLoc(), width)});
    rewriter.replaceOp(op, resize(rewriter, op.getLoc(), value, width));
    return success();
  }
};

struct PacketWrite : Pattern<ir::PacketWriteOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketWriteOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    primitive(rewriter, op, "baker_packet_write", 0,
              {adaptor.getPacket(), bitOffset(op, adaptor.getIndex(), rewriter),
               word(rewriter, op.getLoc(), width),
               resize(rewriter, op.getLoc(), adaptor.getValue(), 64)});
    rewriter.eraseOp(op);
    return success();
  }
};

struct PacketDecap : Pattern<ir::PacketDecapOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketDecapOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, primitive(rewriter, op, "baker_packet_decap",
                                     wordBits, adaptor.getOperands()));
    return success();
  }
};

struct PacketEncap : Pattern<ir::PacketEncapOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketEncapOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, primitive(rewriter, op, "baker_packet_encap",
                                     wordBits, adaptor.getOperands()));
    return success();
  }
};

struct PacketCopy : Pattern<ir::PacketCopyOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketCopyOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, primitive(rewriter, op, "baker_packet_copy",
                                     wordBits, adaptor.getOperands()));
    return success();
  }
};

struct PacketLength : Pattern<ir::PacketLengthOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketLengthOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    rewriter.replaceOp(op, primitive(rewriter, op, "baker_packet_length",
                                     wordBits, adaptor.getOperands()));
    return success();
  }
};

struct PacketDrop : Pattern<ir::PacketDropOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::PacketDropOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Value reason = word(rewriter, op.getLoc(), ir::dropReasonNumber(op));
    primitive(rewriter, op, "baker_packet_drop", 0,
              {adaptor.getPacket(), reason});
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Metadata
//===----------------------------------------------------------------------===//

/// The descriptor word of a declared field.
FailureOr<uint32_t> descriptorWord(Operation *op, FlatSymbolRefAttr name) {
  auto field = op->getParentOfType<ModuleOp>().lookupSymbol<ir::MetadataOp>(
      name.getValue());
  if (std::optional<uint32_t> number = ir::numberOf(field, ir::wordAttrName))
    return target::DescriptorMetadata + *number;
  return op->emitError() << "metadata field @" << name.getValue()
                         << " has no word: run baker-assign-memory";
}

struct MetaRead : Pattern<ir::MetaReadOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::MetaReadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value packet = adaptor.getPacket();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    auto readWord = [&](uint32_t number) {
      return primitive(rewriter, op, "baker_meta_read", wordBits,
                       {packet, word(rewriter, loc, number)});
    };
    Value value;
    if (op.getField() == ir::rxPortName) {
      value = primitive(rewriter, op, "baker_rx_port", wordBits, packet);
    } else if (op.getField() == ir::txPortName) {
      value = primitive(rewriter, op, "baker_tx_port", wordBits, packet);
    } else if (op.getField() == ir::sequenceName) {
      value = readWord(target::DescriptorSequence);
    } else {
      FailureOr<uint32_t> number = descriptorWord(op, op.getFieldAttr());
      if (failed(number))
        return failure();
      value = readWord(*number);
      if (width > wordBits)
        value = join(rewriter, loc, value, readWord(*number + 1));
    }
    rewriter.replaceOp(op, resize(rewriter, loc, value, width));
    return success();
  }

  static Value join(Rewriter &rewriter, Location loc, Value high, Value low) {
    Value shift =
        rewriter.create<LLVM::ConstantOp>(loc, rewriter.getI64IntegerAttr(32));
    Value placed = rewriter.create<LLVM::ShlOp>(
        loc, resize(rewriter, loc, high, 64), shift);
    return rewriter.create<LLVM::OrOp>(loc, placed,
                                       resize(rewriter, loc, low, 64));
  }
};

struct MetaWrite : Pattern<ir::MetaWriteOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::MetaWriteOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value packet = adaptor.getPacket();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    Value low = resize(rewriter, loc, adaptor.getValue(), wordBits);
    if (op.getField() == ir::txPortName) {
      primitive(rewriter, op, "baker_set_tx_port", 0, {packet, low});
      rewriter.eraseOp(op);
      return success();
    }
    FailureOr<uint32_t> number = descriptorWord(op, op.getFieldAttr());
    if (failed(number))
      return failure();
    auto writeWord = [&](uint32_t at, Value value) {
      primitive(rewriter, op, "baker_meta_write", 0,
                {packet, word(rewriter, loc, at), value});
    };
    if (width > wordBits) {
      Value wide = resize(rewriter, loc, adaptor.getValue(), 64);
      Value shift = rewriter.create<LLVM::ConstantOp>(
          loc, rewriter.getI64IntegerAttr(32));
      Value high = rewriter.create<LLVM::LShrOp>(loc, wide, shift);
      writeWord(*number, resize(rewriter, loc, high, wordBits));
      writeWord(*number + 1, low);
    } else {
      writeWord(*number, low);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

/// The global at the root of a reference, or null.
ir::GlobalOp rootOf(Value ref) {
  while (Operation *op = ref.getDefiningOp()) {
    if (auto element = dyn_cast<ir::ElementOp>(op))
      ref = element.getArray();
    else if (auto field = dyn_cast<ir::FieldOp>(op))
      ref = field.getRecord();
    else if (auto root = dyn_cast<ir::GlobalRefOp>(op))
      return op->getParentOfType<ModuleOp>().lookupSymbol<ir::GlobalOp>(
          root.getGlobal());
    else
      break;
  }
  return {};
}

/// The type that a reference refers to.
Type pointeeOf(Value ref) {
  return cast<ir::RefType>(ref.getType()).getPointee();
}

/// Byte address of a placed global as chip code gives it.
uint32_t chipAddress(const ir::Place &place) {
  return place.memory == "sram1" ? target::sramAddress(1, place.address)
                                 : place.address;
}

struct GlobalRef : Pattern<ir::GlobalRefOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::GlobalRefOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (context.isHost()) {
      Type pointer = LLVM::LLVMPointerType::get(op.getContext());
      rewriter.replaceOpWithNewOp<LLVM::AddressOfOp>(op, pointer,
                                                     op.getGlobal());
      return success();
    }
    std::optional<ir::Place> place = ir::placeOf(rootOf(op));
    if (!place)
      return op.emitError() << "global @" << op.getGlobal()
                            << " has no place: run baker-assign-memory";
    rewriter.replaceOp(op, word(rewriter, op.getLoc(), chipAddress(*place)));
    return success();
  }
};

/// `ref` moved by `words`, an i32.
template <typename Rewriter>
Value advance(Rewriter &rewriter, Location loc, Value ref, Value words) {
  Type i32 = rewriter.getI32Type();
  if (isa<LLVM::LLVMPointerType>(ref.getType())) {
    // Zero extension: GEP would take the index as signed.
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

struct Element : Pattern<ir::ElementOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::ElementOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto array = cast<ir::ArrayType>(pointeeOf(op.getArray()));
    uint64_t stride = ir::elementWordStride(array);
    Value words = adaptor.getIndex();
    if (stride != 1)
      words = rewriter.create<LLVM::MulOp>(
          loc, words, word(rewriter, loc, uint32_t(stride)));
    rewriter.replaceOp(op, advance(rewriter, loc, adaptor.getArray(), words));
    return success();
  }
};

struct Field : Pattern<ir::FieldOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::FieldOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    auto record = cast<ir::StructType>(pointeeOf(op.getRecord()));
    uint64_t words =
        ir::fieldWordOffset(record, *record.fieldIndex(op.getField()));
    Value ref = adaptor.getRecord();
    if (words != 0)
      ref = advance(rewriter, op.getLoc(), ref,
                    word(rewriter, op.getLoc(), uint32_t(words)));
    rewriter.replaceOp(op, ref);
    return success();
  }
};

/// Loads and stores: the pointer for an access through `ref`.
template <typename Op> struct Access : Pattern<Op> {
  using Pattern<Op>::Pattern;
  using typename Pattern<Op>::Rewriter;

  FailureOr<Value> pointer(Op op, Value ref, Rewriter &rewriter) const {
    ++this->context.globalAccessCount;
    if (this->context.isHost())
      return ref;
    ir::GlobalOp global = rootOf(op.getRef());
    std::optional<ir::Place> place;
    if (global)
      place = ir::placeOf(global);
    if (!place)
      return op.emitError()
             << "the memory of this access is not known: references are "
                "followed to their global inside one function only";
    unsigned space = place->memory == "scratch" ? SpaceScratch : SpaceSram;
    Type type = LLVM::LLVMPointerType::get(op.getContext(), space);
    return Value(
        rewriter.template create<LLVM::IntToPtrOp>(op.getLoc(), type, ref));
  }
};

struct Load : Access<ir::LoadOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::LoadOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    FailureOr<Value> place = pointer(op, adaptor.getRef(), rewriter);
    if (failed(place))
      return failure();
    Value value;
    if (width > wordBits && context.isHost()) {
      // Two words, so that the order does not depend on the host's.
      Value high = loadWord(rewriter, loc, *place);
      Value second = advance(rewriter, loc, *place, word(rewriter, loc, 1));
      value =
          MetaRead::join(rewriter, loc, high, loadWord(rewriter, loc, second));
    } else {
      Type type = rewriter.getIntegerType(width > wordBits ? 64 : wordBits);
      value = rewriter.create<LLVM::LoadOp>(loc, type, *place, bytesPerWord);
    }
    rewriter.replaceOp(op, resize(rewriter, loc, value, width));
    return success();
  }

  static Value loadWord(Rewriter &rewriter, Location loc, Value place) {
    return rewriter.create<LLVM::LoadOp>(loc, rewriter.getI32Type(), place,
                                         bytesPerWord);
  }
};

struct Store : Access<ir::StoreOp> {
  using Access::Access;
  LogicalResult matchAndRewrite(ir::StoreOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    Location loc = op.getLoc();
    unsigned width = op.getValue().getType().getIntOrFloatBitWidth();
    FailureOr<Value> place = pointer(op, adaptor.getRef(), rewriter);
    if (failed(place))
      return failure();
    if (width > wordBits && context.isHost()) {
      Value wide = resize(rewriter, loc, adaptor.getValue(), 64);
      Value shift = rewriter.create<LLVM::ConstantOp>(
          loc, rewriter.getI64IntegerAttr(32));
      Value high = rewriter.create<LLVM::LShrOp>(loc, wide, shift);
      storeWord(rewriter, loc, high, *place);
      storeWord(rewriter, loc, wide,
                advance(rewriter, loc, *place, word(rewriter, loc, 1)));
    } else {
      Value value = resize(rewriter, loc, adaptor.getValue(),
                           width > wordBits ? 64 : wordBits);
      rewriter.create<LLVM::StoreOp>(loc, value, *place, bytesPerWord);
    }
    rewriter.eraseOp(op);
    return success();
  }

  static void storeWord(Rewriter &rewriter, Location loc, Value value,
                        Value place) {
    rewriter.create<LLVM::StoreOp>(loc, resize(rewriter, loc, value, wordBits),
                                   place, bytesPerWord);
  }
};

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// On the host a global becomes an LLVM global; on the chip its address is in
/// the code.
struct Global : Pattern<ir::GlobalOp> {
  using Pattern::Pattern;
  LogicalResult matchAndRewrite(ir::GlobalOp op, Adaptor adaptor,
                                Rewriter &rewriter) const override {
    if (!context.isHost()) {
      rewriter.eraseOp(op);
      return success();
    }
    std::vector<uint32_t> words = ir::initialWords(op);
    Type type = LLVM::LLVMArrayType::get(rewriter.getI32Type(), words.size());
    auto value = rewriter.getI32TensorAttr(
        SmallVector<int32_t>(words.begin(), words.end()));
    rewriter.replaceOpWithNewOp<LLVM::GlobalOp>(op, type, /*isConstant=*/false,
                                                LLVM::Linkage::Internal,
                                                op.getSymName(), value);
    return success();
  }
};

/// Removes the decisions on functions: LLVM's functions bear none.
void stripDecisions(ModuleOp module) {
  auto isOurs = [](NamedAttribute attribute) {
    return attribute.getName().getValue().starts_with("baker.");
  };
  for (auto function : module.getOps<func::FuncOp>()) {
    for (NamedAttribute attribute : llvm::to_vector(function->getAttrs()))
      if (isOurs(attribute))
        function->removeAttr(attribute.getName());
    function.removeArgAttrsAttr();
    function.removeResAttrsAttr();
  }
}

/// A declaration that code no longer needs.
template <typename Op> struct Erase : Pattern<Op> {
  using Pattern<Op>::Pattern;
  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class ToLlvm : public impl::ToLlvmBase<ToLlvm> {
public:
  using ToLlvmBase::ToLlvmBase;

private:
  void runOnOperation() override;
  LogicalResult convert(Context &context);
};

std::optional<LlvmTarget> parseTarget(StringRef name) {
  if (name == "me")
    return LlvmTarget::Me;
  if (name == "xscale")
    return LlvmTarget::XScale;
  if (name == "host")
    return LlvmTarget::Host;
  return std::nullopt;
}

LogicalResult ToLlvm::convert(Context &context) {
  ModuleOp module = getOperation();
  LowerToLLVMOptions options(&getContext());
  options.overrideIndexBitwidth(context.isHost() ? 64 : 32);
  LLVMTypeConverter converter(&getContext(), options);
  converter.addConversion([](ir::PacketType type) -> Type {
    return IntegerType::get(type.getContext(), wordBits);
  });
  bool isHost = context.isHost();
  converter.addConversion([isHost](ir::RefType type) -> Type {
    if (isHost)
      return LLVM::LLVMPointerType::get(type.getContext());
    return IntegerType::get(type.getContext(), wordBits);
  });

  // Symbols stay until the code that asks them is converted.
  RewritePatternSet patterns(&getContext());
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFuncToLLVMConversionPatterns(converter, patterns);
  patterns.add<PacketRead, PacketWrite, PacketDecap, PacketEncap, PacketCopy,
               PacketLength, PacketDrop, MetaRead, MetaWrite, GlobalRef,
               Element, Field, Load, Store>(converter, context);
  LLVMConversionTarget target(getContext());
  target.addLegalOp<ModuleOp>();
  target.addLegalOp<ir::ProtocolOp, ir::MetadataOp, ir::DropReasonOp,
                    ir::ChannelOp, ir::GlobalOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();

  RewritePatternSet symbols(&getContext());
  symbols.add<Global, Erase<ir::ProtocolOp>, Erase<ir::MetadataOp>,
              Erase<ir::DropReasonOp>, Erase<ir::ChannelOp>>(converter,
                                                             context);
  LLVMConversionTarget noSymbols(getContext());
  noSymbols.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
  return applyPartialConversion(module, noSymbols, std::move(symbols));
}

void ToLlvm::runOnOperation() {
  std::optional<LlvmTarget> which = parseTarget(target);
  if (!which) {
    getOperation().emitError()
        << "baker-to-llvm: target must be me, xscale or host, not '" << target
        << "'";
    return signalPassFailure();
  }
  if (*which != LlvmTarget::Me)
    addWrappers(getOperation());
  stripDecisions(getOperation());
  Context context{*which, primitiveCount, globalAccessCount};
  if (failed(convert(context)))
    return signalPassFailure();
  OpPassManager reconcile(ModuleOp::getOperationName());
  reconcile.addPass(createReconcileUnrealizedCastsPass());
  if (failed(runPipeline(reconcile, getOperation())))
    signalPassFailure();
}

} // namespace

} // namespace karakal::passes
