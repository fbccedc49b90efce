// Calls of control functions.

#include "traces/ControlFile.h"
#include "support/Refusal.h"
#include "tests/traces/TraceBytes.h"

#include <gmock/gmock.h>

using namespace karakal;
using namespace karakal::traces;
using namespace karakal::traces::test;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

namespace {

std::vector<ControlCall> parsed(const std::string &text) {
  auto calls = parseControl(text, "c.txt");
  EXPECT_TRUE(calls) << calls.error().str();
  return calls ? *calls : std::vector<ControlCall>();
}

TEST(ControlFile, readsEveryFormOfArgument) {
  auto calls = parsed("f(12, -3, 0xFF, 10.1.2.3, 02:00:00:00:01:Ff)\n");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].name, "f");
  EXPECT_EQ(calls[0].kind, ControlCall::Start);
  EXPECT_THAT(calls[0].args,
              ElementsAre(12, -3, 255, 0x0a010203, 0x0200000001ff));
}

TEST(ControlFile, readsTruthValues) {
  auto calls = parsed("f(true, on: false)\n");
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_THAT(calls[0].args, ElementsAre(1, 0));
  EXPECT_EQ(calls[0].details[1].name, "on");
}
TEST(ControlFile, quotesWhatIsNoText) {
  auto calls = parseControl(std::string("f(1\0\0332)\n", 9), "c.txt");
  ASSERT_FALSE(calls);
  EXPECT_EQ(calls.error().str(),
            "c.txt:1:4: error: expected ',' or ')' before '??2)' "
            "[E-traces-021]");
}
TEST(ControlFile, quotesWholeCharacters) {
  auto calls = parseControl("f(1 23456789012345678\xc3\xa9)\n", "c.txt");
  ASSERT_FALSE(calls);
  EXPECT_THAT(calls.error().message,
              HasSubstr("before '23456789012345678\xc3\xa9)'"));
  calls = parseControl("f(1 2345678901234567890\xc3\xa9)\n", "c.txt");
  ASSERT_FALSE(calls);
  EXPECT_THAT(calls.error().message, HasSubstr("before '2345678901234567890'"));
  calls = parseControl("f" + std::string(30, '\x80') + "\n", "c.txt");
  ASSERT_FALSE(calls);
  EXPECT_THAT(calls.error().message, HasSubstr("before ''"));
}
TEST(ControlFile, readsTimesCommentsAndSpace) {
  auto calls = parsed("# routes\n\n  f ( 1 ,2 ) # here\r\n"
                      "@packet 5000 m.g()\n@cycle 18 h(0)\n@end g( 1 )#");
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[3].kind, ControlCall::AtEnd);
  EXPECT_EQ(calls[3].text, "g( 1 )");
  EXPECT_EQ(calls[0].line, 3u);
  EXPECT_EQ(calls[1].kind, ControlCall::AtPacket);
  EXPECT_EQ(calls[1].when, 5000u);
  EXPECT_EQ(calls[1].name, "m.g");
  EXPECT_THAT(calls[1].args, IsEmpty());
  EXPECT_EQ(calls[2].kind, ControlCall::AtCycle);
  EXPECT_EQ(calls[2].when, 18u);
  EXPECT_EQ(calls[2].line, 5u);
}

TEST(ControlFile, acceptsAnEmptyFile) {
  TemporaryFile file("", ".txt");
  auto calls = readControlFile(file.path);
  ASSERT_TRUE(calls) << calls.error().str();
  EXPECT_THAT(*calls, IsEmpty());
}

TEST(ControlFile, saysWhatCannotBeRead) {
  for (const char *path : {"/nonexistent/c.txt", "/tmp"}) {
    auto calls = readControlFile(path);
    ASSERT_FALSE(calls);
    EXPECT_EQ(calls.error().id, "E-traces-020");
  }
}

struct WrongLine {
  const char *text;
  const char *id;
  const char *message;
  uint32_t column;
};

