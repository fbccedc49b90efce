// Tests of the back end: LLVM IR in, words out, run on TinyEngine.

#include "CompileText.h"
#include "TinyEngine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace karakal;
using namespace karakal::tests;
using testing::HasSubstr;

namespace {

std::string errorOf(const std::string &text,
                    codegen::CodeGenOptions options = {}) {
  auto code = compile(text, options);
  return code ? "" : code.error().id;
}

/// Compiles the body of me_main, runs it and returns the engine.
TinyEngine execute(const std::string &body, const std::string &more = "",
                   std::function<void(TinyEngine &)> prepare = {}) {
  auto code = compile(more +
                      "declare void @__ixp_halt()\n"
                      "define void @me_main() {\n" +
                      body + "\ncall void @__ixp_halt()\nunreachable\n}\n");
  EXPECT_TRUE(bool(code)) << (code ? "" : code.error().str());
  TinyEngine engine(code ? code->words : std::vector<uint64_t>{});
  if (prepare)
    prepare(engine);
  EXPECT_EQ(engine.run(100000), "");
  return engine;
}

TEST(Memory, DoubleWordsAreBigEndian) {
  TinyEngine e = execute(R"(
    %p = inttoptr i32 64 to ptr addrspace(1)
    %v = load i64, ptr addrspace(1) %p, align 4
    %w = add i64 %v, 1
    %q = inttoptr i32 128 to ptr addrspace(2)
    store i64 %w, ptr addrspace(2) %q, align 8)",
                         "", [](TinyEngine &e) {
                           e.sram[16] = 0x12345678;
                           e.sram[17] = 0xffffffff;
                         });
  EXPECT_EQ(e.dram[32], 0x12345679u);
  EXPECT_EQ(e.dram[33], 0u);
}

TEST(Memory, AStoreOfHalfADramPairKeepsTheOtherHalf) {
  TinyEngine e = execute(R"(
    %q = inttoptr i32 132 to ptr addrspace(2)
    %v = load i32, ptr addrspace(2) %q, align 4
    %w = add i32 %v, 1
    %r = inttoptr i32 136 to ptr addrspace(2)
    store i32 %w, ptr addrspace(2) %r, align 4)",
                         "", [](TinyEngine &e) {
                           e.dram[32] = 1;
                           e.dram[33] = 41;
                           e.dram[34] = 7;
                           e.dram[35] = 9;
                         });
  EXPECT_EQ(e.dram[34], 42u);
  EXPECT_EQ(e.dram[35], 9u);
}

TEST(Memory, BytesAndHalfwordsAreExtractedFromTheirWord) {
  TinyEngine e = execute(R"(
    %p = inttoptr i32 65 to ptr addrspace(3)
    %v = load i8, ptr addrspace(3) %p, align 1
    %w = zext i8 %v to i16
    %q = inttoptr i32 70 to ptr addrspace(3)
    store i16 %w, ptr addrspace(3) %q, align 2)",
                         "", [](TinyEngine &e) {
                           e.scratch[16] = 0x11223344;
                           e.scratch[17] = 0xaabbccdd;
                         });
  EXPECT_EQ(e.scratch[17], 0xaabb0022u);
}

TEST(Memory, BitsOfALongBurstAreExtractedFromTheirWords) {
  TinyEngine e = execute(R"(
    %p = inttoptr i32 64 to ptr addrspace(1)
    %v = load <7 x i32>, ptr addrspace(1) %p, align 4
    %bits = bitcast <7 x i32> %v to <224 x i1>
    %a = extractelement <224 x i1> %bits, i64 2
    %b = extractelement <224 x i1> %bits, i64 223
    %wa = zext i1 %a to i32
    %wb = zext i1 %b to i32
    %double = shl i32 %wb, 1
    %both = or i32 %wa, %double
    %q = inttoptr i32 128 to ptr addrspace(1)
    store i32 %both, ptr addrspace(1) %q, align 4)",
                         "", [](TinyEngine &e) {
                           e.sram[16] = 0x20000000;
                           e.sram[22] = 0xfffffffe;
                         });
  EXPECT_EQ(e.sram[32], 1u);
}

