#include "target-ixp/image/Manifest.h"

#include "support/Assert.h"
#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/chip/RingLayout.h"
#include "target-ixp/image/Image.h"

#include <iterator>

namespace karakal::target {

nlohmann::json describeRings(const ChipParameters &chip) {
  static constexpr const char *names[] = {"rx", "tx", "to_xscale",
                                          "from_xscale"};
  static_assert(std::size(names) == RingFreeFirst);
  Result<std::vector<ScratchRing>> layout = layoutRings(chip);
  KARAKAL_ASSERT(layout, "an image is made for a chip that passed the check");
  nlohmann::json rings = nlohmann::json::array();
  for (const ScratchRing &ring : *layout)
    rings.push_back(
        {{"number", ring.number},
         {"name", ring.number < RingFreeFirst
                      ? names[ring.number]
                      : "free" + std::to_string(ring.number)},
         {"base", ring.base},
         {"words", ring.words},
         {"contexts", ring.load.contexts},
         {"message_words", ring.load.messageWords},
         {"status", ring.number == RingFromXScale ? "empty" : "full"}});
  return rings;
}

nlohmann::json describeBuffers() {
  return {
      {"count", BufferCount},
      {"bytes", BufferBytes},
      {"dram_base", BufferDramBase},
      {"descriptor_base", DescriptorBase},
      {"descriptor_bytes", DescriptorBytes},
      {"headroom", BufferHeadroom},
      {"free_queue", {{"channel", FreeListChannel}, {"entry", FreeListEntry}}}};
}

nlohmann::json defaultManifest(const std::string &program,
                               const std::string &level) {
  using nlohmann::json;
  return {{"format", "karakal-image"},
          {"version", ImageVersion},
          {"target", "ixp2400"},
          {"program", program},
          {"level", level},
          {"aggregates", json::array()},
          {"engines", json::array()},
          {"buffers", describeBuffers()},
          {"rings", describeRings({})},
          {"drop_reasons", {"unspecified", "truncated", "no_port"}},
          {"drop_counters", DropCounterBase},
          {"globals", json::array()}};
}

bool exchangesCode(const nlohmann::json &manifest) {
  for (const nlohmann::json &aggregate :
       manifest.value("aggregates", nlohmann::json::array()))
    for (const nlohmann::json &variant :
         aggregate.value("variants", nlohmann::json::array()))
      if (variant.value("plain", false))
        return true;
  return false;
}

} // namespace karakal::target
