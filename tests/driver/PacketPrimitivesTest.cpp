// runtime/packet.ll on this computer against a bit-by-bit model. The primitives
// access memory in whole words only, so words in the host's byte order can
// stand for the chip's. A buffer and its descriptor are mapped at the addresses
// that a handle stands for.

#include "driver/pipeline/LlvmStage.h"
#include "target-ixp/chip/MemoryMap.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

#include <random>
#include <sys/mman.h>
#include <vector>

using namespace karakal;

namespace {

constexpr uint32_t bufferAddress = 0x40000000;
constexpr uint32_t bufferBytes = 2048;
constexpr uint32_t handle = bufferAddress >> 7;
constexpr uint32_t descriptorAddress = handle * 4;
constexpr uint32_t descriptorWords = 16;
constexpr uint32_t copyHandle = handle + descriptorWords;

struct Chip {
  bool isHalted = false;
  uint32_t dequeued = 0, enqueued = 0, counted = 0, emptyPolls = 0;
} chip;

uint32_t dequeue(uint32_t) {
  if (chip.emptyPolls != 0) {
    --chip.emptyPolls;
    return 0;
  }
  ++chip.dequeued;
  return copyHandle;
}
void enqueue(uint32_t, uint32_t given) { chip.enqueued = given; }
void increment(uint32_t address) { chip.counted = address; }
void swapContext() {}
void halt() { chip.isHalted = true; }
uint32_t noMessage(uint32_t) { return 0; }
void ignore(uint32_t, uint32_t, uint32_t) {}

class PacketPrimitivesTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("test", *context);
    auto created = llvm::orc::LLJITBuilder().create();
    ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
    jit = created->release();
    module->setDataLayout(jit->getDataLayout());
    for (const char *file : {"packet.ll", "unordered.ll"})
      ASSERT_TRUE(bool(driver::linkRuntime(*module, file)));
    define("__ixp_sram_dequeue", reinterpret_cast<void *>(dequeue));
    define("__ixp_sram_enqueue", reinterpret_cast<void *>(enqueue));
    define("__ixp_scratch_incr", reinterpret_cast<void *>(increment));
    define("__ixp_halt", reinterpret_cast<void *>(halt));
    define("__ixp_swap", reinterpret_cast<void *>(swapContext));
    define("__ixp_ring_status", reinterpret_cast<void *>(noMessage));
    define("__ixp_scratch_get", reinterpret_cast<void *>(noMessage));
    define("__ixp_scratch_put2", reinterpret_cast<void *>(ignore));
    define("__ixp_scratch_put", reinterpret_cast<void *>(ignore));
    define("__ixp_loop_entry", reinterpret_cast<void *>(ignore));
    define("__ixp_loop_iteration", reinterpret_cast<void *>(ignore));
    cantFail(jit->addIRModule(
        llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
    map(bufferAddress);
    map(descriptorAddress);
  }

  static void TearDownTestSuite() {
    delete jit;
    jit = nullptr;
  }

  void SetUp() override {
    chip = Chip();
    std::mt19937 random(7);
    for (uint32_t i = 0; i < 2 * bufferBytes / 4; ++i)
      buffer()[i] = random();
    for (uint32_t i = 0; i < 2 * descriptorWords; ++i)
      descriptor()[i] = random();
    setHead(128, 60);
  }

  static void define(const char *name, void *address) {
    cantFail(jit->getMainJITDylib().define(
        llvm::orc::absoluteSymbols({{jit->mangleAndIntern(name),
                                     {llvm::orc::ExecutorAddr::fromPtr(address),
                                      llvm::JITSymbolFlags::Exported |
                                          llvm::JITSymbolFlags::Callable}}})));
  }

  static void map(uint32_t address) {
    auto wanted = reinterpret_cast<void *>(uintptr_t(address));
    void *got = mmap(wanted, 8192, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(got, wanted);
  }

  template <typename F> static F *function(const char *name) {
    return cantFail(jit->lookup(name)).toPtr<F>();
  }

  static uint32_t *buffer() {
    return reinterpret_cast<uint32_t *>(uintptr_t(bufferAddress));
  }
  static uint32_t *descriptor() {
    return reinterpret_cast<uint32_t *>(uintptr_t(descriptorAddress));
  }
  static void setHead(uint32_t head, uint32_t length) {
    descriptor()[1] = head << 16 | length;
  }

  /// The model: reads `bits` bits from bit `at` of the buffer, bit by bit.
  static uint64_t bitsAt(uint32_t at, uint32_t bits) {
    uint64_t value = 0;
    for (uint32_t i = at; i < at + bits; ++i)
      value = value << 1 | (buffer()[i / 32] >> (31 - i % 32) & 1);
    return value;
  }

  static llvm::orc::LLJIT *jit;
};

llvm::orc::LLJIT *PacketPrimitivesTest::jit = nullptr;

using Read = uint64_t(uint32_t, uint32_t, uint32_t);
using Write = void(uint32_t, uint32_t, uint32_t, uint64_t);
using Move = uint32_t(uint32_t, uint32_t);
using Ask = uint32_t(uint32_t);

TEST_F(PacketPrimitivesTest, ReadsAnyFieldAtAnyOffset) {
  auto *read = function<Read>("baker_packet_read");
  for (uint32_t head : {128u, 129u, 142u, 71u}) {
    setHead(head, 60);
    for (uint32_t offset = 0; offset < 130; ++offset)
      for (uint32_t bits = 1; bits <= 64; ++bits)
        ASSERT_EQ(read(handle, offset, bits), bitsAt(head * 8 + offset, bits))
            << "head " << head << " offset " << offset << " bits " << bits;
  }
}

TEST_F(PacketPrimitivesTest, WritesAnyFieldAndNothingElse) {
  auto *write = function<Write>("baker_packet_write");
  std::mt19937_64 random(9);
  setHead(142, 60);
  constexpr uint32_t begin = 142 * 8, window = 320;
  for (uint32_t offset = 0; offset < 130; ++offset)
    for (uint32_t bits = 1; bits <= 64; ++bits) {
      // Bits above the field's width must not matter.
      uint64_t value = random();
      uint32_t at = begin + offset;
      std::vector<uint64_t> expected;
      uint64_t mask = bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
      for (uint32_t i = begin - 64; i < begin + window; ++i)
        expected.push_back(i < at || i >= at + bits
                               ? bitsAt(i, 1)
                               : (value & mask) >> (at + bits - 1 - i) & 1);
      write(handle, offset, bits, value);
      for (uint32_t i = begin - 64; i < begin + window; ++i)
        ASSERT_EQ(bitsAt(i, 1), expected[i - begin + 64])
            << "offset " << offset << " bits " << bits << " bit " << i;
    }
}

TEST_F(PacketPrimitivesTest, DecapAndEncapMoveTheHead) {
  auto *decap = function<Move>("baker_packet_decap");
  auto *encap = function<Move>("baker_packet_encap");
  auto *length = function<Ask>("baker_packet_length");
  EXPECT_EQ(decap(handle, 14), handle);
  EXPECT_EQ(descriptor()[1], (142u << 16) | 46u);
  EXPECT_EQ(length(handle), 46u);
  EXPECT_EQ(encap(handle, 18), handle);
  EXPECT_EQ(descriptor()[1], (124u << 16) | 64u);
  EXPECT_EQ(length(handle), 64u);
}

TEST_F(PacketPrimitivesTest, AHeaderBeforeTheBufferStopsTheContext) {
  auto *encap = function<Move>("baker_packet_encap");
  encap(handle, 128);
  EXPECT_FALSE(chip.isHalted);
  EXPECT_EQ(descriptor()[1], 188u);
  encap(handle, 1);
  EXPECT_TRUE(chip.isHalted);
}

TEST_F(PacketPrimitivesTest, AddTailAppendsZerosAtAnyOffsetAndNothingElse) {
  auto *addTail = function<Move>("baker_packet_add_tail");
  for (uint32_t length = 0; length < 24; ++length)
    for (uint32_t bytes : {0u, 1u, 2u, 7u, 8u, 9u, 31u, 64u}) {
      SetUp();
      setHead(129, length);
      std::vector<uint64_t> before;
      for (uint32_t i = 0; i < 129 + length; ++i)
        before.push_back(bitsAt(8 * i, 8));
      addTail(handle, bytes);
      EXPECT_EQ(descriptor()[1], 129u << 16 | (length + bytes));
      for (uint32_t i = 0; i < 129 + length + bytes; ++i)
        ASSERT_EQ(bitsAt(8 * i, 8), i < before.size() ? before[i] : 0) << i;
    }
}

TEST_F(PacketPrimitivesTest, RemoveTailShortensThePacket) {
  function<Move>("baker_packet_remove_tail")(handle, 59);
  EXPECT_EQ(descriptor()[1], 128u << 16 | 1u);
  EXPECT_EQ(function<Ask>("baker_packet_headroom")(handle), 128u);
}

TEST_F(PacketPrimitivesTest, ACreatedPacketIsZeros) {
  EXPECT_EQ(function<Ask>("baker_packet_create")(77), copyHandle);
  EXPECT_EQ(descriptor()[descriptorWords + 1], 128u << 16 | 77u);
  for (uint32_t i = 2; i < descriptorWords; ++i)
    EXPECT_EQ(descriptor()[descriptorWords + i], 0u) << i;
  for (uint32_t i = 128; i < 128 + 77; ++i)
    ASSERT_EQ(bitsAt(8 * (bufferBytes + i), 8), 0u) << i;
}

TEST_F(PacketPrimitivesTest, PortsShareAWord) {
  descriptor()[2] = 0x03aa0055;
  EXPECT_EQ(function<Ask>("baker_rx_port")(handle), 3u);
  EXPECT_EQ(function<Ask>("baker_tx_port")(handle), 0xaau);
  function<void(uint32_t, uint32_t)>("baker_set_tx_port")(handle, 0x102);
  EXPECT_EQ(descriptor()[2], 0x03020055u);
}

TEST_F(PacketPrimitivesTest, ACopyHasTheSameBytesAndMetadata) {
  setHead(146, 733);
  chip.emptyPolls = 3;
  EXPECT_EQ(function<Ask>("baker_packet_copy")(handle), copyHandle);
  EXPECT_EQ(chip.dequeued, 1u);
  // All but the ticket.
  for (uint32_t i = 1; i < descriptorWords; ++i)
    EXPECT_EQ(descriptor()[i + descriptorWords],
              i == target::DescriptorPorts ? descriptor()[i] & 0xffff0000
                                           : descriptor()[i])
        << i;
  // From the first byte of the received frame, which encap can expose again.
  auto *bytes = reinterpret_cast<uint8_t *>(buffer());
  for (uint32_t i = 128; i + 4 <= 146 + 733; ++i)
    ASSERT_EQ(bytes[bufferBytes + i], bytes[i]) << i;
}

TEST_F(PacketPrimitivesTest, ADropIsCountedUnderItsReason) {
  function<void(uint32_t, uint32_t)>("baker_packet_drop")(handle, 5);
  EXPECT_EQ(chip.counted, 0x3c00u + 20);
  EXPECT_EQ(chip.enqueued, handle);
}

} // namespace