TEST(Memory, ByteVectorsCanMeetInAPhi) {
  TinyEngine e = execute(R"(
    %p = inttoptr i32 64 to ptr addrspace(2)
    %q = inttoptr i32 80 to ptr addrspace(2)
    %v = load <8 x i8>, ptr addrspace(2) %p, align 8
    %first = extractelement <8 x i8> %v, i64 0
    %isSmall = icmp ult i8 %first, 5
    br i1 %isSmall, label %other, label %end
  other:
    %w = load <8 x i8>, ptr addrspace(2) %q, align 8
    br label %end
  end:
    %m = phi <8 x i8> [ %v, %0 ], [ %w, %other ]
    %byte = extractelement <8 x i8> %m, i64 6
    %word = zext i8 %byte to i32
    %r = inttoptr i32 128 to ptr addrspace(1)
    store i32 %word, ptr addrspace(1) %r, align 4)",
                         "", [](TinyEngine &e) {
                           e.dram[16] = 0x01000000;
                           e.dram[21] = 0x0000ab00;
                         });
  EXPECT_EQ(e.sram[32], 0xabu);
}

/// Reads two pairs of words of DRAM, executes `between`, and writes them back
/// with the last word incremented.
std::string raiseLast(const std::string &between) {
  return R"(
    %p = inttoptr i32 64 to ptr addrspace(2)
    %q = inttoptr i32 128 to ptr addrspace(2)
    %v = load <4 x i32>, ptr addrspace(2) %p, align 8
    %d = extractelement <4 x i32> %v, i64 3
    %e = add i32 %d, 1
    )" + between +
         R"(
    %w = insertelement <4 x i32> %v, i32 %e, i64 3
    store <4 x i32> %w, ptr addrspace(2) %p, align 8)";
}

TEST(Bursts, AStoreWritesOnlyChangedPairs) {
  TinyEngine e = execute(raiseLast(""), "", [](TinyEngine &e) {
    e.dram[16] = 10;
    e.dram[19] = 40;
  });
  EXPECT_EQ(e.dram[16], 10u);
  EXPECT_EQ(e.dram[19], 41u);
  auto code =
      compile("define void @me_main() {" + raiseLast("") + " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  // DRAM moves whole pairs.
  EXPECT_THAT(text, testing::ContainsRegex("dram\\[read, [^]]*, 1\\]"));
  EXPECT_THAT(text, testing::ContainsRegex("dram\\[write, [^]]*, 1\\]"));
}

TEST(Bursts, AMarkOfAPathWritesNoPacket) {
  auto code = compile(
      "declare void @__ixp_path_channel(i32) memory(inaccessiblemem: "
      "readwrite)\n"
      "define void @me_main() {" +
      raiseLast("call void @__ixp_path_channel(i32 2)\n") + " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  EXPECT_THAT(codegen::printAsm(*code),
              testing::ContainsRegex("dram\\[write, [^]]*, 1\\]"));
}

TEST(Bursts, AStoreThatMayOverlapKeepsTheBurstWhole) {
  TinyEngine e =
      execute(raiseLast("%pair = shufflevector <4 x i32> %v, <4 x i32> poison, "
                        "<2 x i32> <i32 2, i32 3>\n"
                        "store <2 x i32> %pair, ptr addrspace(2) %p, align 8"),
              "", [](TinyEngine &e) {
                e.dram[16] = 10;
                e.dram[17] = 20;
                e.dram[18] = 30;
                e.dram[19] = 40;
              });
  EXPECT_EQ(e.dram[16], 10u);
  EXPECT_EQ(e.dram[17], 20u);
  EXPECT_EQ(e.dram[18], 30u);
  EXPECT_EQ(e.dram[19], 41u);
}

unsigned countOf(const std::string &text, const std::string &part) {
  unsigned count = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++count;
  return count;
}

/// Adds the halves of three words and folds the sum twice.
const char *Checksum = R"(
    %p = inttoptr i32 64 to ptr addrspace(1)
    %v = load <3 x i32>, ptr addrspace(1) %p, align 4
    %a = extractelement <3 x i32> %v, i64 0
    %b = extractelement <3 x i32> %v, i64 1
    %c = extractelement <3 x i32> %v, i64 2
    %ah = lshr i32 %a, 16
    %al = and i32 %a, 65535
    %bh = lshr i32 %b, 16
    %bl = and i32 %b, 65535
    %ch = lshr i32 %c, 16
    %cl = and i32 %c, 65535
    %s1 = add nuw i32 %ah, %al
    %s2 = add nuw i32 %s1, %bh
    %s3 = add nuw i32 %s2, %bl
    %s4 = add nuw i32 %s3, %ch
    %s5 = add nuw i32 %s4, %cl
    %f1 = lshr i32 %s5, 16
    %f2 = and i32 %s5, 65535
    %f = add nuw i32 %f1, %f2
    %g1 = lshr i32 %f, 16
    %g2 = and i32 %f, 65535
    %g = add nuw i32 %g1, %g2
    %q = inttoptr i32 128 to ptr addrspace(1)
    store i32 %g, ptr addrspace(1) %q, align 4)";

