#include "baker-lang/tree/Primitives.h"

#include "support/Error.h"

namespace karakal::lang {

const std::vector<std::string> &primitiveNames() {
  static const std::vector<std::string> names = {
      "packet_decap",    "packet_encap",
      "packet_extend",   "packet_shorten",
      "packet_add_tail", "packet_remove_tail",
      "packet_create",   "packet_copy",
      "packet_drop",     "packet_length",
      "channel_put",     "atomic_add",
      "hash48",          "hash64",
      "hash128",         "timestamp",
      "random",          "trace",
      "drop_count",      "refusal",
      "atomic_or",       "atomic_and",
      "atomic_swap",     "packet_insert",
      "packet_remove",   "packet_copy_header",
      "queue_put",       "queue_take",
      "queue_length",    "queue_next_bytes"};
  KARAKAL_ASSERT(names.size() == size_t(Primitive::QueueNextBytes),
                 "one name for each primitive");
  return names;
}

Primitive primitiveNamed(const std::string &name) {
  const std::vector<std::string> &names = primitiveNames();
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name)
      return Primitive(i + 1); // None has no name
  return Primitive::None;
}

} // namespace karakal::lang
