// Assertions that are checked in every build.
//
// A failed assertion is a bug in Karakal: it prints location and reason and
// ends the program with status 3. Errors in the user's input are values
// (Error.h).

#ifndef KARAKAL_SUPPORT_ASSERT_H
#define KARAKAL_SUPPORT_ASSERT_H

#include <string>

namespace karakal {

/// Reports a bug in Karakal with location and reason, and exits with status 3.
[[noreturn]] void reportInternalError(const char *file, int line,
                                      const std::string &what);

} // namespace karakal

/// Checks an invariant in every build.
#define KARAKAL_ASSERT(condition, what)                                        \
  do {                                                                         \
    if (!(condition))                                                          \
      ::karakal::reportInternalError(__FILE__, __LINE__, what);                \
  } while (false)

#define KARAKAL_UNREACHABLE(what)                                              \
  ::karakal::reportInternalError(__FILE__, __LINE__, what)

#endif // KARAKAL_SUPPORT_ASSERT_H
