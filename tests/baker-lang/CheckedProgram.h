// Parses and checks the text of a test.

#ifndef KARAKAL_TESTS_BAKER_LANG_CHECKEDPROGRAM_H
#define KARAKAL_TESTS_BAKER_LANG_CHECKEDPROGRAM_H

#include "baker-lang/checks/ParseAndCheck.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace karakal {

/// A file named after the test, removed with this object.
class TempFile {
public:
  explicit TempFile(const std::string &text)
      : path((std::filesystem::path(testing::TempDir()) /
              (testing::UnitTest::GetInstance()->current_test_info()->name() +
               std::string(".baker")))
                 .string()) {
    std::ofstream(path, std::ios::binary) << text;
  }
  ~TempFile() { std::filesystem::remove(path); }
  const std::string path;
};

/// A program that was parsed and checked, with its diagnostics.
struct CheckedProgram {
  explicit CheckedProgram(const std::string &text)
      : program(lang::parseAndCheck({TempFile(text).path}, diagnostics)) {}

  Diagnostics diagnostics;
  std::unique_ptr<lang::Program> program;
};

/// A PPF that makes declarations of the file level a whole program.
inline constexpr const char *anyPpf = R"(
protocol any { first : 8; demux { 1 }; }
module any_module {
  ppf any_ppf { in any_pkt * in_cc; }
  wiring { rx -> any_ppf.in_cc; }
}
any_module.any_ppf.ppf(any_pkt * ph) { packet_drop(ph); }
)";

} // namespace karakal

#endif // KARAKAL_TESTS_BAKER_LANG_CHECKEDPROGRAM_H
