// The context that the report of an internal error prints.
//
// Code that runs something which may fail an assertion or crash, such as a
// pass, registers a description of what it runs. KARAKAL_ASSERT and the crash
// handlers of the tools print it.

#ifndef KARAKAL_SUPPORT_INTERNALERROR_H
#define KARAKAL_SUPPORT_INTERNALERROR_H

#include <functional>
#include <string>

namespace karakal {

/// For this thread, registers a function that returns lines of text, each with
/// its newline, or null for none.
void setInternalErrorContext(std::function<std::string()> describe);

/// Returns the text of the registered function, or an empty string. Unregisters
/// the function first, so that a bug in it cannot recur.
std::string takeInternalErrorContext();

} // namespace karakal

#endif // KARAKAL_SUPPORT_INTERNALERROR_H
