// The Firewall's rules by rte_acl. What is not IPv4, this forwarder drops.
//
//   rte_acl          rte_acl_classify, frame after frame
//   rte_acl bulk     rte_acl_classify of many frames

#include "target-ixp/chip/MemoryMap.h"
#include "tests/bench/x86/dpdk/Ethernet.h"
#include "tests/bench/x86/dpdk/Packets.h"
#include "tests/bench/x86/dpdk/Tables.h"
#include <rte_acl.h>
#include <rte_memory.h>

namespace karakal::bench {

namespace {

constexpr uint8_t Icmp = 1, Tcp = 6, Udp = 17;
constexpr uint32_t AnyProtocol = 256, PortLast = 65535;
constexpr uint32_t FlowCount = 1024, FlowDefault = FlowCount;
/// Bits that tell which fields a packet has.
constexpr uint8_t HasPorts = 1, HasFlags = 2;

/// The fields that rules match, as rte_acl takes them: the first is a byte, the
/// others come in groups of four bytes.
struct Fields {
  uint8_t protocol, unused[3];
  uint8_t source[4], destination[4];
  uint8_t sourcePort[2], destinationPort[2];
  uint8_t tos, flags, has, filler;
};
static_assert(sizeof(Fields) == 20, "as rte_acl reads it");

enum Field {
  Protocol,
  Source,
  Destination,
  SourcePort,
  DestinationPort,
  Tos,
  Flags,
  Has,
  Filler,
  FieldCount
};

RTE_ACL_RULE_DEF(AclRule, FieldCount);

constexpr uint8_t Bits = RTE_ACL_FIELD_TYPE_BITMASK,
                  Prefix = RTE_ACL_FIELD_TYPE_MASK,
                  Range = RTE_ACL_FIELD_TYPE_RANGE;
constexpr rte_acl_field_def definitions[FieldCount] = {
    {Bits, 1, Protocol, 0, offsetof(Fields, protocol)},
    {Prefix, 4, Source, 1, offsetof(Fields, source)},
    {Prefix, 4, Destination, 2, offsetof(Fields, destination)},
    {Range, 2, SourcePort, 3, offsetof(Fields, sourcePort)},
    {Range, 2, DestinationPort, 3, offsetof(Fields, destinationPort)},
    {Bits, 1, Tos, 4, offsetof(Fields, tos)},
    {Bits, 1, Flags, 4, offsetof(Fields, flags)},
    {Bits, 1, Has, 4, offsetof(Fields, has)},
    {Bits, 1, Filler, 4, offsetof(Fields, filler)},
};

/// Of the header of a transport protocol, what must be there.
uint32_t neededBytes(uint8_t protocol) {
  return protocol == Tcp ? 20 : protocol == Udp || protocol == Icmp ? 8 : 0;
}

struct Work {
  using Key = Fields;
  using Found = uint32_t;

  bool check(const uint8_t *frame, uint32_t bytes, uint32_t, Key &key) const {
    const uint8_t *header = frame + EthernetBytes;
    uint32_t headerBytes = (header[0] & 15) * 4, length = half(header + 2);
    if (half(frame + 12) != 0x0800 || header[0] >> 4 != 4 || headerBytes < 20 ||
        length < headerBytes || length > bytes - EthernetBytes)
      return false;
    uint8_t protocol = header[9];
    uint32_t fragment = half(header + 6) & 0x1fff;
    if (fragment == 1 && protocol == Tcp)
      return false;
    uint32_t needed = fragment == 0 ? neededBytes(protocol) : 0;
    if (length - headerBytes < needed)
      return false;
    key = {};
    key.protocol = protocol;
    key.tos = header[1];
    std::memcpy(key.source, header + 12, 8);
    if (needed != 0)
      addTransport(header + headerBytes, key);
    return true;
  }

  bool rewrite(uint8_t *, Found found, uint32_t &port) const {
    // rte_acl gives 0 where no rule matches.
    if (isDropped[found == 0 ? FlowDefault : found - 1])
      return false;
    port = peer[port];
    return true;
  }

