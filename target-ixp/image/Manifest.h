// The part of a manifest that is the same for all programs.

#ifndef KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
#define KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::target {

/// A manifest with the buffers, rings 0..11 and drop counters of MemoryMap.h
/// and the drop reasons "unspecified" and "truncated". The caller adds engines,
/// aggregates and globals.
nlohmann::json defaultManifest(const std::string &program,
                               const std::string &level);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
