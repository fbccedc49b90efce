// The code that baker-to-llvm makes for memory accesses of a microengine, run
// over a memory of words: each packet access reads and writes exactly its
// bytes, wherever the head of the packet is.

#include "passes/Passes.h"

#include "tests/passes/FunctionText.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

#include <gmock/gmock.h>

#include <map>

using namespace mlir;
using ::testing::ElementsAre;

namespace karakal::passes {
namespace {

using Words = std::vector<uint64_t>;

/// Memory by address space and byte address. Words are big-endian.
struct WordMemory {
  std::map<std::pair<unsigned, uint32_t>, uint32_t> words;
  unsigned loads = 0, stores = 0;

  uint32_t &at(unsigned space, uint32_t address) {
    EXPECT_EQ(address % 4, 0u) << "in space " << space;
    return words[{space, address}];
  }
  uint8_t byte(unsigned space, uint32_t address) {
    return uint8_t(at(space, address & ~3u) >> (24 - 8 * (address & 3)));
  }
};

/// Executes a function of the LLVM dialect without branches.
class Execution {
public:
  explicit Execution(WordMemory &memory) : memory(memory) {}

  Words run(LLVM::LLVMFuncOp function, ArrayRef<uint64_t> arguments) {
    for (auto [argument, value] : llvm::zip(function.getArguments(), arguments))
      values[argument] = {value};
    for (Operation &op : function.getBody().front()) {
      if (auto end = dyn_cast<LLVM::ReturnOp>(op))
        return end.getNumOperands() ? of(end.getOperand(0)) : Words();
      execute(op);
    }
    return {};
  }

private:
  const Words &of(Value value) { return values.at(value); }
  uint64_t number(Operation &op, unsigned index) {
    return of(op.getOperand(index))[0];
  }
  /// The 32-bit words of a type.
  static unsigned wordsOf(Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      return unsigned(vector.getNumElements());
    return (type.getIntOrFloatBitWidth() + 31) / 32;
  }
  static uint64_t cut(uint64_t value, Type type) {
    const unsigned width = type.isInteger() ? type.getIntOrFloatBitWidth() : 64;
    return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
  }

  void execute(Operation &op) {
    const StringRef name = op.getName().stripDialect();
    auto set = [&](uint64_t value) {
      values[op.getResult(0)] = {cut(value, op.getResult(0).getType())};
    };
    if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
      return set(
          cast<IntegerAttr>(constant.getValue()).getValue().getZExtValue());
    if (name == "add")
      return set(number(op, 0) + number(op, 1));
    if (name == "mul")
      return set(number(op, 0) * number(op, 1));
    if (name == "and")
      return set(number(op, 0) & number(op, 1));
    if (name == "or")
      return set(number(op, 0) | number(op, 1));
    if (name == "xor")
      return set(number(op, 0) ^ number(op, 1));
    if (name == "shl" || name == "lshr") {
      EXPECT_LT(number(op, 1), 32u) << "a shift by the width is undefined";
      return set(name == "shl" ? number(op, 0) << number(op, 1)
                               : number(op, 0) >> number(op, 1));
    }
    if (auto compare = dyn_cast<LLVM::ICmpOp>(op)) {
      EXPECT_EQ(compare.getPredicate(), LLVM::ICmpPredicate::ne);
      return set(number(op, 0) != number(op, 1));
    }
    if (name == "select")
      return set(number(op, number(op, 0) ? 1 : 2));
    if (isa<LLVM::IntToPtrOp, LLVM::ZExtOp, LLVM::TruncOp>(op))
      return set(number(op, 0));
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      return executeLoad(load);
    if (auto store = dyn_cast<LLVM::StoreOp>(op))
      return executeStore(store);
    if (isa<LLVM::UndefOp, LLVM::PoisonOp>(op)) {
      values[op.getResult(0)] = Words(16, 0xdead);
      return;
    }
    if (isa<LLVM::ExtractElementOp>(op))
      return set(of(op.getOperand(0))[number(op, 1)]);
    if (isa<LLVM::InsertElementOp>(op)) {
      Words vector = of(op.getOperand(0));
      vector[number(op, 2)] = number(op, 1);
      values[op.getResult(0)] = vector;
      return;
    }
    if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
      return set(of(op.getOperand(0))[size_t(extract.getPosition()[0])]);
    if (auto insert = dyn_cast<LLVM::InsertValueOp>(op)) {
      Words record = of(insert.getContainer());
      record[size_t(insert.getPosition()[0])] = of(insert.getValue())[0];
      values[op.getResult(0)] = record;
      return;
    }
    if (auto call = dyn_cast<LLVM::CallOp>(op))
      return executeCall(call);
    FAIL() << "not known: " << op.getName().getStringRef().str();
  }

