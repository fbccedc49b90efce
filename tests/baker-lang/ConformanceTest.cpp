// Every case of tests/baker-lang/conformance (see the README there) has exactly
// the diagnostics that it names, on the lines where it names them. Cases
// without errors lower to a module that verifies. KARAKAL_CASES_FOLDER names a
// folder to which the test writes the programs without errors and their calls,
// for test_conformance.py to run.

#include "baker-lang/checks/ParseAndCheck.h"
#include "baker-lang/lower/LowerToIr.h"
#include "baker-lang/syntax/DiagnosticCatalogue.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace karakal;
namespace fs = std::filesystem;

namespace {

/// One diagnostic: `E-baker-012`, or `E-baker-012@5` in column 5.
using Found = std::multiset<std::pair<unsigned, std::string>>;

struct Case {
  std::string file, title, text;
  unsigned line = 0; ///< of its title in the file

  bool has(const char *mark) const {
    return title.find(mark) != std::string::npos;
  }
};

std::vector<Case> casesOf(const fs::path &path) {
  std::vector<Case> cases;
  std::ifstream stream(path);
  std::string line;
  for (unsigned number = 1; std::getline(stream, line); ++number) {
    if (line.rfind("== ", 0) == 0)
      cases.push_back({path.stem().string(), line.substr(3), "", number});
    else if (!cases.empty())
      cases.back().text += line + "\n";
  }
  return cases;
}

std::vector<Case> allCases() {
  std::vector<Case> cases;
  fs::path folder =
      fs::path(KARAKAL_SOURCE_DIR) / "tests/baker-lang/conformance";
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".cases")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path &file : files)
    for (Case &item : casesOf(file))
      cases.push_back(std::move(item));
  return cases;
}

bool isCall(const std::string &line) {
  return line.rfind("f(", 0) == 0 && line.find(") = ") != std::string::npos;
}

bool hasCalls(const Case &item) {
  std::istringstream lines(item.text);
  std::string line;
  while (std::getline(lines, line))
    if (isCall(line))
      return true;
  return false;
}

/// The lines of a case without its calls and marks.
std::string bodyOf(const Case &item) {
  size_t end = item.text.find_last_not_of(" \n");
  std::istringstream lines(item.text.substr(0, end + 1));
  std::string text, line;
  while (std::getline(lines, line)) {
    if (isCall(line))
      line = "";
    text += (text.empty() ? "" : "\n") + line.substr(0, line.find("//! "));
    if (text.empty())
      text = " ";
  }
  return text;
}

/// The program of a case: line n of its text is line n + 1.
std::string programOf(const Case &item) {
  std::string text = bodyOf(item);
  if (item.has("[body]"))
    text = "void example(u32 x, u32 y, ether_pkt * ph) {\n" + text + "}\n";
  else if (item.has("[ppf]"))
    text = "m.f.ppf(ether_pkt * ph) {\n" + text + "}\n";
  else
    text = "\n" + text + "\n";
  auto mentions = [&](const char *words) {
    return text.find(words) != std::string::npos;
  };
  if (item.has("[ppf]"))
    text += "module m { drop_reason odd; lock guard; u32 count; "
            "ppf f { in ether_pkt * in_cc; out ether_pkt * out_cc; "
            "out ipv4_pkt * ip_cc; } "
            "@cold ppf g { in ipv4_pkt * in_cc; } "
            "wiring { rx -> f.in_cc; f.out_cc -> tx; f.ip_cc -> g.in_cc; } "
            "g.ppf(ipv4_pkt * iph) { critical (guard) count++; "
            "packet_drop(iph); } }\n";
  else if (item.has("[body]"))
    text += "module receiver { ppf f { in ether_pkt * in_cc; "
            "out ether_pkt * out_cc; } wiring { rx -> f.in_cc; "
            "f.out_cc -> tx; } f.ppf(ether_pkt * ph) { "
            "example((u32)ph->src, (u32)ph->dst, ph); "
            "channel_put(out_cc, ph); } }\n";
  else if (!mentions("rx ->") && !item.has("[bare]"))
    text += "module receiver { ppf sink { in ether_pkt * in_cc; } "
            "wiring { rx -> sink.in_cc; } "
            "sink.ppf(ether_pkt * ph) { packet_drop(ph); } }\n";
  if (!mentions("protocol ether ") && !mentions("net.ether") &&
      !item.has("[bare]"))
    text += "protocol ether { dst : 48; src : 48; type : 16; demux { 14 }; }\n";
  if (!mentions("protocol ipv4 ") && !mentions("net.ipv4") &&
      !item.has("[bare]"))
    text += "protocol ipv4 { version : 4; ihl : 4; rest : 56; ttl : 8; "
            "protocol : 8; checksum : 16; src : 32; dst : 32; "
            "demux { ihl << 2 }; }\n";
  return text;
}

