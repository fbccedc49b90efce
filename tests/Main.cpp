// What every GoogleTest program begins with.
//
// Tests of one suite run at the same time, each in a process of its own:
// testing::TempDir() is a folder that no other process uses, and that is gone
// when the process ends.

#include "gmock/gmock.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace fs = std::filesystem;

int main(int argc, char **argv) {
  testing::InitGoogleMock(&argc, argv);
  std::string folder =
      (fs::temp_directory_path() / "karakal-test-XXXXXX").string();
  if (!::mkdtemp(folder.data())) {
    std::perror(folder.c_str());
    return 1;
  }
  ::setenv("TEST_TMPDIR", folder.c_str(), /*overwrite=*/1);
  int status = RUN_ALL_TESTS();
  fs::remove_all(folder);
  return status;
}