TEST(Checksum, AddsWholeWordsWithCarries) {
  const uint32_t words[][3] = {{0, 0, 0},
                               {0xffff0000, 0, 0},
                               {0xffffffff, 0xffffffff, 0xffffffff},
                               {0xffffffff, 1, 0},
                               {0x80000000, 0x80000000, 0},
                               {0xfffffffe, 1, 0xffff0001},
                               {0x45000054, 0x1234c000, 0x40011234}};
  for (auto [a, b, c] : words) {
    uint32_t sum = 0;
    for (uint32_t word : {a, b, c})
      sum += (word >> 16) + (word & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    sum = (sum >> 16) + (sum & 0xffff);
    TinyEngine e = execute(Checksum, "", [&](TinyEngine &e) {
      e.sram[16] = a;
      e.sram[17] = b;
      e.sram[18] = c;
    });
    EXPECT_EQ(e.sram[32], sum) << std::hex << a << " " << b << " " << c;
  }
}

TEST(Checksum, TakesOneInstructionPerWord) {
  auto code = compile("define void @me_main() {" + std::string(Checksum) +
                      " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  unsigned carries = countOf(text, "+carry");
  // One after each word except the first; the last one adds the last carry.
  EXPECT_EQ(carries, 2u) << text;
}

TEST(Checksum, FoldsByOneRotation) {
  auto code = compile("define void @me_main() {" + std::string(Checksum) +
                      " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  EXPECT_THAT(text, HasSubstr("rot16]"));
  EXPECT_THAT(text, testing::Not(HasSubstr("+16"))) << text;
}

/// What `body` writes about a checksum over this word and two of 0.
uint32_t isRight(const std::string &body, uint32_t word) {
  TinyEngine e = execute(body, "", [=](TinyEngine &e) { e.sram[16] = word; });
  return e.sram[32];
}

TEST(Checksum, ARightOneIsKnownWithoutAShift) {
  std::string body = Checksum;
  body.replace(body.find("store"), std::string::npos, R"(
    %good = icmp eq i32 %g, 65535
    br i1 %good, label %yes, label %no
  yes:
    store i32 1, ptr addrspace(1) %q, align 4
    br label %no
  no:)");
  const uint32_t right[] = {0xfffe0001, 0xffffffff, 0x0001fffe, 0xffff0000};
  const uint32_t wrong[] = {0xfffe0000, 0xffff0001, 0};
  for (uint32_t word : right)
    EXPECT_EQ(isRight(body, word), 1u) << std::hex << word;
  for (uint32_t word : wrong)
    EXPECT_EQ(isRight(body, word), 0u) << std::hex << word;
  auto code = compile("define void @me_main() {" + body + " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  EXPECT_THAT(codegen::printAsm(*code), testing::Not(HasSubstr(">>16")));
}

TEST(Checksum, ASmallConstantIsAddedToAnUpperHalf) {
  const char *const body = R"(
    %p = inttoptr i32 64 to ptr addrspace(1)
    %w = load i32, ptr addrspace(1) %p, align 4
    %h = lshr i32 %w, 16
    %l = and i32 %w, 65535
    %d = mul nuw i32 %h, 65537
    %s = add i32 %d, 16777472
    %u = and i32 %s, -65536
    %r = or disjoint i32 %u, %l
    %q = inttoptr i32 128 to ptr addrspace(1)
    store i32 %r, ptr addrspace(1) %q, align 4)";
  for (uint32_t word :
       {0u, 0x12345678u, 0xfeffffffu, 0xff00ffffu, 0xffffffffu, 0xff010000u}) {
    uint32_t sum = (word >> 16) + 0x100;
    sum = (sum & 0xffff) + (sum >> 16);
    TinyEngine e = execute(body, "", [&](TinyEngine &e) { e.sram[16] = word; });
    EXPECT_EQ(e.sram[32], sum << 16 | (word & 0xffff)) << std::hex << word;
  }
  auto code =
      compile("define void @me_main() {" + std::string(body) + " ret void}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  // The branch tests the carry of the addition; there is no compare.
  std::string text = codegen::printAsm(*code);
  EXPECT_THAT(text, HasSubstr("bcs["));
  EXPECT_THAT(text, testing::Not(HasSubstr("alu[--")));
}

/// Reads words %a to %d from SRAM, executes `body` and stores its result %r.
std::string onFourWords(const std::string &body) {
  return R"(
    %p = inttoptr i32 64 to ptr addrspace(1)
    %v = load <4 x i32>, ptr addrspace(1) %p, align 4
    %a = extractelement <4 x i32> %v, i64 0
    %b = extractelement <4 x i32> %v, i64 1
    %c = extractelement <4 x i32> %v, i64 2
    %d = extractelement <4 x i32> %v, i64 3
    )" + body +
         R"(
    %q = inttoptr i32 128 to ptr addrspace(1)
    store i32 %r, ptr addrspace(1) %q, align 4)";
}

void setFourWords(TinyEngine &e) {
  e.sram[16] = 0x01234567;
  e.sram[17] = 0x89abcdef;
  e.sram[18] = 0xf00dfeed;
  e.sram[19] = 0x13579bdf;
}

std::string assemblyOf(const std::string &body, const std::string &more = "") {
  auto code = compile(more + "define void @me_main() {" + body + " ret void}");
  return code ? codegen::printAsm(*code) : code.error().str();
}

const char *const Funnel = "declare i32 @llvm.fshl.i32(i32, i32, i32)\n";

TEST(Fields, OfNeighbouringWordsAreCombinedBeforeTheyAreAligned) {
  const std::string body = onFourWords(R"(
    %x = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 16)
    %y = call i32 @llvm.fshl.i32(i32 %b, i32 %c, i32 16)
    %z = call i32 @llvm.fshl.i32(i32 %c, i32 %d, i32 16)
    %xy = xor i32 %x, %y
    %one = xor i32 %xy, 77
    %r = xor i32 %one, %z)");
  TinyEngine e = execute(body, Funnel, setFourWords);
  EXPECT_EQ(e.sram[32], (0x456789abu ^ 0xcdeff00du ^ 0xfeed1357u ^ 77u));
  const std::string text = assemblyOf(body, Funnel);
  EXPECT_EQ(countOf(text, "dbl_shf"), 1u) << text;
  EXPECT_EQ(countOf(text, "XOR"), 4u) << text;
}

