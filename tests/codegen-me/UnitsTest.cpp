// Tests of intrinsics on the simulator.
//
// Programs in LLVM IR that call the functions of IxpIntrinsics.cpp are compiled
// and run on engine 0 in context 0.

#include "../sim-ixp/OneEngine.h"
#include "sim-ixp/engine/PrepareProgram.h"

#include "codegen-me/CodeGenMe.h"
#include "sim-ixp/memory/Hash.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>

using namespace karakal;
using testing::HasSubstr;
using testing::Not;

namespace {

class Units : public sim::testing::OneEngine {
protected:
  Units() { chip = std::make_unique<sim::Chip>(parameters, observer); }

  /// Compiles the body of me_main and runs it.
  void execute(const std::string &declarations, const std::string &body) {
    llvm::LLVMContext context;
    llvm::SMDiagnostic diagnostic;
    auto module = llvm::parseAssemblyString(
        declarations +
            "declare void @__ixp_halt()\n"
            "define void @me_main() {\n" +
            body + "\ncall void @__ixp_halt()\nunreachable\n}\n",
        diagnostic, context);
    ASSERT_TRUE(module) << diagnostic.getMessage().str();
    auto code = codegen::compileForMe(*module);
    ASSERT_TRUE(bool(code)) << code.error().str();
    text = codegen::printAsm(*code);
    chip->engine(0).load(
        std::make_shared<sim::MicroProgram>(sim::prepareProgram(code->words)));
    chip->engine(0).start(1);
    chip->runTo(chip->scheduler().now() + 100000);
    EXPECT_EQ(observer.fault, "") << text;
    EXPECT_FALSE(chip->engine(0).isAlive()) << text;
  }

  uint32_t scratch(uint32_t byte) {
    return chip->scratch().memory().readWord(byte);
  }
  void setScratch(uint32_t byte, uint32_t value) {
    chip->scratch().memory().writeWord(byte, value);
  }

  std::string text; ///< of the last program
};

TEST_F(Units, AtomicsReturnTheOldWord) {
  setScratch(0x3000, 0x0f);
  chip->sram(0).memory().writeWord(0x4000, 7);
  execute(R"(
declare i32 @__ixp_scratch_test_and_set(i32, i32)
declare i32 @__ixp_scratch_test_and_sub(i32, i32)
declare i32 @__ixp_sram_swap(ptr addrspace(1), i32)
declare i32 @__ixp_sram_test_and_incr(i32)
declare void @__ixp_scratch_clr(i32, i32)
)",
          R"(
    %a = call i32 @__ixp_scratch_test_and_set(i32 12288, i32 240)
    %b = call i32 @__ixp_scratch_test_and_sub(i32 12288, i32 1)
    %q = inttoptr i32 16384 to ptr addrspace(1)
    %c = call i32 @__ixp_sram_swap(ptr addrspace(1) %q, i32 99)
    %d = call i32 @__ixp_sram_test_and_incr(i32 16384)
    call void @__ixp_scratch_clr(i32 12288, i32 14)
    %p = inttoptr i32 12304 to ptr addrspace(3)
    %v0 = insertelement <4 x i32> poison, i32 %a, i32 0
    %v1 = insertelement <4 x i32> %v0, i32 %b, i32 1
    %v2 = insertelement <4 x i32> %v1, i32 %c, i32 2
    %v3 = insertelement <4 x i32> %v2, i32 %d, i32 3
    store <4 x i32> %v3, ptr addrspace(3) %p, align 4)");
  EXPECT_EQ(scratch(0x3010), 0x0fu);
  EXPECT_EQ(scratch(0x3014), 0xffu);
  EXPECT_EQ(scratch(0x3018), 7u);
  EXPECT_EQ(scratch(0x301c), 99u);
  EXPECT_EQ(scratch(0x3000), 0xf0u);
  EXPECT_EQ(chip->sram(0).memory().readWord(0x4000), 100u);
}

