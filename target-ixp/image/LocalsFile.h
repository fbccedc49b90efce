// Local variables as a section of an image.
//
//     [{"name": "hop", "type": "u16", "file": "a.baker", "line": 12,
//       "last_line": 30, "places": [[3, 9, "a3"], [9, 14, "b1:$5"]]}]
//
// A place is [first word, word after the last, registers or constants]: the
// most significant 32 bits come first.

#ifndef KARAKAL_TARGET_IXP_IMAGE_LOCALSFILE_H
#define KARAKAL_TARGET_IXP_IMAGE_LOCALSFILE_H

#include "target-ixp/image/Microcode.h"

#include <optional>
#include <string>

namespace karakal::target {

/// "a3", "b1:$5", "0x2a", or "stack5/16": word 5 of a stack of 16 words.
std::string printPlace(const std::vector<ValuePart> &parts);

std::string printLocals(const Locals &locals);
/// Returns nothing for a text that printLocals does not write.
std::optional<Locals> parseLocals(const std::string &text);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_LOCALSFILE_H