TEST(ControlFile, refusesWrongLines) {
  const WrongLine wrongLines[] = {
      {"f", "E-traces-021", "'('", 2},
      {"f(1", "E-traces-021", "',' or ')'", 4},
      {"f(1,)", "E-traces-021", "an argument", 5},
      {"f(,1)", "E-traces-021", "an argument", 3},
      {"f(1 2)", "E-traces-021", "',' or ')'", 5},
      {"f(1) g(2)", "E-traces-021", "end of the line", 6},
      {"(1)", "E-traces-021", "name of a control function", 1},
      {"7f(1)", "E-traces-021", "name of a control function", 1},
      {"@packet f(1)", "E-traces-021", "a decimal number", 9},
      {"@packet -1 f(1)", "E-traces-021", "a decimal number", 9},
      {"@second 1 f(1)", "E-traces-021", "'packet', 'cycle' or 'end'", 2},
      {"f(12x)", "E-traces-022", "12x", 3},
      {"f(0x)", "E-traces-022", "0x", 3},
      {"f(-)", "E-traces-022", "'-'", 3},
      {"f(1.2.3)", "E-traces-022", "1.2.3", 3},
      {"f(1.2.3.4.5)", "E-traces-022", "1.2.3.4.5", 3},
      {"f(1.2.3.256)", "E-traces-022", "256", 3},
      {"f(1..2.3)", "E-traces-022", "2.3", 6},
      {"f(1:2:3:4:5)", "E-traces-022", "1:2:3:4:5", 3},
      {"f(1:2:3:4:5:100)", "E-traces-022", "100", 3},
      {"f(18446744073709551616)", "E-traces-022", "184467", 3},
      {"f(-9223372036854775809)", "E-traces-022", "-92233", 3},
      {"f(peer)", "E-traces-022", "peer", 3},
      {"f(\"a\")", "E-traces-021", "an argument", 3},
  };
  for (const WrongLine &wrong : wrongLines) {
    auto calls = parseControl(std::string("f(1)\n") + wrong.text, "c.txt");
    ASSERT_FALSE(calls) << wrong.text;
    EXPECT_EQ(calls.error().id, wrong.id) << wrong.text;
    EXPECT_THAT(calls.error().message, HasSubstr(wrong.message));
    EXPECT_EQ(calls.error().line, 2u);
    EXPECT_EQ(calls.error().column, wrong.column) << wrong.text;
  }
}

const std::vector<ControlSignature> signatures = {
    {"l3.route_add", {{"prefix", "u32"}, {"length", "u8"}, {"hop", "u16"}}},
    {"l3.clear", {}},
    {"fw.clear", {}},
    {"l3.wide", {{"a", "s64"}, {"b", "u64"}, {"c", "int"}, {"d", "bool"}}},
    {"l3.small", {{"a", "s8"}, {"b", "u1"}, {"c", "u48"}}},
};

Result<Resolved> bind(const std::string &line) {
  return bindCall(parsed(line).at(0), signatures);
}

TEST(BindCall, findsFunctionsByEitherName) {
  auto byLast = bind("route_add(10.0.0.0, 8, 3)");
  ASSERT_TRUE(byLast) << byLast.error().str();
  EXPECT_EQ(byLast->function, 0u);
  EXPECT_THAT(byLast->args, ElementsAre(0x0a000000u, 8u, 3u));
  auto byFull = bind("fw.clear()");
  ASSERT_TRUE(byFull);
  EXPECT_EQ(byFull->function, 2u);
}

TEST(BindCall, UnsignedParametersHave32Bits) {
  const std::vector<ControlSignature> wide = {{"f", {{"a", "unsigned"}}}};
  auto greatest = bindCall(parsed("f(0XffffFFFF)").at(0), wide);
  ASSERT_TRUE(greatest) << greatest.error().str();
  EXPECT_THAT(greatest->args, ElementsAre(0xffffffff));
  EXPECT_FALSE(bindCall(parsed("f(0x100000000)").at(0), wide));
  EXPECT_FALSE(bindCall(parsed("f(-1)").at(0), wide));
}

TEST(ControlValue, OnlyTypesOtherThanIntAndVoidAreValues) {
  for (const char *type : {"void", "int", "s32"})
    EXPECT_FALSE(givesValue({"f", {}, type})) << type;
  for (const char *type : {"u32", "unsigned", "bool", "s8", "u1"})
    EXPECT_TRUE(givesValue({"f", {}, type})) << type;
}