TEST_F(Units, TheHashUnitHashesKeysOfEverySize) {
  execute(R"(
declare {i32, i32} @__ixp_hash_48(i32, i32)
declare {i32, i32} @__ixp_hash_64(i32, i32)
declare {i32, i32, i32, i32} @__ixp_hash_128(i32, i32, i32, i32)
)",
          R"(
    %a = call {i32, i32} @__ixp_hash_48(i32 1, i32 2)
    %b = call {i32, i32} @__ixp_hash_64(i32 3, i32 4)
    %c = call {i32, i32, i32, i32} @__ixp_hash_128(i32 1, i32 2, i32 3, i32 4)
    %p = inttoptr i32 12304 to ptr addrspace(3)
    %a0 = extractvalue {i32, i32} %a, 0
    %b1 = extractvalue {i32, i32} %b, 1
    %c0 = extractvalue {i32, i32, i32, i32} %c, 0
    %c3 = extractvalue {i32, i32, i32, i32} %c, 3
    %v0 = insertelement <4 x i32> poison, i32 %a0, i32 0
    %v1 = insertelement <4 x i32> %v0, i32 %b1, i32 1
    %v2 = insertelement <4 x i32> %v1, i32 %c0, i32 2
    %v3 = insertelement <4 x i32> %v2, i32 %c3, i32 3
    store <4 x i32> %v3, ptr addrspace(3) %p, align 4)");
  auto key = [](uint64_t high, uint64_t low) {
    target::HashKey k;
    k.low = low;
    k.high = high;
    return k;
  };
  EXPECT_EQ(scratch(0x3010),
            uint32_t(target::hashKey(key(0, uint64_t{2} << 32 | 1), 48).low));
  EXPECT_EQ(scratch(0x3014),
            target::hashKey(key(0, uint64_t{4} << 32 | 3), 64).low >> 32);
  auto wide =
      target::hashKey(key(uint64_t{4} << 32 | 3, uint64_t{2} << 32 | 1), 128);
  EXPECT_EQ(scratch(0x3018), uint32_t(wide.low));
  EXPECT_EQ(scratch(0x301c), wide.high >> 32);
}

TEST_F(Units, AMaskedWriteKeepsOtherBytes) {
  auto &dram = chip->dram().memory();
  for (uint32_t byte : {0x8000u, 0x8004u, 0x8008u, 0x800cu})
    dram.writeWord(byte, 0x11223344);
  setScratch(0x3000, 0x81);
  execute(R"(
declare void @__ixp_dram_write_masked(ptr addrspace(2), i32, i32, i32)
)",
          R"(
    %p = inttoptr i32 32768 to ptr addrspace(2)
    call void @__ixp_dram_write_masked(ptr addrspace(2) %p, i32 6,
                                       i32 -1431655766, i32 -1431655766)
    %q = inttoptr i32 32776 to ptr addrspace(2)
    %mp = inttoptr i32 12288 to ptr addrspace(3)
    %m = load i32, ptr addrspace(3) %mp
    call void @__ixp_dram_write_masked(ptr addrspace(2) %q, i32 %m,
                                       i32 -1431655766, i32 -1431655766))");
  EXPECT_EQ(dram.readWord(0x8000), 0x11aaaa44u) << text;
  EXPECT_EQ(dram.readWord(0x8004), 0x11223344u);
  EXPECT_EQ(dram.readWord(0x8008), 0xaa223344u);
  EXPECT_EQ(dram.readWord(0x800c), 0x112233aau);
}

TEST_F(Units, AByteOfABurstIsExtractedFromItsWord) {
  auto &dram = chip->dram().memory();
  dram.writeWord(0x8000, 0x11223344);
  dram.writeWord(0x8004, 0x55667788);
  execute("", R"(
    %p = inttoptr i32 32768 to ptr addrspace(2)
    %bytes = load <8 x i8>, ptr addrspace(2) %p, align 8
    %b6 = extractelement <8 x i8> %bytes, i64 6
    %words = load <2 x i32>, ptr addrspace(2) %p, align 8
    %halves = bitcast <2 x i32> %words to <4 x i16>
    %h1 = extractelement <4 x i16> %halves, i64 1
    %x = zext i8 %b6 to i32
    %y = zext i16 %h1 to i32
    %to = inttoptr i32 12288 to ptr addrspace(3)
    %next = inttoptr i32 12292 to ptr addrspace(3)
    store i32 %x, ptr addrspace(3) %to
    store i32 %y, ptr addrspace(3) %next)");
  EXPECT_EQ(scratch(0x3000), 0x77u) << text;
  EXPECT_EQ(scratch(0x3004), 0x3344u);
}

