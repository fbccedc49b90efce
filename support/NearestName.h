// Spelling suggestions.

#ifndef KARAKAL_SUPPORT_NEARESTNAME_H
#define KARAKAL_SUPPORT_NEARESTNAME_H

#include <string>
#include <string_view>
#include <vector>

namespace karakal {

/// Returns the candidate that is spelled most like `name`, or an empty string
/// if none is similar: at most a third of the characters may differ.
std::string nearestName(std::string_view name,
                        const std::vector<std::string> &candidates);

} // namespace karakal

#endif // KARAKAL_SUPPORT_NEARESTNAME_H