Found expectedOf(const Case &item) {
  Found expected;
  std::istringstream lines(item.text);
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    size_t mark = line.find("//! ");
    if (mark == std::string::npos)
      continue;
    std::istringstream ids(line.substr(mark + 4));
    std::string id;
    while (ids >> id)
      expected.insert({number, id});
  }
  return expected;
}

/// Diagnostics of a wrapped program, in the lines of the case.
Found foundIn(const Diagnostics &diagnostics, const Found &expected) {
  Found found;
  std::set<std::string> columns; // ids whose column is asked for
  for (auto &[line, id] : expected)
    if (size_t at = id.find('@'); at != std::string::npos)
      columns.insert(std::to_string(line) + id.substr(0, at));
  for (const Diagnostic &item : diagnostics.all()) {
    SourceLocation location{1, 1};
    if (item.hasRange)
      location = diagnostics.sources()
                     .file(item.range.file)
                     .location(item.range.begin);
    std::string id = item.id;
    if (columns.count(std::to_string(location.line - 1) + id))
      id += "@" + std::to_string(location.column);
    found.insert({location.line - 1, id});
  }
  return found;
}

std::string textOf(const Found &found) {
  std::string text;
  for (auto &[line, id] : found)
    text += " line " + std::to_string(line) + ": " + id;
  return text.empty() ? " nothing" : text;
}

} // namespace

TEST(Conformance, EveryCaseHasItsDiagnosticsAndNoOthers) {
  fs::path folder = fs::path(testing::TempDir()) / "baker-conformance";
  fs::create_directories(folder);
  fs::path file = folder / "case.baker";
  const char *kept = std::getenv("KARAKAL_CASES_FOLDER");
  unsigned good = 0, bad = 0;
  for (const Case &item : allCases()) {
    std::ofstream(file) << programOf(item);
    Diagnostics diagnostics;
    WarningPolicy warnings = *lang::warningPolicy({});
    if (!item.has("[unused]"))
      warnings.disabled.insert("unused-function");
    if (item.has("[ppf]"))
      warnings.disabled.insert("unused-output");
    diagnostics.setWarningPolicy(warnings);
    auto program = lang::parseAndCheck({file.string()}, diagnostics,
                                       {{KARAKAL_SOURCE_DIR "/runtime"}, {}});
    Found expected = expectedOf(item);
    Found found = foundIn(diagnostics, expected);
    EXPECT_EQ(found, expected)
        << item.file << ".cases:" << item.line << ": " << item.title
        << "\n  expected" << textOf(expected) << "\n  found" << textOf(found);
    (diagnostics.hasErrors() ? bad : good) += 1;
    if (diagnostics.hasErrors())
      continue;
    if (kept && !hasCalls(item))
      fs::copy_file(
          file, fs::path(kept) /
                    (item.file + "-" + std::to_string(item.line) + ".baker"));
    mlir::MLIRContext context;
    EXPECT_TRUE(
        bool(lang::lowerToIr(*program, diagnostics.sources(), context)));
  }
  fs::remove(file);
  std::printf("%u cases that compile, %u that must not\n", good, bad);
  EXPECT_GE(good, 200u);
  EXPECT_GE(bad, 200u);
}
