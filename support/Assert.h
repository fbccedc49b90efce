// Assertions that hold in every build.
//
// A failed one is a bug of ours: it prints place and reason and ends the
// program with status 3. Errors of the user's input are values (Error.h).

#ifndef KARAKAL_SUPPORT_ASSERT_H
#define KARAKAL_SUPPORT_ASSERT_H

#include <string>

namespace karakal {

/// Reports a bug of ours with place and reason, and exits with status 3.
[[noreturn]] void reportInternalError(const char *file, int line,
                                      const std::string &what);

} // namespace karakal

/// An invariant of ours: checked in every build.
#define KARAKAL_ASSERT(condition, what)                                        \
  do {                                                                         \
    if (!(condition))                                                          \
      ::karakal::reportInternalError(__FILE__, __LINE__, what);                \
  } while (false)

#define KARAKAL_UNREACHABLE(what)                                              \
  ::karakal::reportInternalError(__FILE__, __LINE__, what)

#endif // KARAKAL_SUPPORT_ASSERT_H
