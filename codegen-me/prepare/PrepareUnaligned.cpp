// Expands accesses that begin at any byte.
//
// One call extracts the words of a packet that begin at a byte known only at
// run time from the enclosing quadwords:
//
//   {i32, i32} @__ixp_words_from.2(i1 %isSecond, i32 %byte, i32 %e0 .. %e3)
//
// They begin at byte %byte (0 to 3) of word %e1 if %isSecond, else of %e0. Each
// of the two cases reads its words in place (in transfer registers), and
// byte_align makes n words from n + 1 in n + 1 instructions:
//
//   br %isSecond, %second, %first
//   second: %v:2 = @__ixp_byte_align_be.2(%byte, %e1, %e2, %e3)
//   first:  %w:2 = @__ixp_byte_align_be.2(%byte, %e0, %e1, %e2)
//
// For a write, a call places the words into the enclosing ones, with zeros
// around them:
//
//   {i32, i32, i32} @__ixp_words_into.1(i1 %isSecond, i32 %byte, i32 %w0)
//
// A constant %isSecond needs no branch, and a constant %byte no byte_align.

#include "codegen-me/prepare/Prepare.h"
#include "codegen-me/target/IxpLowering.h"

#include "target-ixp/chip/RuntimeNames.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace karakal::codegen {

