// The layout of global data, and attributes of decisions.

#include "ir/dialect/Layout.h"
#include "ir/dialect/Attributes.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace karakal;
using mlir::ModuleOp;
using mlir::OwningOpRef;

namespace {
class Layout : public testing::Test {
protected:
  Layout() { context.loadDialect<ir::BakerDialect, mlir::func::FuncDialect>(); }

  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return mlir::parseSourceString<ModuleOp>(text, &context);
  }
  ir::GlobalOp global(ModuleOp module) {
    return *module.getOps<ir::GlobalOp>().begin();
  }

  mlir::MLIRContext context;
};
} // namespace

TEST_F(Layout, ScalarsTakeOneWordOrTwo) {
  auto integer = [&](unsigned width) {
    return mlir::IntegerType::get(&context, width);
  };
  EXPECT_EQ(ir::wordCount(integer(1)), 1u);
  EXPECT_EQ(ir::wordCount(integer(32)), 1u);
  EXPECT_EQ(ir::wordCount(integer(33)), 2u);
  EXPECT_EQ(ir::wordCount(integer(64)), 2u);
}

TEST_F(Layout, FieldsFollowOneAnother) {
  auto module = parse(R"(
    baker.global @g : !baker.array<3 x !baker.struct<"s",
        mac : i48, ports : !baker.array<2 x i8>, used : i1>> init
        [0x123456789abc, 1, 2, -1, 5, 6, 7, 0, -1, 0, 0, 1]
  )");
  ASSERT_TRUE(module);
  auto array = llvm::cast<ir::ArrayType>(global(*module).getType());
  auto record = llvm::cast<ir::StructType>(array.getElementType());
  EXPECT_EQ(ir::elementWordStride(array), 5u);
  EXPECT_EQ(ir::wordCount(array), 15u);
  EXPECT_EQ(ir::scalarCount(array), 12u);
  EXPECT_EQ(ir::fieldWordOffset(record, 0), 0u);
  EXPECT_EQ(ir::fieldWordOffset(record, 1), 2u);
  EXPECT_EQ(ir::fieldWordOffset(record, 2), 4u);
  EXPECT_EQ(*record.fieldIndex("used"), 2u);
  EXPECT_FALSE(record.fieldIndex("other"));
  std::vector<uint32_t> words = ir::initialWords(global(*module));
  // High word first; every scalar cut to its width.
  EXPECT_EQ(words, (std::vector<uint32_t>{0x1234, 0x56789abc, 1, 2, 1, 0, 5, 6,
                                          7, 0, 0xffff, 0xffffffff, 0, 0, 1}));
}

TEST_F(Layout, GlobalsBeginAtZero) {
  auto module = parse("baker.global @g : !baker.array<4 x i64>");
  EXPECT_EQ(ir::initialWords(global(*module)), std::vector<uint32_t>(8));
}

TEST_F(Layout, DecisionsAreReadAsTheyWereSet) {
  auto module = parse(R"(
    baker.global @g : i32
    baker.drop_reason @first
    baker.drop_reason @second
    func.func @f(%ph: !baker.packet<"p">) attributes {baker.kind = #baker.kind<ppf>} {
      baker.packet_drop %ph reason @second : !baker.packet<"p">
      return
    }
  )");
  ASSERT_TRUE(module);
  EXPECT_FALSE(ir::placementOf(global(*module)));
  ir::setPlacement(global(*module), {target::Memory::Sram1, 64});
  EXPECT_EQ(ir::placementOf(global(*module))->memory, target::Memory::Sram1);
  EXPECT_EQ(ir::placementOf(global(*module))->address, 64u);
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_TRUE(ir::isPpf(function));
  EXPECT_FALSE(ir::coreOf(function));
  ir::setCore(function, ir::Core::XScale);
  EXPECT_EQ(ir::coreOf(function), ir::Core::XScale);
  ir::setProfilePackets(function, 1ull << 40);
  EXPECT_EQ(ir::profilePacketsOf(function), 1ull << 40);
  EXPECT_EQ(ir::dropReasonsOf(*module),
            (std::vector<std::string>{"unspecified", "truncated", "no_port",
                                      "first", "second"}));
  module->walk(
      [](ir::PacketDropOp drop) { EXPECT_EQ(ir::dropReasonNumber(drop), 4u); });
  EXPECT_TRUE(mlir::succeeded(module->verify()));
}
