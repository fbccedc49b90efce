// Where local variables lie, as a section of an image.

#include "target-ixp/image/LocalsFile.h"

#include <gtest/gtest.h>

using namespace karakal::target;
using Kind = ValuePart::Kind;

namespace {

Locals sample() {
  Locals locals;
  locals.variables = {{"hop", "u16", {"a.baker", 12}, 30},
                      {"a[1]", "u64", {"a.baker", 14}, 30}};
  locals.ranges = {{0, 3, 9, {{Kind::GprA, 3, 0}}},
                   {0, 9, 10, {{Kind::Constant, 0xfffffffe, 0}}},
                   {1, 0, 4, {{Kind::GprB, 1, 0}, {Kind::SXfer, 15, 0}}},
                   {1, 5, 6, {{Kind::DXfer, 0, 0}, {Kind::Stack, 5, 16}}}};
  return locals;
}

/// The sample with one text instead of another.
std::string changed(const std::string &from, const std::string &to) {
  std::string text = printLocals(sample());
  size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  return text.replace(at, from.size(), to);
}

TEST(LocalsFile, isReadAsWritten) {
  const Locals wanted = sample();
  auto found = parseLocals(printLocals(wanted));
  ASSERT_TRUE(found);
  ASSERT_EQ(found->variables.size(), 2u);
  EXPECT_EQ(found->variables[1].name, "a[1]");
  EXPECT_EQ(found->variables[1].type, "u64");
  EXPECT_EQ(found->variables[0].declared.file, "a.baker");
  EXPECT_EQ(found->variables[0].declared.line, 12u);
  EXPECT_EQ(found->variables[0].lastLine, 30u);
  ASSERT_EQ(found->ranges.size(), wanted.ranges.size());
  for (size_t i = 0; i < wanted.ranges.size(); ++i) {
    EXPECT_EQ(found->ranges[i].variable, wanted.ranges[i].variable);
    EXPECT_EQ(found->ranges[i].begin, wanted.ranges[i].begin);
    EXPECT_EQ(found->ranges[i].end, wanted.ranges[i].end);
    EXPECT_EQ(found->ranges[i].parts, wanted.ranges[i].parts);
  }
}

TEST(LocalsFile, placesReadLikeOperands) {
  const Locals locals = sample();
  EXPECT_EQ(printPlace(locals.ranges[0].parts), "a3");
  EXPECT_EQ(printPlace(locals.ranges[1].parts), "0xfffffffe");
  EXPECT_EQ(printPlace(locals.ranges[2].parts), "b1:$15");
  EXPECT_EQ(printPlace(locals.ranges[3].parts), "$$0:stack5/16");
}

TEST(LocalsFile, anythingElseIsRefused) {
  for (const char *place :
       {"\"\"", "\"a\"", "\"a16\"", "\"c3\"", "\"a3:\"", "\"a3 \"", "\"$x\"",
        "\"0x\"", "\"0x100000000\"", "\"stack5\"", "\"stack16/16\"",
        "\"stack5/81\"", "\"stack5/\"", "7"})
    EXPECT_FALSE(parseLocals(changed("\"a3\"", place))) << place;
  for (const char *type : {"\"\"", "\"u\"", "\"u0\"", "\"s129\"", "\"i16\"",
                           "\"u16 \"", "\"u33\""})
    EXPECT_FALSE(parseLocals(changed("\"u16\"", type))) << type;
  EXPECT_TRUE(parseLocals(changed("\"u16\"", "\"bool\"")));
  EXPECT_TRUE(parseLocals(changed("\"u16\"", "\"s32\"")));
  EXPECT_FALSE(parseLocals(changed("\"line\":12", "\"line\":\"x\"")));
  EXPECT_FALSE(parseLocals(changed("\"last_line\"", "\"end\"")));
  EXPECT_FALSE(parseLocals(changed("[3,9,", "[3,")));
  EXPECT_FALSE(parseLocals("{"));
  EXPECT_FALSE(parseLocals("7"));
  EXPECT_TRUE(parseLocals("[]"));
}

} // namespace
