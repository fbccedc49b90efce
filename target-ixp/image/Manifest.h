// The part of a manifest that is the same for all programs.

#ifndef KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
#define KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H

#include "target-ixp/chip/ChipParameters.h"

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::target {

/// The scratch rings of an image for `chip`, which passed checkIsTarget: the
/// manifest's list `rings`.
nlohmann::json describeRings(const ChipParameters &chip);

/// The packet buffers and their descriptors: the manifest's object `buffers`.
nlohmann::json describeBuffers();

/// A manifest with the buffers, rings and drop counters of the
/// default chip and the drop reasons of the runtime. The caller adds engines,
/// aggregates and globals.
nlohmann::json defaultManifest(const std::string &program,
                               const std::string &level);

/// Whether the XScale core exchanges the engines' code at run time: a checked
/// manifest has code without caches.
bool exchangesCode(const nlohmann::json &manifest);

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_IMAGE_MANIFEST_H
