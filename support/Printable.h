// Text that a terminal may show.

#ifndef KARAKAL_SUPPORT_PRINTABLE_H
#define KARAKAL_SUPPORT_PRINTABLE_H

#include <string>
#include <string_view>

namespace karakal {

/// Replaces control characters except tabs and ends of lines by '?', because
/// they could change the state of the terminal.
std::string printable(std::string_view text);

} // namespace karakal

#endif // KARAKAL_SUPPORT_PRINTABLE_H
