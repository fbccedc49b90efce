#include "target-ixp/image/Manifest.h"

#include "target-ixp/chip/MemoryMap.h"
#include "target-ixp/image/Image.h"

namespace karakal::target {

nlohmann::json defaultManifest(const std::string &program,
                               const std::string &level) {
  using nlohmann::json;
  json rings = json::array();
  for (uint32_t ring = 0; ring < StatusRingCount; ++ring) {
    std::string name = ring == RingRx           ? "rx"
                       : ring == RingTx         ? "tx"
                       : ring == RingToXScale   ? "to_xscale"
                       : ring == RingFromXScale ? "from_xscale"
                                                : "ring" + std::to_string(ring);
    rings.push_back({{"number", ring},
                     {"name", name},
                     {"base", ringBase(ring)},
                     {"words", ringWords(ring)},
                     {"status", ring == RingFromXScale ? "empty" : "full"}});
  }
  return {{"format", "karakal-image"},
          {"version", ImageVersion},
          {"target", "ixp2400"},
          {"program", program},
          {"level", level},
          {"aggregates", json::array()},
          {"engines", json::array()},
          {"buffers",
           {{"count", BufferCount},
            {"bytes", BufferBytes},
            {"dram_base", BufferDramBase},
            {"descriptor_base", DescriptorBase},
            {"descriptor_bytes", DescriptorBytes},
            {"headroom", BufferHeadroom},
            {"free_queue",
             {{"channel", FreeListChannel}, {"entry", FreeListEntry}}}}},
          {"rings", rings},
          {"drop_reasons", {"unspecified", "truncated"}},
          {"drop_counters", DropCounterBase},
          {"globals", json::array()}};
}

} // namespace karakal::target