  unsigned spaceOf(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  }
  void executeLoad(LLVM::LoadOp op) {
    ++memory.loads;
    const uint32_t address = uint32_t(of(op.getAddr())[0]);
    EXPECT_EQ(address % op.getAlignment().value_or(1), 0u);
    const Type type = op.getResult().getType();
    Words words;
    for (unsigned i = 0; i < wordsOf(type); ++i)
      words.push_back(memory.at(spaceOf(op.getAddr()), address + 4 * i));
    if (!isa<VectorType>(type) && words.size() == 2)
      words = {words[0] << 32 | words[1]};
    values[op.getResult()] = words;
  }
  void executeStore(LLVM::StoreOp op) {
    ++memory.stores;
    const uint32_t address = uint32_t(of(op.getAddr())[0]);
    EXPECT_EQ(address % op.getAlignment().value_or(1), 0u);
    const Type type = op.getValue().getType();
    Words words = of(op.getValue());
    if (!isa<VectorType>(type) && wordsOf(type) == 2)
      words = {words[0] >> 32, words[0] & 0xffffffff};
    for (unsigned i = 0; i < wordsOf(type); ++i)
      memory.at(spaceOf(op.getAddr()), address + 4 * i) = uint32_t(words[i]);
  }

  /// The functions that the code generator expands: words at a byte of two
  /// words, and back.
  void executeCall(LLVM::CallOp op) {
    const StringRef callee = *op.getCallee();
    const uint64_t first =
        4 * of(op.getOperand(0))[0] + of(op.getOperand(1))[0];
    std::vector<uint8_t> bytes;
    for (Value word : op.getOperands().drop_front(2))
      for (int shift = 24; shift >= 0; shift -= 8)
        bytes.push_back(uint8_t(of(word)[0] >> shift));
    unsigned count = 0;
    if (callee.starts_with("__ixp_words_from.")) {
      ASSERT_FALSE(callee.drop_front(17).getAsInteger(10, count));
      ASSERT_EQ(bytes.size(), 4 * (count + 2));
      bytes.erase(bytes.begin(), bytes.begin() + first);
    } else {
      ASSERT_TRUE(callee.starts_with("__ixp_words_into."));
      ASSERT_FALSE(callee.drop_front(17).getAsInteger(10, count));
      ASSERT_EQ(bytes.size(), 4 * count);
      bytes.insert(bytes.begin(), first, 0);
      count += 2;
      bytes.resize(4 * count);
    }
    Words words;
    for (unsigned i = 0; i < count; ++i)
      words.push_back(uint32_t(bytes[4 * i]) << 24 | bytes[4 * i + 1] << 16 |
                      bytes[4 * i + 2] << 8 | bytes[4 * i + 3]);
    values[op.getResult()] = words;
  }

  WordMemory &memory;
  llvm::DenseMap<Value, Words> values;
};

class ToLlvm : public FunctionText {
protected:
  ToLlvm() { context.loadDialect<LLVM::LLVMDialect>(); }

  /// Lowers a program of a microengine.
  void lower(const std::string &text) {
    parse("baker.protocol @p min_bytes 14 [#baker.protocol_field<\"dst\" at 0 "
          ": 48>]\n" +
          text);
    PassManager manager(&context);
    manager.addPass(createToLlvm());
    ASSERT_TRUE(succeeded(manager.run(*module)));
  }