TEST(Fields, ALowPartIsAddedWithoutAMask) {
  const std::string body = onFourWords(R"(
    %low = and i32 %a, 65535
    %r = or i32 %low, 289406976)");
  TinyEngine e = execute(body, "", setFourWords);
  EXPECT_EQ(e.sram[32], 0x11404567u);
  EXPECT_THAT(assemblyOf(body), HasSubstr("+16"));
  // A bit that is 1 in both would be added twice.
  EXPECT_THAT(assemblyOf(onFourWords(R"(
    %low = and i32 %a, 65535
    %r = or i32 %low, 289406977)")),
              testing::Not(HasSubstr("+16")));
}

TEST(Fields, AMaskIsWidenedOverBitsThatABranchHasFoundToBe0) {
  const std::string body = R"(
    %x = and i32 %a, 65280
    %is = icmp eq i32 %x, 17664
    br i1 %is, label %yes, label %no
  yes:
    %low = and i32 %a, 17919
    %sum = add i32 %low, %b
    br label %no
  no:
    %r = phi i32 [ %sum, %yes ], [ 3, %0 ])";
  for (uint32_t word : {0x12344567u, 0x12340567u}) {
    TinyEngine e = execute(onFourWords(body), "", [=](TinyEngine &e) {
      e.sram[16] = word;
      e.sram[17] = 1;
    });
    EXPECT_EQ(e.sram[32], word == 0x12344567 ? 0x4568u : 3u);
  }
  EXPECT_THAT(assemblyOf(onFourWords(body)), HasSubstr("+16"));
}