const char *const camDeclarations = R"(
declare i32 @__ixp_cam_lookup(i32)
declare {i32, ptr addrspace(4)} @__ixp_cam_lookup_line(i32)
declare void @__ixp_cam_write(i32, i32, i32)
declare void @__ixp_cam_write_state(i32, i32)
declare i32 @__ixp_cam_read_tag(i32)
declare i32 @__ixp_cam_read_state(i32)
declare void @__ixp_cam_clear()
)";

TEST_F(Units, ACamLookUpFindsAWrittenTag) {
  execute(camDeclarations, R"(
    call void @__ixp_cam_clear()
    call void @__ixp_cam_write(i32 5, i32 77, i32 3)
    %p = inttoptr i32 12288 to ptr addrspace(3)
    %zero = call i32 @__ixp_cam_lookup(i32 1234)
    %entry = lshr i32 %zero, 3
    %low = and i32 %entry, 15
    call void @__ixp_cam_write(i32 %low, i32 1234, i32 1)
    call void @__ixp_cam_write_state(i32 %low, i32 9)
    %a = call i32 @__ixp_cam_lookup(i32 77)
    %b = call i32 @__ixp_cam_lookup(i32 1234)
    %c = call i32 @__ixp_cam_read_tag(i32 5)
    %d = call i32 @__ixp_cam_read_state(i32 %low)
    %v0 = insertelement <4 x i32> poison, i32 %a, i32 0
    %v1 = insertelement <4 x i32> %v0, i32 %b, i32 1
    %v2 = insertelement <4 x i32> %v1, i32 %c, i32 2
    %v3 = insertelement <4 x i32> %v2, i32 %d, i32 3
    store <4 x i32> %v3, ptr addrspace(3) %p, align 4)");
  EXPECT_EQ(scratch(0x3000), 3u << 8 | 1u << 7 | 5u << 3);
  EXPECT_EQ(scratch(0x3004), 9u << 8 | 1u << 7);
  EXPECT_EQ(scratch(0x3008), 77u);
  EXPECT_EQ(scratch(0x300c), 9u << 8);
}

// Another context may have changed the word, so it is loaded again, after the
// wait for the command in between.
TEST_F(Units, LocalMemoryIsReadAgainAfterABarrier) {
  setScratch(0x3000, 5);
  execute("declare void @__ixp_barrier()\n", R"(
    %local = inttoptr i32 8 to ptr addrspace(4)
    %p = inttoptr i32 12288 to ptr addrspace(3)
    %q = inttoptr i32 12292 to ptr addrspace(3)
    store i32 7, ptr addrspace(4) %local
    call void @__ixp_barrier()
    %before = load i32, ptr addrspace(4) %local
    call void @__ixp_barrier()
    %v = load i32, ptr addrspace(3) %p
    call void @__ixp_barrier()
    %now = load i32, ptr addrspace(4) %local
    %same = icmp eq i32 %before, %now
    %kept = select i1 %same, i32 %v, i32 0
    store i32 %kept, ptr addrspace(3) %q)");
  EXPECT_EQ(scratch(0x3004), 5u);
  size_t command = text.find("scratch[read");
  ASSERT_NE(command, std::string::npos) << text;
  EXPECT_NE(text.rfind("*l$index", command), std::string::npos) << text;
  EXPECT_NE(text.find("*l$index", command), std::string::npos) << text;
  EXPECT_LT(text.find("ctx_", command), text.find("*l$index", command)) << text;
}

