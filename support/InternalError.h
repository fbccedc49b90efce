// What a report of our bug says besides.
//
// Who runs a piece of work that may be wrong, such as a pass, says what a
// report of a bug in it should tell. KARAKAL_ASSERT prints it, and so do the
// tools' handlers of crashes.

#ifndef KARAKAL_SUPPORT_INTERNALERROR_H
#define KARAKAL_SUPPORT_INTERNALERROR_H

#include <functional>
#include <string>

namespace karakal {

/// One line or several, each with its newline; a null function says nothing.
void setInternalErrorContext(std::function<std::string()> describe);

/// Asks for it once and forgets it, so that a second bug in it ends the report.
std::string takeInternalErrorContext();

} // namespace karakal

#endif // KARAKAL_SUPPORT_INTERNALERROR_H