TEST(Fields, AnUpperOneIsComparedInPlace) {
  const std::string text = assemblyOf(onFourWords(R"(
    %small = icmp ult i32 %a, 1310720
    br i1 %small, label %yes, label %no
  yes:
    br label %no
  no:
    %r = phi i32 [ 1, %yes ], [ %b, %0 ])"));
  EXPECT_EQ(countOf(text, ">>"), 0u) << text;
}

TEST(Memory, ABurstIsOneCommand) {
  auto code = compile(R"(
    define void @me_main() {
      %p = inttoptr i32 4096 to ptr addrspace(1)
      %q = inttoptr i32 8192 to ptr addrspace(1)
      %v = load <8 x i32>, ptr addrspace(1) %p, align 4
      store <8 x i32> %v, ptr addrspace(1) %q, align 4
      ret void
    })");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  EXPECT_THAT(text, HasSubstr(", 8], ctx_swap"));
}

TEST(Memory, ReadsStartEarlyWhileRegistersSuffice) {
  // The first sum needs each word at once, the second all of them at the end.
  std::string body, second;
  for (unsigned i = 0; i < 20; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    body += "%p" + n + " = inttoptr i32 " + std::to_string(64 * (i + 64)) +
            " to ptr addrspace(1)\n%v" + n +
            " = load i32, ptr addrspace(1) %p" + n + "\n%s" + next +
            " = add i32 " + (i ? "%s" + n : "0") + ", %v" + n + "\n";
    second += "%x" + next + " = xor i32 " + (i ? "%x" + n : "%s20") + ", %v" +
              n + "\n";
  }
  body += second + "store i32 %x20, ptr addrspace(1) %p0\n";
  auto code = compile("define void @me_main() {\n" + body + "ret void\n}");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  // Twelve words fit in flight; each other read waits for itself.
  EXPECT_EQ(llvm::StringRef(text).count("sig_done["), 12u);
}

TEST(Machine, IntrinsicsUseTheirUnits) {
  TinyEngine e = execute(R"(
    %g = call i32 @__ixp_scratch_get(i32 2)
    %e = call i32 @__ixp_scratch_get(i32 3)
    %s = add i32 %g, %e
    %c = call i32 @__ixp_ctx()
    %t = add i32 %s, %c
    call void @__ixp_scratch_put(i32 11, i32 %t)
    %st = call i32 @__ixp_ring_status(i32 5)
    call void @__ixp_scratch_add(i32 256, i32 %st)
    call void @__ixp_scratch_incr(i32 260)
    call void @__ixp_sram_add(i32 512, i32 %t)
    call void @__ixp_sram_incr(i32 512)
    %h = call i32 @__ixp_sram_dequeue(i32 0)
    call void @__ixp_sram_enqueue(i32 16777216, i32 %h)
    call void @__ixp_swap()
    call void @__ixp_local_csr_wr(i32 120, i32 %h))",
                         R"(
declare i32 @__ixp_scratch_get(i32)
declare void @__ixp_scratch_put(i32, i32)
declare i32 @__ixp_ring_status(i32)
declare i32 @__ixp_ctx()
declare void @__ixp_swap()
declare void @__ixp_scratch_add(i32, i32)
declare void @__ixp_scratch_incr(i32)
declare void @__ixp_sram_add(i32, i32)
declare void @__ixp_sram_incr(i32)
declare i32 @__ixp_sram_dequeue(i32)
declare void @__ixp_sram_enqueue(i32, i32)
declare void @__ixp_local_csr_wr(i32, i32)
)",
                         [](TinyEngine &e) {
                           e.rings[2].push_back(1000);
                           e.inputStates[2 + 5] = true;
                           e.queues[0].push_back(0x4010);
                         });
  EXPECT_EQ(e.rings[11].front(), 1003u);
  EXPECT_EQ(e.scratch[64], 1u);
  EXPECT_EQ(e.scratch[65], 1u);
  EXPECT_EQ(e.sram[128], 1004u);
  EXPECT_EQ(e.queues[1].front(), 0x4010u);
  EXPECT_EQ(e.csrs[120], 0x4010u);
}

TEST(Machine, ASleepWaitsForTheTimer) {
  auto code = compile(R"(
    declare void @__ixp_sleep(i32)
    define void @me_main() {
      call void @__ixp_sleep(i32 32)
      ret void
    })");
  ASSERT_TRUE(bool(code)) << code.error().str();
  std::string text = codegen::printAsm(*code);
  EXPECT_THAT(text, HasSubstr("local_csr_rd[TIMESTAMP_LOW"));
  EXPECT_THAT(text, HasSubstr("local_csr_wr[ACTIVE_FUTURE_COUNT_SIGNAL"));
  EXPECT_THAT(text, HasSubstr("local_csr_wr[ACTIVE_CTX_FUTURE_COUNT"));
  EXPECT_THAT(text, HasSubstr("ctx_arb[s15]"));
}

