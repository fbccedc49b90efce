// Names and types of the C interface.

#include "codegen-x86/CNames.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace karakal::x86;
using testing::HasSubstr;

namespace {

TEST(InterfaceTest, TypesHaveTheNextWidthOfC) {
  EXPECT_EQ(cType("u1").spelling, "uint8_t");
  EXPECT_EQ(cType("u8").spelling, "uint8_t");
  EXPECT_EQ(cType("u9").spelling, "uint16_t");
  EXPECT_EQ(cType("s17").spelling, "int32_t");
  EXPECT_EQ(cType("u33").spelling, "uint64_t");
  EXPECT_EQ(cType("bool").spelling, "bool");
  EXPECT_EQ(cType("int").spelling, "int32_t");
  EXPECT_TRUE(cType("s5").isSigned);
  EXPECT_FALSE(cType("unsigned").isSigned);
  EXPECT_EQ(cType("u48").bits, 64u);
}

TEST(InterfaceTest, NamesAreIdentifiers) {
  EXPECT_EQ(cIdentifier("l3-switch.v2"), "l3_switch_v2");
  EXPECT_EQ(cIdentifier("2fast"), "_2fast");
  EXPECT_EQ(cIdentifier(""), "_");
}

TEST(InterfaceTest, KeywordsGetAnUnderscore) {
  std::vector<std::string> names =
      cParameters({"class", "port", "register", "class_", "class", "uint8_t",
                   "a-b", "a.b"});
  EXPECT_EQ(names,
            (std::vector<std::string>{"class_", "port", "register_", "class__",
                                      "class___", "uint8_t_", "a_b", "a_b_"}));
  ProgramInterface program;
  program.name = "not";
  auto named = [&](const std::string &function) {
    return cName(program, {"", {function, {}, "int"}});
  };
  EXPECT_EQ(named("eq"), "not_eq_");
  EXPECT_EQ(named("set.time"), "not_set_time_");
  EXPECT_EQ(named("new"), "not_new");
}

TEST(InterfaceTest, TheHeaderDeclaresControlFunctions) {
  ProgramInterface program;
  program.name = "my-router";
  program.controls = {{"control.m.add", {"m.add", {{"prefix", "u32"}}, "int"}},
                      {"control.m.count", {"m.count", {}, "u32"}}};
  std::string header = makeHeader(program);
  EXPECT_THAT(header,
              HasSubstr("uint32_t my_router_m_add(uint32_t prefix);\n"));
  EXPECT_THAT(header, HasSubstr("uint32_t my_router_m_count(void);\n"));
  EXPECT_THAT(header, HasSubstr("enum { MY_ROUTER_FRAMES_MAX = 4096 };\n"));
  EXPECT_THAT(header, HasSubstr("#ifndef MY_ROUTER_H\n"));
}

} // namespace