TEST(ControlValue, TheSignFollowsTheType) {
  ControlValue value = valueOf({"f", {}, "u32"}, "f()", 7, 0xfffffffe);
  EXPECT_EQ(value.value, 0xfffffffe);
  EXPECT_EQ(value.call, "f()");
  EXPECT_EQ(value.line, 7u);
  EXPECT_EQ(valueOf({"f", {}, "unsigned"}, "f()", 7, 0xfffffffe).value,
            0xfffffffe);
  EXPECT_EQ(valueOf({"f", {}, "s16"}, "f()", 7, 0xfffffffe).value, -2);
  EXPECT_EQ(valueOf({"f", {}, "int"}, "f()", 7, 0xfffffffe).value, -2);
}

TEST(BindCall, extendsArgumentsTo64Bits) {
  auto call = bind("small(-128, 1, ff:ff:ff:ff:ff:ff)");
  ASSERT_TRUE(call) << call.error().str();
  EXPECT_THAT(call->args, ElementsAre(uint64_t(-128), 1, 0xffffffffffff));
  auto wide = bind("wide(-9223372036854775808, 0xffffffffffffffff, -1, 1)");
  ASSERT_TRUE(wide) << wide.error().str();
  EXPECT_THAT(wide->args,
              ElementsAre(uint64_t(1) << 63, ~uint64_t(0), ~uint64_t(0), 1));
  auto truth = bind("wide(0, 0, 0, true)");
  ASSERT_TRUE(truth) << truth.error().str();
  EXPECT_EQ(truth->args[3], 1u);
}

const ControlSignature route = {
    "m.routes.add",
    {{"dst", "u32"}, {"dst.length", "u8"}, {"hop", "u16"}},
    "int",
    4};
const ControlSignature rule = {"m.rules.add",
                               {{"src.high", "u64"},
                                {"src.low", "u64"},
                                {"src.mask.high", "u64"},
                                {"src.mask.low", "u64"},
                                {"port", "u16"},
                                {"port.last", "u16"},
                                {"priority", "u32"},
                                {"action", "u8"}},
                               "int",
                               4};

Result<Resolved> bindTable(const std::string &line) {
  return bindCall(parsed(line).at(0), {route, rule});
}

TEST(BindTable, ReadsPrefixesMasksAndRanges) {
  for (const char *line : {"routes.add(10.0.0.0/8, hop: 3)",
                           "m.routes.add(hop: 3, dst: 0xa000000 / 8)"}) {
    auto added = bindTable(line);
    ASSERT_TRUE(added) << added.error().str();
    EXPECT_THAT(added->args, ElementsAre(0x0a000000, 8, 3));
  }
  EXPECT_THAT(bindTable("routes.add(10.0.0.1, 3)")->args,
              ElementsAre(0x0a000001, 32, 3));
  EXPECT_THAT(bindTable("routes.add(any, 3)")->args, ElementsAre(0, 0, 3));
  EXPECT_THAT(
      bindTable("rules.add(2001:db8:: & ffff:ffff::, 1..9, 7, 1)")->args,
      ElementsAre(uint64_t(0x20010db8) << 32, 0, uint64_t(0xffffffff) << 32, 0,
                  1, 9, 7, 1));
  const uint64_t ones = ~uint64_t(0);
  EXPECT_THAT(bindTable("rules.add(::5, 80, 7, 1)")->args,
              ElementsAre(0, 5, ones, ones, 80, 80, 7, 1));
  EXPECT_THAT(bindTable("rules.add(priority: 7, action: 1)")->args,
              ElementsAre(0, 0, 0, 0, 0, 0xffff, 7, 1));
}

