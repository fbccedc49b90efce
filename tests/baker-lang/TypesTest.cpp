// Types and constant arithmetic.
//
// Compares constant arithmetic, which defines the language's arithmetic, with
// 128-bit arithmetic at the corners of several widths.

#include "baker-lang/tree/Types.h"

#include "gtest/gtest.h"

#include <vector>

using namespace karakal::lang;

namespace {
using Wide = __int128;

Wide valueOf(uint64_t bits, const Type *type) {
  return type->isSigned ? Wide(int64_t(bits)) : Wide(bits);
}

std::vector<uint64_t> corners(const Type *type) {
  std::vector<uint64_t> values;
  for (uint64_t bits :
       {uint64_t(0), uint64_t(1), uint64_t(2), uint64_t(7), uint64_t(31),
        uint64_t(64), ~uint64_t(0), uint64_t(1) << (type->width - 1),
        (uint64_t(1) << (type->width - 1)) - 1, uint64_t(0x123456789abcdef)})
    values.push_back(canonical(bits, type));
  return values;
}
} // namespace

TEST(Types, EqualTypesAreOneObject) {
  TypeTable types;
  EXPECT_EQ(types.integer(48, false), types.integer(48, false));
  EXPECT_NE(types.integer(48, false), types.integer(48, true));
  EXPECT_EQ(types.array(types.boolType(), 3), types.array(types.boolType(), 3));
  EXPECT_EQ(types.array(types.array(types.intType(), 3), 2)->str(),
            "s32[2][3]");
}

TEST(Types, NarrowOperandsAreIntAndTheWiderTypeWins) {
  TypeTable types;
  auto u = [&](unsigned width) { return types.integer(width, false); };
  auto s = [&](unsigned width) { return types.integer(width, true); };
  EXPECT_EQ(types.promoted(u(8)), s(32));
  EXPECT_EQ(types.promoted(types.boolType()), s(32));
  EXPECT_EQ(types.promoted(u(33)), u(33));
  EXPECT_EQ(types.common(u(8), u(16)), s(32));
  EXPECT_EQ(types.common(u(32), s(32)), u(32));
  EXPECT_EQ(types.common(u(48), s(64)), s(64));
  EXPECT_EQ(types.common(s(48), u(48)), u(48));
  EXPECT_EQ(types.literal(0x7fffffff), s(32));
  EXPECT_EQ(types.literal(0x80000000), u(32));
  EXPECT_EQ(types.literal(0x100000000), s(64));
  EXPECT_EQ(types.literal(UINT64_MAX), u(64));
  EXPECT_EQ(types.negativeLiteral(0x80000000), s(32));
  EXPECT_EQ(types.negativeLiteral(0x80000001), s(64));
  EXPECT_EQ(types.negativeLiteral(0x8000000000000000), s(64));
  EXPECT_EQ(types.negativeLiteral(0x8000000000000001), u(64));
}

TEST(Types, ArithmeticAgreesWith128BitArithmetic) {
  TypeTable types;
  for (unsigned width : {32u, 33u, 48u, 63u, 64u})
    for (bool isSigned : {false, true}) {
      const Type *type = types.integer(width, isSigned);
      for (uint64_t a : corners(type))
        for (uint64_t b : corners(type)) {
          Wide x = valueOf(a, type), y = valueOf(b, type);
          auto check = [&](BinaryOp op, Wide expected) {
            EXPECT_EQ(evaluateBinary(op, a, b, type, type),
                      canonical(uint64_t(expected), type))
                << spelling(op) << ' ' << type->str() << ' ' << a << ' ' << b;
          };
          check(BinaryOp::Add, x + y);
          check(BinaryOp::Subtract, x - y);
          check(BinaryOp::Multiply, Wide(a * b));
          check(BinaryOp::And, x & y);
          check(BinaryOp::Or, x | y);
          check(BinaryOp::Xor, x ^ y);
          check(BinaryOp::Divide, y == 0 ? Wide(-1) : x / y);
          check(BinaryOp::Remainder, y == 0 ? x : x % y);
          EXPECT_EQ(evaluateBinary(BinaryOp::Less, a, b, type, type), x < y);
          EXPECT_EQ(evaluateBinary(BinaryOp::GreaterEqual, a, b, type, type),
                    x >= y);
          EXPECT_EQ(evaluateBinary(BinaryOp::Equal, a, b, type, type), x == y);
        }
    }
}

TEST(Types, ShiftsOutGiveZeroOrSign) {
  TypeTable types;
  const Type *u48 = types.integer(48, false), *s48 = types.integer(48, true);
  const Type *u32 = types.integer(32, false), *s32 = types.intType();
  EXPECT_EQ(evaluateBinary(BinaryOp::ShiftLeft, 1, 47, u48, u32), uint64_t(1)
                                                                      << 47);
  EXPECT_EQ(evaluateBinary(BinaryOp::ShiftLeft, 1, 48, u48, u32), 0u);
  EXPECT_EQ(
      evaluateBinary(BinaryOp::ShiftRight, canonical(~0ull, s48), 99, s48, u32),
      ~uint64_t(0));
  // A negative amount is a large unsigned one.
  EXPECT_EQ(evaluateBinary(BinaryOp::ShiftLeft, 1, ~uint64_t(0), u48, s32), 0u);
}

TEST(Types, AConstantFitsIfItsBitsAreKept) {
  TypeTable types;
  const Type *u8 = types.integer(8, false), *s8 = types.integer(8, true);
  const Type *s32 = types.intType();
  EXPECT_TRUE(constantFits(255, s32, u8));
  EXPECT_FALSE(constantFits(256, s32, u8));
  EXPECT_TRUE(constantFits(uint64_t(-1), s32, u8));
  EXPECT_TRUE(constantFits(uint64_t(-128), s32, s8));
  EXPECT_FALSE(constantFits(uint64_t(-129), s32, s8));
  EXPECT_TRUE(constantFits(12345, s32, types.boolType()));
}

TEST(Types, AConstantConvertsToATruthValueOrToItsLowBits) {
  TypeTable types;
  const Type *s32 = types.intType(), *u8 = types.integer(8, false);
  EXPECT_EQ(convertConstant(256, s32, types.boolType()), 1u);
  EXPECT_EQ(convertConstant(0, s32, types.boolType()), 0u);
  EXPECT_EQ(convertConstant(0x1ff, s32, u8), 0xffu);
  EXPECT_EQ(convertConstant(0xff, u8, types.integer(8, true)), ~uint64_t(0));
}
