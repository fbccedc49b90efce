// The fixed part of a manifest.

#ifndef KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
#define KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::target {

/// A manifest with buffers, rings 0..11 and drop counters as MemoryMap.h has
/// them, drop reasons "unspecified" and "truncated", and no engine, aggregate
/// or global: those are the caller's to add.
nlohmann::json defaultManifest(const std::string &program,
                               const std::string &level);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
