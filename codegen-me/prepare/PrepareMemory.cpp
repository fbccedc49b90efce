// Rewrites memory accesses into bursts.
//
// The units move whole words (DRAM: aligned pairs of words), and selection
// would split an access into single words, each a command. So an access of
// several words becomes a call that moves one burst:
//
//   %v = load <4 x i32>, ptr addrspace(1) %p
//     ->
//   %r = call cc1000 { i32, i32, i32, i32 } @__ixp_read.1.4(ptr %p)
//
// A load of a part of a word loads the word and extracts the part. A store of a
// part, or of half a DRAM pair, reads, merges and writes back. Local memory
// keeps single-word loads and stores, which cost one instruction each.

#include "codegen-me/prepare/Prepare.h"

#include "codegen-me/target/IxpLowering.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace karakal::codegen {
namespace {

constexpr unsigned SramBurstMax = 8;   ///< words of one command
constexpr unsigned DramBurstMax = 16;  ///< words of one command
constexpr uint64_t CopyWordsMax = 256; ///< words of one memcpy

using Words = SmallVector<Value *, 16>;

/// Makes a store volatile. LLVM narrows a read-merge-write of one word to a
/// store of a part without asking the target whether it has such a store, but
/// leaves volatile stores alone.
void keepWhole(StoreInst &store) { store.setVolatile(true); }

/// Builds word accesses before one instruction.
class Access {
public:
  Access(Instruction *at, Value *pointer, Align align)
      : builder(at), module(*at->getModule()), pointer(pointer), align(align),
        space(pointer->getType()->getPointerAddressSpace()) {}

  Words read(unsigned count);
  void write(const Words &words);
  /// Reads a part of a word: `bytes` is 1 or 2, naturally aligned.
  Value *readPart(unsigned bytes);
  void writePart(unsigned bytes, Value *value);

  /// Joins words to a value of any whole-word type, and splits such a value.
  Value *join(const Words &words, Type *type);
  Words split(Value *value);

  IRBuilder<> builder;

private:
  bool isLocal() const { return space == StackSpace || space == LocalSpace; }
  Value *at(Value *base, unsigned word) {
    return builder.CreatePtrAdd(base, builder.getInt32(4 * word));
  }
  Value *maskedPointer(uint32_t lowBits) {
    Value *number = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
    number = builder.CreateAnd(number, builder.getInt32(~lowBits));
    return builder.CreateIntToPtr(number, pointer->getType());
  }
  /// Whether the address is that of a pair's second word (bit 2).
  Value *isSecond() {
    Value *number = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
    return builder.CreateIsNotNull(
        builder.CreateAnd(number, builder.getInt32(4)));
  }
  void readBurst(Value *base, unsigned count, Words &words);
  void writeBurst(Value *base, ArrayRef<Value *> words);
  Value *shiftOfPart(unsigned bytes);

