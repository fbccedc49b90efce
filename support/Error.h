// Errors as values.
//
// Every function that can fail because of its input returns a Result. No
// exception crosses a folder. There are three kinds of error: a fault in the
// user's input, a lack of a resource, and a bug in Karakal (a failed
// KARAKAL_ASSERT).

#ifndef KARAKAL_SUPPORT_ERROR_H
#define KARAKAL_SUPPORT_ERROR_H

#include "support/Assert.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace karakal {

/// Exit statuses of every executable.
enum ExitStatus : int {
  ExitDone = 0,          ///< all done
  ExitInputWrong = 1,    ///< the input is wrong; a diagnostic says where
  ExitUsageWrong = 2,    ///< the command line is wrong
  ExitInternalError = 3, ///< a bug in Karakal
};

/// A resource that does not suffice. Callers can use it to retry with smaller
/// demands.
enum class Resource {
  None,         ///< the error is in the user's input
  ControlStore, ///< the code of an aggregate is too large for an engine
  Engines,      ///< no mapping fits the engines and their control stores
};

/// A fault in the user's input or a lack of a resource.
struct Error {
  /// Catalogued id, `E-<folder>-NNN`; never reused.
  std::string id;
  /// The fault and the remedy, one sentence each, no trailing newline.
  std::string message;
  /// The name of the file; empty if there is none.
  std::string file;
  /// 1-based line in `file`, 0 if the error concerns the whole file.
  uint32_t line = 0;
  /// 1-based column, 0 if unknown.
  uint32_t column = 0;
  /// The resource that does not suffice, if the error is a lack of one.
  Resource lacking = Resource::None;

  /// `file:line:column: error: message [id]`
  std::string str() const;
};

/// Makes an error without a location.
inline Error makeError(std::string id, std::string message,
                       Resource lacking = Resource::None) {
  return Error{std::move(id), std::move(message), {}, 0, 0, lacking};
}

/// Makes an error about a file or about one of its lines.
inline Error makeFileError(std::string id, std::string file,
                           std::string message, uint32_t line = 0) {
  return Error{std::move(id), std::move(message), std::move(file), line, 0,
               Resource::None};
}

/// A value, or the error that prevented it.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() { return std::get<0>(state); }
  const T &operator*() const { return std::get<0>(state); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// The value of a successful function that returns nothing else.
struct Success {};
/// Success or an error.
using Status = Result<Success>;
inline Status success() { return Success{}; }

} // namespace karakal

#endif // KARAKAL_SUPPORT_ERROR_H