// On a hit the cache line is read through the pointer that the look-up sets; on
// a miss the same line is filled. Neither computes an address.
TEST_F(Units, ALookUpPointsToTheCacheLineOfItsEntry) {
  setScratch(0x3000, 0x1111);
  setScratch(0x3004, 0x2222);
  execute(camDeclarations, R"(
    call void @__ixp_cam_clear()
    call void @__ixp_cam_write(i32 0, i32 1, i32 0)
    br label %loop
loop:
    %n = phi i32 [0, %0], [%next, %done]
    %l = call {i32, ptr addrspace(4)} @__ixp_cam_lookup_line(i32 500)
    %r = extractvalue {i32, ptr addrspace(4)} %l, 0
    %line = extractvalue {i32, ptr addrspace(4)} %l, 1
    %second = getelementptr i8, ptr addrspace(4) %line, i32 20
    %bit = and i32 %r, 128
    %hit = icmp ne i32 %bit, 0
    br i1 %hit, label %read, label %fill
fill:
    %p = inttoptr i32 12288 to ptr addrspace(3)
    %v = load <2 x i32>, ptr addrspace(3) %p, align 4
    %f0 = extractelement <2 x i32> %v, i32 0
    %f1 = extractelement <2 x i32> %v, i32 1
    store i32 %f0, ptr addrspace(4) %line
    store i32 %f1, ptr addrspace(4) %second
    %shifted = lshr i32 %r, 3
    %entry = and i32 %shifted, 15
    call void @__ixp_cam_write(i32 %entry, i32 500, i32 0)
    br label %done
read:
    %r0 = load i32, ptr addrspace(4) %line
    %r1 = load i32, ptr addrspace(4) %second
    br label %done
done:
    %w0 = phi i32 [%r0, %read], [%f0, %fill]
    %w1 = phi i32 [%r1, %read], [%f1, %fill]
    %o = shl i32 %n, 3
    %at = add i32 %o, 12304
    %q = inttoptr i32 %at to ptr addrspace(3)
    %s0 = insertelement <2 x i32> poison, i32 %w0, i32 0
    %s1 = insertelement <2 x i32> %s0, i32 %w1, i32 1
    store <2 x i32> %s1, ptr addrspace(3) %q, align 4
    %next = add i32 %n, 1
    %more = icmp ult i32 %next, 2
    br i1 %more, label %loop, label %end
end:)");
  for (uint32_t turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(scratch(0x3010 + 8 * turn), 0x1111u);
    EXPECT_EQ(scratch(0x3014 + 8 * turn), 0x2222u);
  }
  EXPECT_THAT(text, HasSubstr("lm_addr1[0]"));
  EXPECT_THAT(text, Not(HasSubstr("ACTIVE_LM_ADDR_1"))) << text;
}

TEST_F(Units, ConstantAddressesReachLocalMemory) {
  execute("", R"(
    %p = inttoptr i32 128 to ptr addrspace(4)
    %q = inttoptr i32 132 to ptr addrspace(4)
    store i32 41, ptr addrspace(4) %p
    store i32 1, ptr addrspace(4) %q
    %a = load volatile i32, ptr addrspace(4) %p
    %b = load volatile i32, ptr addrspace(4) %q
    %s = add i32 %a, %b
    %r = inttoptr i32 12288 to ptr addrspace(3)
    store i32 %s, ptr addrspace(3) %r)");
  EXPECT_EQ(scratch(0x3000), 42u);
  EXPECT_EQ(lm(32), 41u);
  EXPECT_EQ(lm(33), 1u);
}

// Ethernet's CRC of the octets "1234": 0x9be3e0a3, remainder not complemented.
TEST_F(Units, CrcAccumulatesOverWords) {
  execute(R"(
declare void @__ixp_crc_start(i32)
declare void @__ixp_crc(i32, i32)
declare i32 @__ixp_crc_end()
)",
          R"(
    call void @__ixp_crc_start(i32 -1)
    call void @__ixp_crc(i32 144, i32 825373492)
    %r = call i32 @__ixp_crc_end()
    %p = inttoptr i32 12288 to ptr addrspace(3)
    store i32 %r, ptr addrspace(3) %p)");
  uint32_t reversed = 0, remainder = ~scratch(0x3000);
  for (unsigned bit = 0; bit < 32; ++bit)
    reversed |= (remainder >> bit & 1) << (31 - bit);
  EXPECT_EQ(reversed, 0x9be3e0a3u);
}