  Module &module;
  Value *pointer;
  Align align;
  unsigned space;
};

void Access::readBurst(Value *base, unsigned count, Words &words) {
  if (count == 1 || isLocal()) {
    for (unsigned i = 0; i < count; ++i)
      words.push_back(builder.CreateAlignedLoad(
          builder.getInt32Ty(), i ? at(base, i) : base, Align(4)));
    return;
  }
  unsigned most = space == DramSpace ? DramBurstMax : SramBurstMax;
  for (unsigned done = 0; done < count;) {
    bool isWide = space == SramSpace && count - done == WideReadWords;
    unsigned n = isWide ? WideReadWords : std::min(count - done, most);
    SmallVector<Type *, 16> types(n, builder.getInt32Ty());
    FunctionCallee callee = module.getOrInsertFunction(
        accessName(true, space, n),
        FunctionType::get(StructType::get(module.getContext(), types),
                          {pointer->getType()}, false));
    cast<Function>(callee.getCallee())->setCallingConv(CommandCallingConv);
    CallInst *call = builder.CreateCall(callee, {done ? at(base, done) : base});
    call->setCallingConv(CommandCallingConv);
    for (unsigned i = 0; i < n; ++i)
      words.push_back(builder.CreateExtractValue(call, i));
    done += n;
  }
}

void Access::writeBurst(Value *base, ArrayRef<Value *> words) {
  if (words.size() == 1 || isLocal()) {
    for (unsigned i = 0; i < words.size(); ++i)
      keepWhole(*builder.CreateAlignedStore(words[i], i ? at(base, i) : base,
                                            Align(4)));
    return;
  }
  unsigned most = space == DramSpace ? DramBurstMax : SramBurstMax;
  for (unsigned done = 0; done < words.size();) {
    unsigned n = std::min<unsigned>(words.size() - done, most);
    SmallVector<Type *, 17> types(n, builder.getInt32Ty());
    types.insert(types.begin(), pointer->getType());
    FunctionCallee callee = module.getOrInsertFunction(
        accessName(false, space, n),
        FunctionType::get(builder.getVoidTy(), types, false));
    cast<Function>(callee.getCallee())->setCallingConv(CommandCallingConv);
    SmallVector<Value *, 17> arguments{done ? at(base, done) : base};
    arguments.append(words.begin() + done, words.begin() + done + n);
    builder.CreateCall(callee, arguments)->setCallingConv(CommandCallingConv);
    done += n;
  }
}

Words Access::read(unsigned count) {
  Words words;
  if (space != DramSpace || (align >= Align(8) && count % 2 == 0)) {
    readBurst(pointer, count, words);
    return words;
  }
  if (align >= Align(8)) {
    readBurst(pointer, count + 1, words);
    words.resize(count);
    return words;
  }
  Words pairs;
  readBurst(maskedPointer(7), (count + 2) & ~1u, pairs);
  Value *second = isSecond();
  for (unsigned i = 0; i < count; ++i)
    words.push_back(builder.CreateSelect(second, pairs[i + 1], pairs[i]));
  return words;
}

void Access::write(const Words &words) {
  unsigned count = words.size();
  if (space != DramSpace || (align >= Align(8) && count % 2 == 0)) {
    writeBurst(pointer, words);
    return;
  }
  Value *base = align >= Align(8) ? pointer : maskedPointer(7);
  Value *second = align >= Align(8) ? builder.getFalse() : isSecond();
  unsigned total = align >= Align(8) ? count + 1 : (count + 2) & ~1u;
  Words old, merged;
  readBurst(base, total, old);
  for (unsigned i = 0; i < total; ++i) {
    Value *ifFirst = i < count ? words[i] : old[i];
    Value *ifSecond = i >= 1 && i - 1 < count ? words[i - 1] : old[i];
    merged.push_back(builder.CreateSelect(second, ifSecond, ifFirst));
  }
  writeBurst(base, merged);
}

/// The number of bits below a part of `bytes` bytes in its word.
Value *Access::shiftOfPart(unsigned bytes) {
  Value *number = builder.CreatePtrToInt(pointer, builder.getInt32Ty());
  Value *byte = builder.CreateAnd(number, builder.getInt32(3));
  Value *right = builder.CreateSub(builder.getInt32(4 - bytes), byte);
  return builder.CreateShl(right, builder.getInt32(3));
}

Value *Access::readPart(unsigned bytes) {
  Value *shift = shiftOfPart(bytes);
  Access whole(&*builder.GetInsertPoint(), maskedPointer(3), Align(4));
  Value *word = whole.read(1)[0];
  word = builder.CreateLShr(word, shift);
  return builder.CreateAnd(word, builder.getInt32((1u << 8 * bytes) - 1));
}

void Access::writePart(unsigned bytes, Value *value) {
  Value *shift = shiftOfPart(bytes);
  Access whole(&*builder.GetInsertPoint(), maskedPointer(3), Align(4));
  Value *old = whole.read(1)[0];
  Value *ones = builder.getInt32((1u << 8 * bytes) - 1);
  Value *mask = builder.CreateNot(builder.CreateShl(ones, shift));
  Value *part = builder.CreateShl(builder.CreateAnd(value, ones), shift);
  Value *word = builder.CreateOr(builder.CreateAnd(old, mask), part);
  Access store(&*builder.GetInsertPoint(), maskedPointer(3), Align(4));
  store.write({word});
}

Value *Access::join(const Words &words, Type *type) {
  if (type->isPointerTy())
    return builder.CreateIntToPtr(words[0], type);
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    unsigned each = vector->getScalarSizeInBits() / 32;
    Value *result = PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Words part(words.begin() + i * each, words.begin() + (i + 1) * each);
      result = builder.CreateInsertElement(
          result, join(part, vector->getElementType()), i);
    }
    return result;
  }
  if (words.size() == 1)
    return words[0];
  Value *result = builder.CreateZExt(words[0], type);
  for (unsigned i = 1; i < words.size(); ++i)
    result = builder.CreateOr(builder.CreateShl(result, 32),
                              builder.CreateZExt(words[i], type));
  return result;
}

Words Access::split(Value *value) {
  Type *type = value->getType();
  Words words;
  if (type->isPointerTy())
    return {builder.CreatePtrToInt(value, builder.getInt32Ty())};
  if (auto *vector = dyn_cast<FixedVectorType>(type)) {
    for (unsigned i = 0; i < vector->getNumElements(); ++i)
      words.append(split(builder.CreateExtractElement(value, i)));
    return words;
  }
  unsigned count = type->getIntegerBitWidth() / 32;
  for (unsigned i = 0; i < count; ++i) {
    Value *part =
        count == 1 ? value : builder.CreateLShr(value, 32 * (count - 1 - i));
    words.push_back(builder.CreateTrunc(part, builder.getInt32Ty()));
  }
  return words;
}

/// The number of words of a type; 0 if it does not consist of whole words.
unsigned wordsOf(Type *type) {
  Type *scalar = type->getScalarType();
  unsigned bits = scalar->isPointerTy() ? 32 : scalar->getScalarSizeInBits();
  if (!scalar->isPointerTy() && !scalar->isIntegerTy())
    return 0;
  unsigned count = 1;
  if (auto *vector = dyn_cast<FixedVectorType>(type))
    count = vector->getNumElements();
  return bits % 32 == 0 ? count * bits / 32 : 0;
}