  uint8_t peer[target::PortCount] = {1, 0, 3, 2};
  std::vector<bool> isDropped = std::vector<bool>(FlowCount + 1);

private:
  static void addTransport(const uint8_t *at, Key &key) {
    if (key.protocol == Icmp) {
      key.has = HasFlags;
      key.flags = at[0];
      return;
    }
    key.has = HasPorts;
    std::memcpy(key.sourcePort, at, 4);
    if (key.protocol == Tcp) {
      key.has = HasPorts | HasFlags;
      key.flags = at[13];
    }
  }
};

/// `count` classifications at once.
void classify(const rte_acl_ctx *rules, const Fields *keys, uint32_t count,
              uint32_t *found) {
  const uint8_t *pointers[TogetherMax];
  for (uint32_t i = 0; i < count; ++i)
    pointers[i] = &keys[i].protocol;
  if (count != 0)
    rte_acl_classify(rules, pointers, found, count, 1);
}

template <uint32_t Most> struct Classify {
  static constexpr uint32_t Together = Most;
  const rte_acl_ctx *rules;

  void find(const Fields *keys, uint32_t count, uint32_t *found) const {
    classify(rules, keys, count, found);
  }
};

/// A rule of rule_add.
AclRule ruleOf(const std::vector<int64_t> &args, size_t number) {
  AclRule rule{};
  rule.data.category_mask = 1;
  rule.data.priority = int32_t(RTE_ACL_MAX_PRIORITY - number);
  rule.data.userdata = uint32_t(args[0]) + 1;
  auto set = [&](Field field, uint64_t value, uint64_t range) {
    rule.field[field].value.u64 = value;
    rule.field[field].mask_range.u64 = range;
  };
  auto at = [&](size_t i) { return uint64_t(args[i]); };
  set(Source, at(1), at(2));
  set(Destination, at(3), at(4));
  set(SourcePort, at(5), at(6));
  set(DestinationPort, at(7), at(8));
  if (at(9) != AnyProtocol)
    set(Protocol, at(9), 255);
  set(Tos, at(10) & at(11), at(11));
  set(Flags, at(12) & at(13), at(13));
  bool anyPorts =
      at(5) == 0 && at(6) == PortLast && at(7) == 0 && at(8) == PortLast;
  uint8_t has = (anyPorts ? 0 : HasPorts) | (at(13) != 0 ? HasFlags : 0);
  set(Has, has, has);
  return rule;
}

class Firewall final : public Job {
public:
  explicit Firewall(const Calls &calls) {
    for (const traces::ControlCall &call : calls) {
      if (isCall(call, "rule_add"))
        rules.push_back(ruleOf(call.args, rules.size()));
      else if (isCall(call, "flow_action"))
        work.isDropped[size_t(call.args[0]) % FlowCount] = call.args[1] != 0;
      else if (isCall(call, "default_action"))
        work.isDropped[FlowDefault] = call.args[0] != 0;
    }
  }

  uint64_t memoryMib() const override { return 256 + rules.size() / 2; }

  Status fill() override {
    rte_acl_param parameters{};
    parameters.name = "rules";
    parameters.socket_id = SOCKET_ID_ANY;
    parameters.rule_size = RTE_ACL_RULE_SZ(FieldCount);
    parameters.max_rule_num = uint32_t(rules.size() + 1);
    context = rte_acl_create(&parameters);
    if (!context)
      return dpdkError("rte_acl_create");
    if (int done = rte_acl_add_rules(
            context, reinterpret_cast<const rte_acl_rule *>(rules.data()),
            uint32_t(rules.size()));
        done != 0)
      return dpdkError("rte_acl_add_rules", -done);
    rte_acl_config config{};
    config.num_categories = 1;
    config.num_fields = FieldCount;
    std::copy(std::begin(definitions), std::end(definitions), config.defs);
    if (int done = rte_acl_build(context, &config); done != 0)
      return dpdkError("rte_acl_build", -done);
    return success();
  }

  std::vector<Variant> variants() override {
    std::vector<Variant> all;
    addVariants(all, "rte_acl", work, Classify<1>{context});
    addVariants(all, "rte_acl bulk", work, Classify<TogetherMax>{context});
    return all;
  }

private:
  Work work;
  std::vector<AclRule> rules;
  rte_acl_ctx *context = nullptr;
};

} // namespace

std::unique_ptr<Job> makeFirewall(const Calls &calls) {
  return std::make_unique<Firewall>(calls);
}

} // namespace karakal::bench