/// The word of the bytes byte, byte + 1, …
uint32_t wordFrom(uint32_t byte) {
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; ++i)
    word = word << 8 | ((byte + i) & 0xff);
  return word;
}

/// The type of `count` words: i32, or a structure of i32.
std::string wordsType(unsigned count) {
  std::string list = "i32";
  for (unsigned i = 1; i < count; ++i)
    list += ", i32";
  return count == 1 ? list : "{" + list + "}";
}

/// Calls `name` with the arguments `first` and then `given` words loaded from
/// 0x3000 on, and stores its `count` results from 0x3100 on.
std::string callOnWords(const std::string &name, const std::string &first,
                        unsigned given, unsigned count) {
  std::string text, arguments = first;
  auto pointer = [&](const std::string &to, uint32_t address) {
    text += to + " = inttoptr i32 " + std::to_string(address) +
            " to ptr addrspace(3)\n";
  };
  for (unsigned i = 0; i < given; ++i) {
    std::string n = std::to_string(i);
    pointer("%p" + n, 0x3000 + 4 * i);
    text += "%w" + n + " = load i32, ptr addrspace(3) %p" + n + "\n";
    arguments += ", i32 %w" + n;
  }
  text +=
      "%r = call " + wordsType(count) + " @" + name + "(" + arguments + ")\n";
  for (unsigned i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    std::string value = count == 1 ? "%r" : "%v" + n;
    if (count > 1)
      text +=
          value + " = extractvalue " + wordsType(count) + " %r, " + n + "\n";
    pointer("%q" + n, 0x3100 + 4 * i);
    text += "store i32 " + value + ", ptr addrspace(3) %q" + n + "\n";
  }
  return text;
}

/// Declares a function of two words, or a bit and a word, and further words.
std::string declaration(const std::string &name, const std::string &first,
                        unsigned given, unsigned count) {
  std::string parameters = first;
  for (unsigned i = 0; i < given; ++i)
    parameters += ", i32";
  return "declare " + wordsType(count) + " @" + name + "(" + parameters + ")\n";
}

constexpr const char *loadPlace = "%pp = inttoptr i32 12544 to ptr addrspace(3)"
                                  "\n%place = load i32, ptr addrspace(3) %pp\n";

TEST_F(Units, ByteAlignExtractsWordsFromAnyByte) {
  for (uint32_t index = 0; index < 4; ++index) {
    for (uint32_t word = 0; word < 4; ++word)
      setScratch(0x3000 + 4 * word, wordFrom(4 * word));
    setScratch(0x3100, index);
    std::string name = "__ixp_byte_align_be.3";
    execute(declaration(name, "i32", 4, 3),
            loadPlace + callOnWords(name, "i32 %place", 4, 3));
    EXPECT_THAT(text, HasSubstr("byte_align_be[--, "));
    for (uint32_t word = 0; word < 3; ++word)
      EXPECT_EQ(scratch(0x3100 + 4 * word), wordFrom(4 * word + index));
  }
}

TEST_F(Units, ByteAlignExtractsLittleEndianWords) {
  // The bytes of a word begin at its right end.
  for (uint32_t word = 0; word < 3; ++word)
    setScratch(0x3000 + 4 * word, __builtin_bswap32(wordFrom(4 * word)));
  setScratch(0x3100, 3);
  std::string name = "__ixp_byte_align_le.2";
  execute(declaration(name, "i32", 3, 2),
          loadPlace + callOnWords(name, "i32 %place", 3, 2));
  for (uint32_t word = 0; word < 2; ++word)
    EXPECT_EQ(scratch(0x3100 + 4 * word),
              __builtin_bswap32(wordFrom(4 * word + 3)));
}

