// Reads and writes files that hold only the words of one program.
//
// Two formats: text with ten hexadecimal digits per line, and binary with five
// bytes per word, big-endian.

#ifndef KARAKAL_TARGET_IXP_IMAGE_WORDFILE_H
#define KARAKAL_TARGET_IXP_IMAGE_WORDFILE_H

#include "support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace karakal::target {

std::string wordsAsText(const std::vector<uint64_t> &words);
std::string wordsAsBytes(const std::vector<uint64_t> &words);

/// The words of a file in either format; a file that holds only hexadecimal
/// digits and white space is text. `name` is for messages. Errors:
/// E-target-ixp-120 (the contents are in neither format, or empty).
Result<std::vector<uint64_t>> parseWordFile(const std::string &contents,
                                            const std::string &name);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_WORDFILE_H
