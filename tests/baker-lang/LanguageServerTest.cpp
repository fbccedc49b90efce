// The language server and its messages, without a process.

#include "baker-lang/editor/LanguageServer.h"
#include "baker-lang/editor/WordHelp.h"
#include "baker-lang/syntax/Keywords.h"
#include "tests/baker-lang/CheckedProgram.h"

#include <set>
#include <sstream>

using namespace karakal;
using namespace karakal::lang;
using nlohmann::json;

namespace {

std::string framed(const std::string &body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::optional<json> readOne(const std::string &text) {
  std::istringstream in(text);
  std::ostringstream out;
  return JsonRpc(in, out).read();
}

TEST(JsonRpc, ReadsTheBodyAfterItsHeader) {
  auto message =
      readOne("Content-Type: x\r\n" + framed(R"({"id":1})") + "rest");
  ASSERT_TRUE(message);
  EXPECT_EQ(*message, json({{"id", 1}}));
}

TEST(JsonRpc, ABodyThatIsNotJsonIsDiscarded) {
  auto message = readOne(framed("{"));
  ASSERT_TRUE(message);
  EXPECT_TRUE(message->is_discarded());
}

TEST(JsonRpc, TheEndOfTheInputIsNoMessage) { EXPECT_FALSE(readOne("")); }

TEST(JsonRpc, AMessageOver64MebibytesIsRefused) {
  EXPECT_FALSE(readOne("Content-Length: 67108865\r\n\r\n{}"));
}

TEST(JsonRpc, AWrittenMessageCountsItsBytes) {
  std::istringstream in;
  std::ostringstream out;
  JsonRpc(in, out).write({{"text", "\xc3\xa4"}});
  EXPECT_EQ(out.str(), "Content-Length: 13\r\n\r\n{\"text\":\"\xc3\xa4\"}");
}

TEST(JsonRpc, BytesThatAreNotUtf8AreReplaced) {
  std::istringstream in;
  std::ostringstream out;
  JsonRpc(in, out).write({{"text", "\xff"}});
  EXPECT_NE(out.str().find("\xef\xbf\xbd"), std::string::npos);
}

TEST(Uri, OfAFileIsDecoded) {
  EXPECT_EQ(pathOfUri("file:///a%20b/c.baker"), "/a b/c.baker");
  EXPECT_EQ(pathOfUri("/plain/path"), "/plain/path");
  EXPECT_EQ(pathOfUri("file:///cut%2"), "/cut%2");
}

TEST(Uri, OfAPathIsEncoded) {
  EXPECT_EQ(uriOfPath("/a b/\xc3\xa4.baker"), "file:///a%20b/%C3%A4.baker");
  EXPECT_EQ(pathOfUri(uriOfPath("/a b/\xc3\xa4%.baker")),
            "/a b/\xc3\xa4%.baker");
}

TEST(Positions, CountUtf16CodeUnits) {
  // One, two and two code units before the last letter of the second line.
  SourceFile file("f", "first\n\xc3\xa4\xf0\x9d\x84\x9e"
                       "c\nlast");
  json place = {{"line", 1}, {"character", 3}};
  EXPECT_EQ(file.text()[offsetOf(file, place)], 'c');
  EXPECT_EQ(positionOf(file, offsetOf(file, place)), place);
  EXPECT_EQ(offsetOf(file, {{"line", 1}, {"character", 99}}), 13u);
  EXPECT_EQ(offsetOf(file, {{"line", 99}, {"character", 0}}),
            file.text().size());
}

TEST(WithoutBodies, KeepsDeclarationsAndOneBody) {
  std::string text =
      "module m(u32 n) {\n  u32 f(u32 x) { /* } */ return '}'; }\n"
      "  ppf p { in a_pkt * i; }\n"
      "  p.ppf(a_pkt * h) { if (h) { drop(h); } }\n}\n";
  std::string expected = text;
  size_t begin = text.find("/* }"), end = text.find("}\n  ppf");
  for (size_t i = begin - 1; i < end; ++i)
    expected[i] = ' ';
  EXPECT_EQ(withoutBodies(text, text.find("drop")), expected);
  std::string open = "u32 f() { \"{";
  EXPECT_EQ(withoutBodies(open, 0), open);
}

TEST(WordHelp, KnowsEveryWordOfTheLanguage) {
  for (const auto *words : {&keywords(), &primitiveNames()})
    for (const std::string &word : *words)
      EXPECT_TRUE(helpFor(word)) << word;
  EXPECT_FALSE(helpFor("tables"));
}

class LanguageServerTest : public testing::Test {
protected:
  /// Runs a server on the document and the messages. Returns its exit status.
  int serve(const std::string &text, std::vector<json> messages) {
    std::string input =
        framed(json({{"id", 0}, {"method", "initialize"}}).dump()) +
        framed(json({{"method", "textDocument/didOpen"},
                     {"params",
                      {{"textDocument", {{"uri", uri}, {"text", text}}}}}})
                   .dump());
    for (json &message : messages)
      input += framed(message.dump());
    std::istringstream in(input);
    std::ostringstream out;
    int status = LanguageServer(
                     in, out, {},
                     [this](const Program &, const SourceManager &) {
                       ++placementCalls;
                       return placements;
                     },
                     [] { return false; })
                     .run();
    std::istringstream answers(out.str());
    JsonRpc reader(answers, out);
    reader.read(); // the answer to `initialize`
    while (auto message = reader.read())
      received.push_back(*message);
    return status;
  }

  /// A request about the position of `name` in `text`.
  json request(const std::string &method, const std::string &text,
               const std::string &name) const {
    size_t offset = text.find(name);
    size_t line = size_t(std::count(text.begin(), text.begin() + offset, '\n'));
    size_t lineStart = text.rfind('\n', offset) + 1;
    return {
        {"id", 1},
        {"method", "textDocument/" + method},
        {"params",
         {{"textDocument", {{"uri", uri}}},
          {"newName", "renamed"},
          {"position", {{"line", line}, {"character", offset - lineStart}}}}}};
  }

  json diagnostics() const { return received.at(0)["params"]["diagnostics"]; }
  json result() const { return received.at(1)["result"]; }
  ErrorCode error() const { return received.at(1)["error"]["code"]; }

  const std::string program = std::string(R"(
u32 table[4];
u32 total(u32 i) { return table[i] + 17; }
)") + anyPpf;
  const std::string uri = "file://" + testing::TempDir() + "document.baker";
  std::map<std::string, GlobalPlacement> placements = {
      {"table", {"scratch at 0x0", "hot", 60}}};
  unsigned placementCalls = 0;
  std::vector<json> received;
};

TEST_F(LanguageServerTest, PublishesTheErrorsOfADocument) {
  serve("u32 f() { return missing; }" + std::string(anyPpf), {});
  ASSERT_EQ(diagnostics().size(), 1u);
  EXPECT_EQ(diagnostics()[0]["code"], "E-baker-020");
  EXPECT_EQ(diagnostics()[0]["severity"], 1);
  EXPECT_EQ(diagnostics()[0]["range"]["start"]["character"], 17);
}

TEST_F(LanguageServerTest, ADocumentWithoutFaultsHasNoErrors) {
  serve(program, {});
  for (const json &item : diagnostics())
    EXPECT_EQ(item["severity"], 2) << item;
}

TEST_F(LanguageServerTest, GoesToTheDefinition) {
  serve(program, {request("definition", program, "table[i]")});
  EXPECT_EQ(result()["uri"], uri);
  EXPECT_EQ(result()["range"]["start"]["line"], 1);
}

TEST_F(LanguageServerTest, ANumberHasNoDefinition) {
  serve(program, {request("definition", program, "17")});
  EXPECT_TRUE(result().is_null());
}

TEST_F(LanguageServerTest, HoverShowsTypeAndPlacement) {
  serve(program, {request("hover", program, "table[i]")});
  EXPECT_EQ(result()["contents"]["value"],
            "global variable 'table' : u32[4], 4 words\n"
            "placed in scratch at 0x0: hot\n"
            "a read takes 60 cycles on an idle chip");
}

TEST_F(LanguageServerTest, PlacementsAreComputedOnce) {
  json hover = request("hover", program, "table[i]");
  serve(program, {hover, hover});
  EXPECT_EQ(placementCalls, 1u);
}

TEST_F(LanguageServerTest, AProgramWithErrorsHasNoPlacements) {
  std::string text = program + "u32 g() { return missing; }\n";
  serve(text, {request("hover", text, "table[i]")});
  EXPECT_EQ(result()["contents"]["value"],
            "global variable 'table' : u32[4], 4 words");
  EXPECT_EQ(placementCalls, 0u);
}

TEST_F(LanguageServerTest, CompletionOffersKeywordsPrimitivesAndNames) {
  serve(program, {request("completion", program, "table[i]")});
  std::set<std::string> labels;
  for (const json &item : result())
    labels.insert(item["label"].get<std::string>());
  for (const std::string &word : keywords())
    EXPECT_TRUE(labels.count(word)) << word;
  for (const std::string &word : primitiveNames())
    EXPECT_TRUE(labels.count(word)) << word;
  EXPECT_TRUE(labels.count("table"));
  EXPECT_TRUE(labels.count("i"));      // a parameter
  EXPECT_FALSE(labels.count("first")); // a field
  EXPECT_FALSE(labels.count("missing"));
}

TEST(Keywords, AreTheWordsOfTheGrammar) {
  std::set<std::string> words(keywords().begin(), keywords().end());
  EXPECT_EQ(words.size(), keywords().size());
  for (const char *word : {"module", "ppf", "static_assert", "int", "true"})
    EXPECT_TRUE(words.count(word)) << word;
  // Neither sized types, nor primitives, nor signs.
  for (const char *word : {"u8", "packet_drop", "(", "->"})
    EXPECT_FALSE(words.count(word)) << word;
}

TEST_F(LanguageServerTest, RenameChangesEveryOccurrence) {
  serve(program, {request("rename", program, "table[i]")});
  json edits = result()["changes"][uri];
  ASSERT_EQ(edits.size(), 2u);
  for (const json &edit : edits)
    EXPECT_EQ(edit["newText"], "renamed");
}

TEST_F(LanguageServerTest, RenameOfAProtocolChangesTheTypesOfItsPackets) {
  std::string text = "protocol word { number : 32; demux { 4 }; }\n"
                     "word_queue waiting[8];\n"
                     "void f(word_pkt * ph) { ph->number = sizeof(word); }\n" +
                     std::string(anyPpf);
  serve(text, {request("rename", text, "word {")});
  json edits = result()["changes"][uri];
  ASSERT_EQ(edits.size(), 4u) << result();
  for (const json &edit : edits)
    EXPECT_EQ(edit["range"]["end"]["character"].get<int>() -
                  edit["range"]["start"]["character"].get<int>(),
              4);
}

TEST_F(LanguageServerTest, ANumberIsNotRenamed) {
  serve(program, {request("rename", program, "17")});
  EXPECT_EQ(error(), ErrorCode::RequestFailed);
}

TEST_F(LanguageServerTest, FormattingReplacesTheWholeText) {
  serve("u32   a;\n", {request("formatting", "a", "a")});
  ASSERT_EQ(result().size(), 1u);
  EXPECT_EQ(result()[0]["newText"], "u32 a;\n");
}

TEST_F(LanguageServerTest, FormattedTextIsNotChanged) {
  serve("u32 a;\n", {request("formatting", "a", "a")});
  EXPECT_EQ(result(), json::array());
}

TEST_F(LanguageServerTest, AClosedDocumentIsUnknown) {
  serve(program, {{{"method", "textDocument/didClose"},
                   {"params", {{"textDocument", {{"uri", uri}}}}}},
                  request("hover", program, "table[i]")});
  // Its diagnostics are withdrawn.
  EXPECT_EQ(received.at(1)["params"]["diagnostics"], json::array());
  EXPECT_EQ(received.back()["error"]["code"], ErrorCode::InvalidParams);
}

TEST_F(LanguageServerTest, AnUnknownMethodHasItsCode) {
  serve(program, {request("nothing", program, "table")});
  EXPECT_EQ(error(), ErrorCode::MethodNotFound);
}

TEST_F(LanguageServerTest, OnlyExitFollowsShutdown) {
  serve(program, {{{"id", 1}, {"method", "shutdown"}},
                  request("hover", program, "table")});
  EXPECT_EQ(received.back()["error"]["code"], ErrorCode::InvalidRequest);
}

TEST_F(LanguageServerTest, NothingComesBeforeInitialize) {
  std::istringstream in(framed(R"({"id":1,"method":"shutdown"})"));
  std::ostringstream out;
  LanguageServer(in, out, {}, {}, [] { return false; }).run();
  EXPECT_NE(out.str().find("-32002"), std::string::npos);
}

TEST_F(LanguageServerTest, ExitAfterShutdownIsSuccess) {
  EXPECT_EQ(serve(program,
                  {{{"id", 1}, {"method", "shutdown"}}, {{"method", "exit"}}}),
            0);
}

TEST_F(LanguageServerTest, ExitWithoutShutdownIsAnError) {
  EXPECT_EQ(serve(program, {{{"method", "exit"}}}), 1);
}

TEST_F(LanguageServerTest, MessagesThatDoNotFollowTheProtocolGetItsCodes) {
  json incomplete = request("definition", program, "table[i]");
  incomplete["params"].erase("position");
  serve(program, {json::array({1}),
                  {{"method", 7}},
                  {{"method", "textDocument/didOpen"}}, // no answer
                  incomplete,
                  {{"id", 5}, {"result", nullptr}}, // no answer
                  request("definition", program, "table[i]")});
  ASSERT_EQ(received.size(), 5u);
  EXPECT_EQ(received[1]["error"]["code"], ErrorCode::InvalidRequest);
  EXPECT_EQ(received[2]["error"]["code"], ErrorCode::InvalidRequest);
  EXPECT_EQ(received[3]["error"]["code"], ErrorCode::InvalidParams);
  EXPECT_EQ(received[4]["result"]["uri"], uri);
}

} // namespace