  Words run(ArrayRef<uint64_t> arguments) {
    auto function = module->lookupSymbol<LLVM::LLVMFuncOp>("f");
    EXPECT_TRUE(function);
    return Execution(memory).run(function, arguments);
  }

  /// A packet in buffer `handle` with its head at byte `head`, and bytes that
  /// tell their position.
  void putPacket(uint32_t handle, uint32_t head) {
    memory = WordMemory();
    // Head and length are in the descriptor's second word.
    memory.at(sram, 4 * (handle + 1)) = head << 16 | 60;
    for (uint32_t byte = 96; byte < 256; byte += 4)
      memory.at(dram, (handle << 7) + byte) =
          byte << 24 | (byte + 1) << 16 | (byte + 2) << 8 | (byte + 3);
  }

  static constexpr unsigned sram = 1, dram = 2, scratch = 3, local = 4;
  /// Of a buffer: its descriptor's word and, times 128, its first byte.
  static constexpr uint32_t handle = 0x30;

  WordMemory memory;
};

std::string wordList(const std::string &prefix, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text;
}

std::string typeList(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += i ? ", i32" : "i32";
  return text;
}

/// A function that takes a packet and words.
std::string signature(unsigned words) {
  std::string text = "func.func @f(%ph: !baker.packet<\"p\">";
  for (unsigned i = 0; i < words; ++i)
    text += ", %v" + std::to_string(i) + ": i32";
  return text + ")";
}

//===----------------------------------------------------------------------===//
// Packets
//===----------------------------------------------------------------------===//

TEST_F(ToLlvm, ALoadReadsItsBytesAtAnyAlignment) {
  for (unsigned count : {1, 2, 3, 5, 8, 14})
    for (int at : {-2, 0, 5}) {
      lower(signature(0) + " -> (" + typeList(count) +
            ") {\n%w:" + std::to_string(count) +
            " = baker.packet_load %ph at " + std::to_string(at) +
            " : !baker.packet<\"p\"> -> " + typeList(count) + "\nreturn " +
            wordList("%w#", count) + " : " + typeList(count) + "\n}");
      for (uint32_t head = 128; head < 136; ++head) {
        putPacket(handle, head);
        const Words found = run({handle});
        ASSERT_GE(found.size(), count);
        for (unsigned i = 0; i < count; ++i) {
          const uint32_t byte = head + at + 4 * i;
          ASSERT_EQ(found[i], (byte << 24 | (byte + 1) << 16 | (byte + 2) << 8 |
                               (byte + 3)) &
                                  0xffffffff)
              << count << " words at " << at << " of " << head;
        }
        // The descriptor's word, and one burst.
        ASSERT_EQ(memory.loads, 2u);
      }
    }
}

TEST_F(ToLlvm, AStoreWritesItsBytesAndNoOthers) {
  for (auto [count, mask] :
       std::vector<std::pair<unsigned, uint64_t>>{{1, 1},
                                                  {1, 6},
                                                  {1, 15},
                                                  {2, 0x3f},
                                                  {2, 0x98},
                                                  {3, 0xff1},
                                                  {5, 0xfffff},
                                                  {5, 0x81248}}) {
    lower(signature(count) + " {\nbaker.packet_store [" +
          wordList("%v", count) + "] to %ph at -1 mask " +
          std::to_string(mask) + " : !baker.packet<\"p\">\nreturn\n}");
    for (uint32_t head = 128; head < 136; ++head) {
      putPacket(handle, head);
      Words arguments = {handle};
      for (unsigned i = 0; i < count; ++i)
        arguments.push_back(0xe0e1e2e3 + 0x04040404 * i);
      run(arguments);
      for (uint32_t byte = 96; byte < 256; ++byte) {
        const int64_t index = int64_t(byte) - (head - 1);
        const bool isWritten =
            index >= 0 && index < 4 * count && mask >> index & 1;
        ASSERT_EQ(memory.byte(dram, (handle << 7) + byte),
                  isWritten ? 0xe0 + index : byte)
            << count << " words, mask " << mask << ", byte " << byte << " of "
            << head;
      }
      ASSERT_EQ(memory.loads, 2u);
      ASSERT_EQ(memory.stores, 1u);
    }
  }
}

TEST_F(ToLlvm, AnAlignedStoreReadsNoBytes) {
  lower(signature(4) + " {\nbaker.packet_store [" + wordList("%v", 4) +
        "] to %ph at 2 aligned : !baker.packet<\"p\">\nreturn\n}");
  putPacket(handle, 142);
  run({handle, 1, 2, 3, 4});
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(memory.at(dram, (handle << 7) + 144 + 4 * i), i + 1);
  EXPECT_EQ(memory.at(dram, (handle << 7) + 140), 0x8c8d8e8fu);
  EXPECT_EQ(memory.at(dram, (handle << 7) + 160), 0xa0a1a2a3u);
  EXPECT_EQ(memory.loads, 1u);
}

TEST_F(ToLlvm, WordsOfTheDescriptorAreFourBytesApart) {
  lower(signature(2) + " -> (i32, i32) {\n"
                       "%w:2 = baker.meta_load %ph word 6 : "
                       "!baker.packet<\"p\"> -> i32, i32\n"
                       "baker.meta_store [%v0, %v1] to %ph word 9 : "
                       "!baker.packet<\"p\">\n"
                       "return %w#0, %w#1 : i32, i32\n}");
  for (uint32_t word = 0; word < 16; ++word)
    memory.at(sram, 4 * (handle + word)) = 100 + word;
  const Words found = run({handle, 1, 2});
  EXPECT_EQ(found[0], 106u);
  EXPECT_EQ(found[1], 107u);
  for (uint32_t word = 0; word < 16; ++word)
    EXPECT_EQ(memory.at(sram, 4 * (handle + word)), word == 9    ? 1
                                                    : word == 10 ? 2
                                                                 : 100 + word);
}

//===----------------------------------------------------------------------===//
// Global data
//===----------------------------------------------------------------------===//

/// 13 words: a 0, wide 1 and 2, short 3, list 4 to 11, last 12.
const char *const entries = R"(
!e = !baker.struct<"e", a : i32, wide : i48, short : i16, list : !baker.array<4 x i64>, last : i1>
baker.global @t : !baker.array<10 x !e> {baker.placement = #baker.placement<sram1 at 4096>}
)";
/// Address bits 31 and 30 of SRAM tell the channel.
constexpr uint32_t table = 0x40000000 + 4096;

TEST_F(ToLlvm, FieldsAndElementsAreAtTheirWords) {
  lower(std::string(entries) + R"(
func.func @f(%i: i32, %j: i32, %v: i48, %s: i16, %b: i1) -> (i32, i48, i16, i64, i1) {
  %refs = baker.global_ref @t : !baker.ref<!baker.array<10 x !e>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<10 x !e>>
  %a = baker.field %ref "a" : !baker.ref<!e>
  %wide = baker.field %ref "wide" : !baker.ref<!e>
  %short = baker.field %ref "short" : !baker.ref<!e>
  %list = baker.field %ref "list" : !baker.ref<!e>
  %one = baker.element %list[%j] : !baker.ref<!baker.array<4 x i64>>
  %last = baker.field %ref "last" : !baker.ref<!e>
  %va = baker.load %a : !baker.ref<i32>
  %vw = baker.load %wide : !baker.ref<i48>
  %vs = baker.load %short : !baker.ref<i16>
  %vo = baker.load %one : !baker.ref<i64>
  %vl = baker.load %last : !baker.ref<i1>
  baker.store %v, %wide : !baker.ref<i48>
  baker.store %s, %short : !baker.ref<i16>
  baker.store %b, %last : !baker.ref<i1>
  return %va, %vw, %vs, %vo, %vl : i32, i48, i16, i64, i1
})");
  const uint32_t entry = table + 4 * 13 * 7;
  for (uint32_t word = 0; word < 13; ++word)
    memory.at(sram, entry + 4 * word) = 0x1000100 * (word + 1) + 1;
  const Words found = run({7, 2, 0xabcd12345678, 0x9876, 1});
  EXPECT_EQ(found[0], 0x01000101u);
  EXPECT_EQ(found[1], 0x020103000301u); // 48 bits of words 1 and 2
  EXPECT_EQ(found[2], 0x0401u);
  EXPECT_EQ(found[3], 0x0900090'10a000a01u);
  EXPECT_EQ(found[4], 1u);
  EXPECT_EQ(memory.at(sram, entry + 4), 0xabcdu);
  EXPECT_EQ(memory.at(sram, entry + 8), 0x12345678u);
  EXPECT_EQ(memory.at(sram, entry + 12), 0x9876u);
  EXPECT_EQ(memory.at(sram, entry + 48), 1u);
  EXPECT_EQ(memory.at(sram, entry + 0), 0x01000101u);
  EXPECT_EQ(memory.at(sram, entry + 16), 0x05000501u);
}

TEST_F(ToLlvm, BurstsOfGlobalDataBeginAtTheirWord) {
  lower(std::string(entries) + R"(
func.func @f(%i: i32, %v: i32) -> (i32, i32, i32) {
  %refs = baker.global_ref @t : !baker.ref<!baker.array<10 x !e>>
  %ref = baker.element %refs[%i] : !baker.ref<!baker.array<10 x !e>>
  %w:3 = baker.load_words %ref at 2 : !baker.ref<!e> -> i32, i32, i32
  baker.store_words [%v, %w#0] to %ref at 5 : !baker.ref<!e>
  return %w#0, %w#1, %w#2 : i32, i32, i32
})");
  const uint32_t entry = table + 4 * 13 * 3;
  for (uint32_t word = 0; word < 13; ++word)
    memory.at(sram, entry + 4 * word) = word;
  const Words found = run({3, 77});
  EXPECT_THAT((Words{found.begin(), found.begin() + 3}), ElementsAre(2, 3, 4));
  EXPECT_EQ(memory.at(sram, entry + 16), 4u);
  EXPECT_EQ(memory.at(sram, entry + 20), 77u);
  EXPECT_EQ(memory.at(sram, entry + 24), 2u);
  EXPECT_EQ(memory.at(sram, entry + 28), 7u);
  EXPECT_EQ(memory.loads, 1u);
  EXPECT_EQ(memory.stores, 1u);
}

TEST_F(ToLlvm, EachMemoryHasItsAddressSpace) {
  lower(R"(
baker.global @l : i32 {baker.placement = #baker.placement<local at 64>}
baker.global @d : i32 {baker.placement = #baker.placement<dram at 1048576>}
baker.global @s : i32 {baker.placement = #baker.placement<scratch at 32>}
baker.global @q : i32 {baker.placement = #baker.placement<sram0 at 16>}
func.func @f() -> (i32, i32, i32, i32) {
  %l = baker.global_ref @l : !baker.ref<i32>
  %d = baker.global_ref @d : !baker.ref<i32>
  %s = baker.global_ref @s : !baker.ref<i32>
  %q = baker.global_ref @q : !baker.ref<i32>
  %a = baker.load %l : !baker.ref<i32>
  %b = baker.load %d : !baker.ref<i32>
  %c = baker.load %s : !baker.ref<i32>
  %e = baker.load %q : !baker.ref<i32>
  return %a, %b, %c, %e : i32, i32, i32, i32
})");
  memory.at(local, 64) = 1;
  memory.at(dram, 1048576) = 2;
  memory.at(scratch, 32) = 3;
  memory.at(sram, 16) = 4;
  const Words found = run({});
  EXPECT_THAT((Words{found.begin(), found.begin() + 4}),
              ElementsAre(1, 2, 3, 4));
}

} // namespace
} // namespace karakal::passes