TEST(BindTable, SaysWhatIsWrong) {
  const std::tuple<const char *, const char *, const char *> wrongCalls[] = {
      {"routes.add(10.0.0.0/8)", "E-traces-024",
       "m.routes.add(dst: u32 / length, hop: u16) needs 'hop'"},
      {"rules.add(any, any, action: 1)", "E-traces-024", "highest priority"},
      {"routes.add(1, 2, 3)", "E-traces-024", "takes 2 arguments, not 3"},
      {"routes.add(::1/8, 3)", "E-traces-025", "does not fit dst: u32"},
      {"routes.add(1 / 256, 3)", "E-traces-025", "argument 1"},
      {"routes.add(1, any)", "E-traces-025", "does not fit hop"},
      {"routes.add(1, hip: 3)", "E-traces-026", "has no argument 'hip'"},
      {"routes.add(hop: 3, 1)", "E-traces-026", "has no name"},
      {"routes.add(1, dst: 3)", "E-traces-026", "'dst' is given twice"},
      {"routes.add(1..2, 3)", "E-traces-027", "is no prefix"},
      {"routes.add(1, 3/8)", "E-traces-027", "is no single value"},
      {"rules.add(1/8, 1, 2, 3)", "E-traces-027", "is no value & mask"},
  };
  for (const auto &[line, id, message] : wrongCalls) {
    auto bound = bindTable(line);
    ASSERT_FALSE(bound) << line;
    EXPECT_EQ(bound.error().id, id) << line;
    EXPECT_THAT(bound.error().message, HasSubstr(message)) << line;
  }
}

TEST(BindTable, SaysWhyATableRefused) {
  EXPECT_EQ(refusal(route, {}, 1), "the table is full: its limit is 4 entries, "
                                   "and this would be one more");
  EXPECT_THAT(refusal(route, {}, 2), HasSubstr("has an entry with this key"));
  EXPECT_EQ(refusal(route, {}, -2), "it returned -2");
  EXPECT_EQ(refusal(signatures[0], {}, 2), "it returned 2");
  EXPECT_EQ(refusal(signatures[0], {"no room", "no port"}, FirstRefusal + 1),
            "no port");
  EXPECT_EQ(refusal(signatures[0], {"no room"}, FirstRefusal + 1),
            "it returned 65537");
}

TEST(BindCall, refusesWhatDoesNotFit) {
  const std::pair<const char *, const char *> wrongCalls[] = {
      {"rout_add(1, 2, 3)", "E-traces-023"},
      {"fw.route_add(1, 2, 3)", "E-traces-023"},
      {"clear()", "E-traces-023"},
      {"route_add(1, 2)", "E-traces-024"},
      {"l3.clear(1)", "E-traces-024"},
      {"route_add(0x100000000, 8, 3)", "E-traces-025"},
      {"route_add(-1, 8, 3)", "E-traces-025"},
      {"route_add(02:00:00:00:00:01, 8, 3)", "E-traces-025"},
      {"route_add(10.0.0.0, 256, 3)", "E-traces-025"},
      {"wide(0xffffffffffffffff, 0, 0, 0)", "E-traces-025"},
      {"wide(0, -1, 0, 0)", "E-traces-025"},
      {"wide(0, 0, 0x80000000, 0)", "E-traces-025"},
      {"wide(0, 0, 0, 2)", "E-traces-025"},
      {"wide(true, 0, 0, 0)", "E-traces-025"},
      {"wide(0, true, 0, 0)", "E-traces-025"},
      {"small(128, 0, 0)", "E-traces-025"},
      {"small(-129, 0, 0)", "E-traces-025"},
  };
  for (const auto &[text, id] : wrongCalls) {
    auto call = bind(text);
    ASSERT_FALSE(call) << text;
    EXPECT_EQ(call.error().id, id) << text;
    EXPECT_EQ(call.error().file, "c.txt");
    EXPECT_EQ(call.error().line, 1u);
  }
  EXPECT_THAT(bind("clear()").error().message,
              HasSubstr("both l3.clear and fw.clear"));
  EXPECT_THAT(bind("x()").error().message, HasSubstr("it has l3.route_add"));
  EXPECT_THAT(bind("rout_add(1)").error().message,
              EndsWith("did you mean 'route_add'?"));
  EXPECT_THAT(bind("l3.rout_add(1)").error().message,
              EndsWith("did you mean 'l3.route_add'?"));
}

} // namespace