namespace {

constexpr unsigned wordBits = 32;

using Words = SmallVector<Value *, 16>;

enum class Order { Big, Little };

/// For each two adjacent `words`, the word that begins at byte `byte` of the
/// first. In little-endian order the first has the lower bytes.
Words alignedPairs(IRBuilder<> &builder, Order order, Value *byte,
                   ArrayRef<Value *> words) {
  // The machine uses two bits of the index, so the mask is not needed.
  if (Value * whole; match(byte, m_And(m_Value(whole), m_SpecificInt(3))))
    byte = whole;
  Module &module = *builder.GetInsertBlock()->getModule();
  Type *i32 = builder.getInt32Ty();
  const char *name =
      order == Order::Big ? "__ixp_byte_align_be." : "__ixp_byte_align_le.";
  Words result;
  for (unsigned first = 0; first + 1 < words.size(); first += ByteAlignMax) {
    ArrayRef<Value *> part = words.drop_front(first).take_front(
        std::min<size_t>(words.size() - first, ByteAlignMax + 1));
    unsigned count = unsigned(part.size()) - 1;
    SmallVector<Type *> types(count, i32);
    Type *type = count == 1 ? i32 : StructType::get(i32->getContext(), types);
    SmallVector<Type *> parameters(count + 2, i32);
    FunctionCallee align =
        module.getOrInsertFunction(name + std::to_string(count),
                                   FunctionType::get(type, parameters, false));
    Words arguments{byte};
    arguments.append(part.begin(), part.end());
    Value *made = builder.CreateCall(align, arguments);
    for (unsigned i = 0; i < count; ++i)
      result.push_back(count == 1 ? made : builder.CreateExtractValue(made, i));
  }
  return result;
}

/// The low word of (high:low) >> bits.
Value *funnel(IRBuilder<> &builder, Value *high, Value *low, uint64_t bits) {
  return builder.CreateIntrinsic(Intrinsic::fshr, {builder.getInt32Ty()},
                                 {high, low, builder.getInt32(bits)});
}

/// The bytes of `words` from `byte` on, as one word fewer.
Words wordsFrom(IRBuilder<> &builder, Value *byte, ArrayRef<Value *> words) {
  auto *constant = dyn_cast<ConstantInt>(byte);
  if (!constant)
    return alignedPairs(builder, Order::Big, byte, words);
  uint64_t bits = 8 * constant->getZExtValue();
  Words result(words.drop_back());
  for (unsigned i = 0; bits && i < result.size(); ++i)
    result[i] = funnel(builder, words[i], words[i + 1], wordBits - bits);
  return result;
}

/// `words` placed at `byte` of one word more, with zeros around them.
Words wordsInto(IRBuilder<> &builder, Value *byte, ArrayRef<Value *> words) {
  Words around{builder.getInt32(0)};
  around.append(words.begin(), words.end());
  around.push_back(builder.getInt32(0));
  auto *constant = dyn_cast<ConstantInt>(byte);
  if (!constant) {
    std::reverse(around.begin(), around.end());
    Words result = alignedPairs(builder, Order::Little, byte, around);
    std::reverse(result.begin(), result.end());
    return result;
  }
  uint64_t bits = 8 * constant->getZExtValue();
  Words result(ArrayRef<Value *>(around).drop_front());
  for (unsigned i = 0; bits && i < result.size(); ++i)
    result[i] = funnel(builder, around[i], around[i + 1], bits);
  return result;
}

/// Builds a branch on `condition`, calls `make` for both cases, and joins their
/// words by phis.
Words choose(CallInst &call, Value *condition,
             function_ref<Words(IRBuilder<> &, bool)> make) {
  IRBuilder<> builder(&call);
  if (auto *constant = dyn_cast<ConstantInt>(condition))
    return make(builder, constant->isOne());
  Instruction *ends[2] = {};
  SplitBlockAndInsertIfThenElse(condition, call.getIterator(), &ends[1],
                                &ends[0]);
  Words results[2], joined;
  for (bool isTrue : {false, true}) {
    builder.SetInsertPoint(ends[isTrue]);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    results[isTrue] = make(builder, isTrue);
  }
  builder.SetInsertPoint(&*call.getParent()->begin());
  for (auto [first, second] : zip(results[0], results[1])) {
    PHINode *phi = builder.CreatePHI(builder.getInt32Ty(), 2);
    phi->addIncoming(first, ends[0]->getParent());
    phi->addIncoming(second, ends[1]->getParent());
    joined.push_back(phi);
  }
  return joined;
}

/// The first and the last of `count` results that are used.
std::pair<unsigned, unsigned> usedResults(const CallInst &call,
                                          unsigned count) {
  unsigned first = count, last = 0;
  for (const User *user : call.users()) {
    auto *extract = dyn_cast<ExtractValueInst>(user);
    if (!extract)
      return {0, count - 1};
    first = std::min(first, extract->getIndices()[0]);
    last = std::max(last, extract->getIndices()[0]);
  }
  return {first, last};
}

/// Replaces the results of `call`; `results[0]` is that of number `first`.
void replace(CallInst &call, ArrayRef<Value *> results, unsigned first) {
  auto *type = dyn_cast<StructType>(call.getType());
  if (!type)
    call.replaceAllUsesWith(results[0]);
  for (User *user : make_early_inc_range(call.users()))
    if (auto *extract = dyn_cast<ExtractValueInst>(user)) {
      extract->replaceAllUsesWith(results[extract->getIndices()[0] - first]);
      extract->eraseFromParent();
    }
  if (call.use_empty())
    return;
  IRBuilder<> builder(&call);
  Value *all = PoisonValue::get(type);
  for (auto [i, result] : enumerate(results))
    all = builder.CreateInsertValue(all, result, unsigned(i));
  call.replaceAllUsesWith(all);
}

void lowerFrom(CallInst &call) {
  auto *type = dyn_cast<StructType>(call.getType());
  auto [first, last] = usedResults(call, type ? type->getNumElements() : 1);
  if (call.use_empty())
    return;
  Words words;
  for (unsigned i = first; i <= last + 2; ++i)
    words.push_back(call.getArgOperand(2 + i));
  ArrayRef<Value *> all = words;
  Words results = choose(
      call, call.getArgOperand(0), [&](IRBuilder<> &builder, bool isSecond) {
        return wordsFrom(builder, call.getArgOperand(1),
                         isSecond ? all.drop_front() : all.drop_back());
      });
  replace(call, results, first);
}

void lowerInto(CallInst &call) {
  Words words(drop_begin(call.args(), 2));
  Words results = choose(
      call, call.getArgOperand(0), [&](IRBuilder<> &builder, bool isSecond) {
        Words placed = wordsInto(builder, call.getArgOperand(1), words);
        placed.insert(isSecond ? placed.begin() : placed.end(),
                      builder.getInt32(0));
        return placed;
      });
  replace(call, results, 0);
}

} // namespace

void lowerUnaligned(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    bool isFrom =
        function.getName().starts_with(target::intrinsic::WordsFromPrefix);
    if (!isFrom &&
        !function.getName().starts_with(target::intrinsic::WordsIntoPrefix))
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      isFrom ? lowerFrom(*call) : lowerInto(*call);
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
}

} // namespace karakal::codegen