Error refuse(const Instruction &instr, const std::string &what) {
  Error error = makeError("E-codegen-me-010",
                          what + "; microengines access whole, aligned words");
  if (const DILocation *line = instr.getDebugLoc()) {
    error.file = line->getFilename().str();
    error.line = line->getLine();
    error.column = line->getColumn();
  }
  return error;
}

/// The shape of an access: whole words or a part of one.
struct Shape {
  unsigned words = 0;
  unsigned partBytes = 0;
};

Result<Shape> shapeOf(const Instruction &instr, Type *type, Align align,
                      unsigned space) {
  if (space > LocalSpace)
    return makeError("E-codegen-me-011",
                     "address space " + std::to_string(space) +
                         " is not a memory of a microengine");
  Shape shape;
  shape.words = wordsOf(type);
  if (shape.words) {
    if (align < Align(4))
      return refuse(instr, "an access of " + std::to_string(shape.words) +
                               " words at byte alignment");
    return shape;
  }
  unsigned bits = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
  shape.partBytes = bits == 0 || bits > 16 ? 0 : bits <= 8 ? 1 : 2;
  if (!shape.partBytes || align < Align(shape.partBytes))
    return refuse(instr, "an access of a part of a word, or of a type that is "
                         "not a number of words");
  return shape;
}

Status lowerLoad(LoadInst &load) {
  unsigned space = load.getPointerAddressSpace();
  Result<Shape> shape = shapeOf(load, load.getType(), load.getAlign(), space);
  if (!shape)
    return shape.error();
  if (shape->words == 1 && space != DramSpace && !load.getType()->isVectorTy())
    return success();
  Access access(&load, load.getPointerOperand(), load.getAlign());
  Value *value = shape->words
                     ? access.join(access.read(shape->words), load.getType())
                     : access.builder.CreateTrunc(
                           access.readPart(shape->partBytes), load.getType());
  load.replaceAllUsesWith(value);
  load.eraseFromParent();
  return success();
}

Status lowerStore(StoreInst &store) {
  Value *value = store.getValueOperand();
  unsigned space = store.getPointerAddressSpace();
  Result<Shape> shape =
      shapeOf(store, value->getType(), store.getAlign(), space);
  if (!shape)
    return shape.error();
  if (shape->words == 1 && space != DramSpace &&
      !value->getType()->isVectorTy()) {
    keepWhole(store);
    return success();
  }
  Access access(&store, store.getPointerOperand(), store.getAlign());
  if (shape->words)
    access.write(access.split(value));
  else
    access.writePart(shape->partBytes, access.builder.CreateZExt(
                                           value, access.builder.getInt32Ty()));
  store.eraseFromParent();
  return success();
}

/// Lowers memcpy, memmove and memset of a constant number of aligned words.
Status lowerCopy(MemIntrinsic &copy) {
  auto *length = dyn_cast<ConstantInt>(copy.getLength());
  auto *move = dyn_cast<MemTransferInst>(&copy);
  Align to = copy.getDestAlign().valueOrOne();
  Align from = move ? move->getSourceAlign().valueOrOne() : to;
  uint64_t bytes = length ? length->getZExtValue() : 0;
  if (!length || bytes % 4 || bytes / 4 > CopyWordsMax || to < Align(4) ||
      from < Align(4))
    return refuse(copy, "a copy that is not of a constant number of words, at "
                        "most " +
                            std::to_string(CopyWordsMax));
  if (bytes) {
    unsigned words = bytes / 4;
    Access target(&copy, copy.getRawDest(), to);
    Words data;
    if (move) {
      data = Access(&copy, move->getRawSource(), from).read(words);
    } else {
      IRBuilder<> &b = target.builder;
      Value *byte =
          b.CreateZExt(cast<MemSetInst>(copy).getValue(), b.getInt32Ty());
      data.assign(words, b.CreateMul(byte, b.getInt32(0x01010101)));
    }
    target.write(data);
  }
  copy.eraseFromParent();
  return success();
}

} // namespace

Status lowerMemory(Module &module) {
  std::vector<Instruction *> accesses;
  for (Function &function : module)
    for (Instruction &instr : instructions(function))
      if (isa<LoadInst>(instr) || isa<StoreInst>(instr) ||
          isa<MemIntrinsic>(instr))
        accesses.push_back(&instr);
  for (Instruction *instr : accesses) {
    Status status = success();
    if (auto *load = dyn_cast<LoadInst>(instr))
      status = lowerLoad(*load);
    else if (auto *store = dyn_cast<StoreInst>(instr))
      status = lowerStore(*store);
    else
      status = lowerCopy(*cast<MemIntrinsic>(instr));
    if (!status)
      return status;
  }
  return success();
}

} // namespace karakal::codegen
