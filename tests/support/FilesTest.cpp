// Reading and writing of files, errors and internal errors.

#include "support/Files.h"
#include "support/InternalError.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

using namespace karakal;
using ::testing::ExitedWithCode;

namespace {

class Files : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::size_t fileCount() const {
    return std::distance(std::filesystem::directory_iterator(folder), {});
  }

  const std::filesystem::path folder =
      testing::TempDir() + "karakal-files-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::string path = folder / "file";
};

TEST_F(Files, AFileIsReadAsItWasWritten) {
  // More than one buffer of 64 KB, with a zero byte and no line break at the
  // end.
  std::string bytes(200'000, 'a');
  bytes[100] = '\0';
  bytes[199'999] = 'z';
  ASSERT_TRUE(writeFile(path, bytes));
  Result<std::string> read = readFile(path);
  ASSERT_TRUE(read) << read.error().str();
  EXPECT_EQ(*read, bytes);
  ASSERT_TRUE(writeFile(path, ""));
  EXPECT_EQ(*readFile(path), "");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(Files, AFileThatCannotBeReadIsAnErrorWithTheReason) {
  Result<std::string> missing = readFile(path);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().str(),
            path + ": error: cannot read the file: No such file or directory "
                   "[E-support-001]");
  Result<std::string> directory = readFile(folder);
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message, "cannot read the file: Is a directory");
}

TEST_F(Files, AFailedWriteLeavesNothing) {
  std::filesystem::create_directory(path);
  Status status = writeFile(path, "text");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().id, "E-support-002");
  std::filesystem::remove(path);
  EXPECT_EQ(fileCount(), 0u);
  EXPECT_FALSE(writeFile(folder / "missing/file", "text"));
}

TEST_F(Files, DevicesAreWrittenInPlace) {
  EXPECT_TRUE(writeFile("/dev/null", "text"));
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
  if (std::filesystem::exists("/dev/full")) {
    Status status = writeFile("/dev/full", "text");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message,
              "cannot write the file: No space left on device");
  }
}

TEST(ErrorText, OmitsUnknownParts) {
  EXPECT_EQ(makeError("E-test-001", "wrong").str(),
            "error: wrong [E-test-001]");
  EXPECT_EQ(makeError("", "wrong").str(), "error: wrong");
  Error inFile;
  inFile.file = "a.mapping";
  inFile.message = "wrong";
  EXPECT_EQ(inFile.str(), "a.mapping: error: wrong");
  EXPECT_EQ(makeFileError("E-test-001", "a.mapping", "wrong").str(),
            "a.mapping: error: wrong [E-test-001]");
  Error error = makeFileError("E-test-001", "a.mapping", "wrong", 3);
  EXPECT_EQ(error.str(), "a.mapping:3: error: wrong [E-test-001]");
  error.column = 7;
  EXPECT_EQ(error.str(), "a.mapping:3:7: error: wrong [E-test-001]");
}

TEST(InternalError, PrintsReasonLocationAndContextAndExitsWith3) {
  EXPECT_EXIT(reportInternalError("File.cpp", 12, "no such unit"),
              ExitedWithCode(3),
              "internal error: no such unit\n  at File.cpp:12\n");
  auto withContext = [] {
    setInternalErrorContext([] { return "in pass phr\n"; });
    reportInternalError("File.cpp", 12, "no such unit");
  };
  EXPECT_EXIT(withContext(), ExitedWithCode(3), "input files.\nin pass phr\n$");
}

TEST(InternalError, TheContextIsTakenOnce) {
  setInternalErrorContext([] { return "in pass phr\n"; });
  EXPECT_EQ(takeInternalErrorContext(), "in pass phr\n");
  EXPECT_EQ(takeInternalErrorContext(), "");
  setInternalErrorContext(nullptr);
  EXPECT_EQ(takeInternalErrorContext(), "");
}

} // namespace