TEST_F(Units, WordsCanBeginAtAnyByteOfAQuadword) {
  for (unsigned count : {1u, 2u, 9u})
    for (uint32_t place = 0; place < 8; ++place) {
      for (uint32_t word = 0; word < count + 2; ++word)
        setScratch(0x3000 + 4 * word, wordFrom(4 * word));
      setScratch(0x3100, place);
      std::string name = "__ixp_words_from." + std::to_string(count);
      std::string cut = "%byte = and i32 %place, 3\n"
                        "%four = and i32 %place, 4\n"
                        "%second = icmp ne i32 %four, 0\n";
      execute(declaration(name, "i1, i32", count + 2, count),
              loadPlace + cut +
                  callOnWords(name, "i1 %second, i32 %byte", count + 2, count));
      EXPECT_THAT(text, HasSubstr("byte_align_be"));
      for (uint32_t word = 0; word < count; ++word)
        EXPECT_EQ(scratch(0x3100 + 4 * word), wordFrom(4 * word + place))
            << count << " words from byte " << place;
    }
}

TEST_F(Units, TheMaskOfAByteIndexIsDropped) {
  for (uint32_t word = 0; word < 3; ++word)
    setScratch(0x3000 + 4 * word, wordFrom(4 * word));
  setScratch(0x3100, 3);
  std::string name = "__ixp_words_from.1";
  execute(declaration(name, "i1, i32", 3, 1),
          loadPlace + std::string("%byte = and i32 %place, 2\n") +
              callOnWords(name, "i1 false, i32 %byte", 3, 1));
  EXPECT_EQ(scratch(0x3100), wordFrom(2));
}

TEST_F(Units, WordsCanBeWrittenAtAnyByteOfAQuadword) {
  for (unsigned count : {1u, 3u, 9u})
    for (uint32_t place = 0; place < 8; ++place) {
      for (uint32_t word = 0; word < count; ++word)
        setScratch(0x3000 + 4 * word, wordFrom(0x40 + 4 * word));
      setScratch(0x3100, place);
      std::string name = "__ixp_words_into." + std::to_string(count);
      std::string cut = "%byte = and i32 %place, 3\n"
                        "%four = and i32 %place, 4\n"
                        "%second = icmp ne i32 %four, 0\n";
      execute(declaration(name, "i1, i32", count, count + 2),
              loadPlace + cut +
                  callOnWords(name, "i1 %second, i32 %byte", count, count + 2));
      EXPECT_THAT(text, HasSubstr("byte_align_le"));
      for (uint32_t byte = 0; byte < 4 * (count + 2); ++byte) {
        bool isInside = byte >= place && byte < place + 4 * count;
        uint32_t word = scratch(0x3100 + (byte & ~3u));
        EXPECT_EQ(word >> (24 - 8 * (byte & 3)) & 0xff,
                  isInside ? 0x40 + byte - place : 0)
            << count << " words at byte " << place << ", byte " << byte;
      }
    }
}

TEST_F(Units, WordsAtAConstantByteNeedNoByteAlign) {
  for (uint32_t byte : {0u, 1u, 2u, 3u}) {
    for (uint32_t word = 0; word < 4; ++word)
      setScratch(0x3000 + 4 * word, wordFrom(4 * word));
    std::string name = "__ixp_words_from.2";
    execute(declaration(name, "i1, i32", 4, 2),
            callOnWords(name, "i1 true, i32 " + std::to_string(byte), 4, 2));
    EXPECT_THAT(text, Not(HasSubstr("byte_align")));
    EXPECT_EQ(scratch(0x3100), wordFrom(4 + byte));
    EXPECT_EQ(scratch(0x3104), wordFrom(8 + byte));
    setScratch(0x3000, 0x41424344);
    name = "__ixp_words_into.1";
    execute(declaration(name, "i1, i32", 1, 3),
            callOnWords(name, "i1 false, i32 " + std::to_string(byte), 1, 3));
    EXPECT_THAT(text, Not(HasSubstr("byte_align")));
    uint64_t both = uint64_t(scratch(0x3100)) << 32 | scratch(0x3104);
    EXPECT_EQ(both, uint64_t(0x41424344) << (32 - 8 * byte));
    EXPECT_EQ(scratch(0x3108), 0u);
  }
}

} // namespace