TEST(Errors, UnsupportedOperationsAreRejected) {
  EXPECT_EQ(errorOf("define void @other() { ret void }"), "E-codegen-me-001");
  EXPECT_EQ(errorOf("define void @me_main() {\n call void @f()\n ret void }\n"
                    "declare void @f()"),
            "E-codegen-me-004");
  EXPECT_EQ(errorOf("define void @me_main() {\n call void @me_main()\n"
                    "ret void }"),
            "E-codegen-me-006");
  EXPECT_EQ(errorOf("@g = global i32 0\ndefine void @me_main() {\n"
                    "store i32 1, ptr @g\n ret void }"),
            "E-codegen-me-009");
  EXPECT_EQ(errorOf("define void @me_main() {\n"
                    "%p = inttoptr i32 64 to ptr addrspace(1)\n"
                    "store float 1.0, ptr addrspace(1) %p\n ret void }"),
            "E-codegen-me-005");
  EXPECT_EQ(errorOf("define void @me_main() {\n"
                    "%p = inttoptr i32 64 to ptr addrspace(1)\n"
                    "store i24 1, ptr addrspace(1) %p\n ret void }"),
            "E-codegen-me-010");
  EXPECT_EQ(errorOf("define void @me_main() {\n"
                    "%a = alloca [100 x i32]\n"
                    "%c = call i32 @__ixp_ctx()\n"
                    "%p = getelementptr i32, ptr %a, i32 %c\n"
                    "store volatile i32 1, ptr %p\n ret void }\n"
                    "declare i32 @__ixp_ctx()"),
            "E-codegen-me-021");
}

TEST(Errors, AProgramThatDoesNotFitListsItsFunctions) {
  codegen::CodeGenOptions options;
  options.chip.meControlStore = 3;
  auto code = compile("define void @me_main() {\n"
                      "%p = inttoptr i32 64 to ptr addrspace(1)\n"
                      "%v = load i32, ptr addrspace(1) %p\n"
                      "%w = mul i32 %v, %v\n"
                      "store i32 %w, ptr addrspace(1) %p\n ret void }",
                      options);
  ASSERT_FALSE(bool(code));
  EXPECT_EQ(code.error().id, "E-codegen-me-020");
  EXPECT_THAT(code.error().message, HasSubstr("me_main"));
}

TEST(Errors, AProgramThatDoesNotFitListsSourceFunctions) {
  codegen::CodeGenOptions options;
  options.chip.meControlStore = 3;
  options.sources = {{"a.baker", "m.first", 3}, {"a.baker", "m.second", 10}};
  auto code = compile(R"(
    define void @me_main() !dbg !3 {
      %p = inttoptr i32 64 to ptr addrspace(1), !dbg !4
      %v = load i32, ptr addrspace(1) %p, !dbg !4
      %w = mul i32 %v, %v, !dbg !5
      store i32 %w, ptr addrspace(1) %p, !dbg !4
      ret void
    }
    !llvm.module.flags = !{!0}
    !llvm.dbg.cu = !{!1}
    !0 = !{i32 2, !"Debug Info Version", i32 3}
    !1 = distinct !DICompileUnit(language: DW_LANG_C, file: !2,
                                 emissionKind: LineTablesOnly)
    !2 = !DIFile(filename: "a.baker", directory: "")
    !3 = distinct !DISubprogram(name: "me_main", file: !2, unit: !1,
                                spFlags: DISPFlagDefinition)
    !4 = !DILocation(line: 5, scope: !3)
    !5 = !DILocation(line: 12, scope: !3))",
                      options);
  ASSERT_FALSE(bool(code));
  EXPECT_THAT(code.error().message,
              HasSubstr("too many; largest: m.second 7, m.first 5, me_main 1"));
}

TEST(Result, IsDeterministic) {
  const char *text = "define void @me_main() {\n"
                     "%p = inttoptr i32 64 to ptr addrspace(1)\n"
                     "%v = load <4 x i32>, ptr addrspace(1) %p\n"
                     "%w = mul <4 x i32> %v, %v\n"
                     "store <4 x i32> %w, ptr addrspace(1) %p\n ret void }";
  auto first = compile(text), second = compile(text);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->words, second->words);
}

} // namespace
