// Ports of DPDK: any device that its EAL can name.
//
// A frame comes in a buffer of the port's pool and stays in it until the core
// asks for the next burst; the program takes its bytes from there. What leaves
// is copied into a buffer of the same pool, where its device finds it.
//
// A card spreads flows over queues by a hash that is the same in both
// directions, and so does the kernel for some virtual devices. Other devices
// have queues in that the first core serves. Cores share a queue out if there
// are too few.
//
// DPDK tells of few devices that they are gone. So a device that has a kernel
// interface is asked for that interface about once a second; a device that is
// gone is closed, and opened again when that can be done.

#include "switch/Core.h"
#include "switch/EthdevModule.h"
#include "switch/ethdev/Eal.h"
#include "switch/ethdev/InterruptGate.h"
#include "switch/ethdev/Log.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <net/if.h>
#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_mbuf_pool_ops.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace karakal::sw {

namespace {

/// How a driver of virtual devices deals with queues: as many as the device
/// was given, as many as there are cores, or a number.
struct VirtualDriver {
  const char *name;
  uint16_t in, out;
  bool spreadsFlows;
  /// It takes frames that it then cannot send, and does not count them as sent.
  bool losesTaken;
};
constexpr uint16_t asGiven = 0, likeCores = UINT16_MAX;
constexpr VirtualDriver virtualDrivers[] = {
    {"net_af_packet", asGiven, likeCores, true, true},
    {"net_af_xdp", asGiven, likeCores, true, true},
    {"net_pcap", asGiven, likeCores, false, true},
    // What a core sends to its queue of a ring comes back to it: its flows do.
    {"net_ring", likeCores, likeCores, true, false},
    {"net_null", 1, likeCores, false, false},
    // One pair: both ends agree on the number.
    {"net_memif", 1, 1, false, false},
    {"net_tap", 1, 1, false, true},
};
constexpr VirtualDriver otherVirtual = {"", 1, likeCores, false, false};

/// Bytes that a Toeplitz hash multiplies an address and a port by; with these,
/// the two directions of a flow have one hash.
constexpr uint8_t symmetricKey[] = {0x6d, 0x5a};

constexpr uint32_t sendBurst = 64;
/// How many seconds both ends of a memif have to agree.
constexpr uint32_t connectTends = 10;
/// How long a device may take to send what is in its rings at the end.
constexpr uint32_t drainUs = 50'000;

/// A thread that is known to DPDK has a cache of buffers of its own.
void attachThread() {
  struct Attached {
    bool done = rte_lcore_id() == LCORE_ID_ANY && rte_thread_register() == 0;
    ~Attached() {
      if (done)
        rte_thread_unregister();
    }
  };
  static thread_local Attached attached;
}

/// A pool whose buffers follow one another. In common pages, DPDK would leave
/// the end of each page free, and net_af_xdp takes only a pool without holes.
rte_mempool *newPool(const std::string &name, uint32_t buffers, uint32_t cache,
                     int node) {
  uint32_t flags = rte_eal_has_hugepages() ? 0 : RTE_MEMPOOL_F_NO_IOVA_CONTIG;
  rte_pktmbuf_pool_private layout{};
  layout.mbuf_data_room_size = RTE_MBUF_DEFAULT_BUF_SIZE;
  rte_mempool *pool = rte_mempool_create_empty(
      name.c_str(), buffers, sizeof(rte_mbuf) + layout.mbuf_data_room_size,
      cache, sizeof layout, node, flags);
  if (!pool)
    return nullptr;
  bool done = rte_mempool_set_ops_byname(pool, rte_mbuf_best_mempool_ops(),
                                         nullptr) == 0;
  if (done) {
    rte_pktmbuf_pool_init(pool, &layout);
    done = rte_mempool_populate_default(pool) >= 0;
  }
  if (!done) {
    rte_mempool_free(pool);
    return nullptr;
  }
  rte_mempool_obj_iter(pool, rte_pktmbuf_init, nullptr);
  return pool;
}

class EthdevPort : public Port {
public:
  EthdevPort(const PortDescription &port, const PortOptions &options)
      : Port(port.text, options.cores), device(port.values.at("device")),
        poolBuffers(options.ethdevBuffers),
        gate(isMemif() ? &InterruptGate::get() : nullptr),
        queues(options.cores) {}
  ~EthdevPort() override { closeDevice(); }

  Status open();

  uint32_t receive(uint32_t queue, Frame *frames, uint32_t max) override;
  void send(uint32_t queue, const Frame *frames, uint32_t count) override;
  bool spreadsFlows() const override { return spreads; }
  bool isUp() const override { return up; }
  /// Whether a device that cannot be opened now waits for its other end.
  bool mayComeLater() const { return isFound && isMemifClient(); }
  void tend() override;
  PortCounts counts() const override;
  Status close() override;

private:
  static constexpr uint16_t noPort = UINT16_MAX;
  static constexpr std::string_view memif = "net_memif";

  /// What a core holds.
  struct alignas(64) Queue {
    rte_mbuf *held[CoreBurstMax];
    uint32_t heldCount = 0;
    uint32_t next = 0; ///< the device's queue to begin with
  };

  bool isOpen() const { return port != noPort; }
  bool isMemif() const { return device.compare(0, memif.size(), memif) == 0; }
  /// Whether it looks for its other end when it is opened, and only then.
  bool isMemifClient() const {
    return isMemif() && device.find("role=server") == std::string::npos &&
           device.find("role=master") == std::string::npos;
  }
  std::shared_lock<std::shared_mutex> guardFrames() {
    return gate ? std::shared_lock(gate->ports)
                : std::shared_lock<std::shared_mutex>();
  }
  std::unique_lock<std::shared_mutex> guardDevice() {
    return gate ? std::unique_lock(gate->ports)
                : std::unique_lock<std::shared_mutex>();
  }
  Error failed(const std::string &what, int code, LogCapture &log) const;
  Status find(LogCapture &log);
  void chooseQueues(const rte_eth_dev_info &info);
  Status makePool(LogCapture &log);
  Status configure(LogCapture &log);
  void release(Queue &queue);
  uint32_t takeBuffers(rte_mbuf **buffers, uint32_t count);
  void sendBuffers(uint32_t queue, rte_mbuf **buffers, uint32_t count);
  bool hasLink() const;
  bool isThere() const;
  void closeDevice();
  void closeGuarded();
  PortCounts deviceCounts() const;
  static int wasRemoved(uint16_t, rte_eth_event_type, void *self, void *) {
    static_cast<EthdevPort *>(self)->removed = true;
    return 0;
  }

  std::string device;
  uint32_t poolBuffers;
  InterruptGate *gate; ///< null if it is not needed
  uint16_t port = noPort;
  rte_mempool *pool = nullptr;
  bool isFound = false; ///< there is such a device
  bool isVirtual = false, losesTaken = false, spreads = false, up = false;
  std::atomic<bool> removed{false};
  uint32_t tendsWithoutLink = 0; ///< since it was opened
  uint16_t queuesIn = 1, queuesOut = 1;
  /// The kernel's interface of the device; 0: there is none.
  uint32_t interface = 0;
  std::string interfaceName;
  std::vector<Queue> queues;
  std::mutex sending; ///< where cores share a queue
  /// Frames that the device took.
  std::atomic<uint64_t> taken{0};
  /// Of devices that were closed.
  PortCounts before;
};

Error EthdevPort::failed(const std::string &what, int code,
                         LogCapture &log) const {
  std::string why = log.text();
  // Many drivers return -1 for any failure, and the log has the reason.
  if (code != -1)
    why = rte_strerror(-code) + (why.empty() ? "" : ": " + why);
  bool lacksRights = why.find("not permitted") != std::string::npos ||
                     why.find("Permission denied") != std::string::npos;
  return makeError(
      "E-switch-002",
      "DPDK device '" + device + "' " + what + ": " + why +
          (lacksRights ? "; run as root, or give the program the capabilities "
                         "that the device needs"
                       : ""));
}

/// Makes or finds the device; the first of its ports is taken.
Status EthdevPort::find(LogCapture &log) {
  auto search = [this] {
    rte_dev_iterator iterator;
    uint16_t id, first = noPort;
    RTE_ETH_FOREACH_MATCHING_DEV(id, device.c_str(), &iterator)
    if (first == noPort)
      first = id;
    return first;
  };
  port = search();
  if (isOpen()) // a card, which the start has found
    return success();
  if (int code = rte_dev_probe(device.c_str()))
    return failed("cannot be made", code, log);
  port = search();
  isFound = isOpen();
  if (!isFound)
    return failed("is no Ethernet device", -ENODEV, log);
  return success();
}

void EthdevPort::chooseQueues(const rte_eth_dev_info &info) {
  uint32_t cores = queueCount();
  auto within = [](uint32_t wanted, uint16_t max) {
    return uint16_t(std::max(1u, std::min<uint32_t>(wanted, max)));
  };
  if (!isVirtual) {
    bool hashes = info.flow_type_rss_offloads != 0;
    spreads = cores > 1 && hashes && info.max_rx_queues >= cores;
    queuesIn = spreads ? uint16_t(cores) : 1;
    queuesOut = within(cores, info.max_tx_queues);
    return;
  }
  VirtualDriver chosen = otherVirtual;
  for (const VirtualDriver &driver : virtualDrivers)
    if (std::strcmp(driver.name, info.driver_name) == 0)
      chosen = driver;
  losesTaken = chosen.losesTaken;
  queuesIn = chosen.in == asGiven ? info.max_rx_queues
                                  : within(chosen.in == likeCores ? cores : 1,
                                           info.max_rx_queues);
  queuesOut = within(chosen.out == likeCores ? cores : 1, info.max_tx_queues);
  spreads = chosen.spreadsFlows && queuesIn >= cores;
}

Status EthdevPort::makePool(LogCapture &log) {
  // Its buffers may stand in another port's rings, so it stays.
  if (pool)
    return success();
  static int number = 0;
  uint32_t buffers = poolBuffers;
  if (buffers == 0)
    buffers = EthdevDescriptors * (queuesIn + queuesOut) +
              4 * EthdevCacheBuffers * queueCount();
  uint32_t cache = std::min(EthdevCacheBuffers, buffers / 8);
  pool = newPool("bakersw" + std::to_string(number++), buffers, cache,
                 rte_eth_dev_socket_id(port));
  if (!pool)
    return failed("has no memory for " + std::to_string(buffers) + " buffers",
                  -rte_errno, log);
  return success();
}

Status EthdevPort::configure(LogCapture &log) {
  rte_eth_dev_info info;
  if (int code = rte_eth_dev_info_get(port, &info))
    return failed("does not tell what it can do", code, log);
  isVirtual = std::strcmp(rte_bus_name(rte_dev_bus(info.device)), "vdev") == 0;
  chooseQueues(info);
  interface = info.if_index;
  char name[IF_NAMESIZE] = "";
  if (interface != 0 && if_indextoname(interface, name))
    interfaceName = name;

  std::vector<uint8_t> key(info.hash_key_size);
  for (size_t i = 0; i < key.size(); ++i)
    key[i] = symmetricKey[i % sizeof symmetricKey];
  rte_eth_conf conf{};
  if (spreads && !isVirtual) {
    conf.rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
    conf.rx_adv_conf.rss_conf.rss_key = key.empty() ? nullptr : key.data();
    conf.rx_adv_conf.rss_conf.rss_key_len = uint8_t(key.size());
    conf.rx_adv_conf.rss_conf.rss_hf =
        info.flow_type_rss_offloads &
        (RTE_ETH_RSS_IP | RTE_ETH_RSS_TCP | RTE_ETH_RSS_UDP);
  }
  if (int code = rte_eth_dev_configure(port, queuesIn, queuesOut, &conf))
    return failed("cannot be configured", code, log);
  uint16_t in = EthdevDescriptors, out = EthdevDescriptors;
  if (int code = rte_eth_dev_adjust_nb_rx_tx_desc(port, &in, &out))
    return failed("cannot be configured", code, log);
  KARAKAL_ASSERT(queuesIn != 0 && queuesOut != 0, "a port has both ways");
  if (Status made = makePool(log); !made)
    return made;
  unsigned node = unsigned(rte_eth_dev_socket_id(port));
  for (uint16_t i = 0; i < queuesIn; ++i)
    if (int code = rte_eth_rx_queue_setup(port, i, in, node, nullptr, pool))
      return failed("cannot be configured", code, log);
  for (uint16_t i = 0; i < queuesOut; ++i)
    if (int code = rte_eth_tx_queue_setup(port, i, out, node, nullptr))
      return failed("cannot be configured", code, log);
  if (int code = rte_eth_dev_start(port))
    return failed("does not start", code, log);
  rte_eth_promiscuous_enable(port); // not all devices can
  rte_eth_dev_callback_register(port, RTE_ETH_EVENT_INTR_RMV, wasRemoved, this);
  return success();
}

Status EthdevPort::open() {
  auto guard = guardDevice();
  LogCapture log;
  Status done = find(log);
  if (done)
    done = configure(log);
  if (!done) {
    closeGuarded();
    return done;
  }
  up = isThere() && hasLink();
  tendsWithoutLink = 0;
  return success();
}

void EthdevPort::closeDevice() {
  auto guard = guardDevice();
  closeGuarded();
}

void EthdevPort::closeGuarded() {
  if (!isOpen())
    return;
  for (Queue &queue : queues)
    release(queue);
  before.add(deviceCounts());
  taken = 0;
  rte_eth_dev_info info;
  bool known = rte_eth_dev_info_get(port, &info) == 0;
  rte_eth_dev_callback_unregister(port, RTE_ETH_EVENT_INTR_RMV, wasRemoved,
                                  this);
  rte_eth_dev_stop(port);
  // Removing a device closes its ports.
  if (!known || rte_dev_remove(info.device) != 0)
    rte_eth_dev_close(port);
  port = noPort;
  removed = false;
}

void EthdevPort::release(Queue &queue) {
  if (queue.heldCount != 0)
    rte_pktmbuf_free_bulk(queue.held, queue.heldCount);
  queue.heldCount = 0;
}

uint32_t EthdevPort::receive(uint32_t index, Frame *frames, uint32_t max) {
  if (!isOpen())
    return 0;
  KARAKAL_ASSERT(index < queues.size() && (spreads || index == 0) && max != 0,
                 "a core has a queue and room for a frame");
  attachThread();
  Queue &queue = queues[index];
  PortCounts &counts = countsOf(index);
  release(queue);
  max = std::min(max, CoreBurstMax);
  // The device's queues of this core, in turn.
  uint32_t first = spreads ? index : 0, step = spreads ? queueCount() : 1;
  uint32_t own = first < queuesIn ? (queuesIn - first + step - 1) / step : 0;
  auto guard = guardFrames();
  for (uint32_t i = 0; i < own && queue.heldCount < max; ++i) {
    uint32_t at = first + (queue.next + i) % own * step;
    queue.heldCount +=
        rte_eth_rx_burst(port, uint16_t(at), queue.held + queue.heldCount,
                         uint16_t(max - queue.heldCount));
  }
  ++queue.next;
  uint32_t count = 0;
  for (uint32_t i = 0; i < queue.heldCount; ++i) {
    rte_mbuf *&buffer = queue.held[i];
    bool isWhole = rte_pktmbuf_linearize(buffer) == 0;
    if (isWhole && (buffer->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED))
      isWhole = rte_vlan_insert(&buffer) == 0;
    if (!isWhole || buffer->data_len == 0) {
      ++counts.damaged;
      continue;
    }
    frames[count].data = rte_pktmbuf_mtod(buffer, const uint8_t *);
    frames[count].bytes = buffer->data_len;
    counts.receivedBytes += buffer->data_len;
    ++count;
  }
  counts.received += count;
  return count;
}

/// Sends buffers with frames and frees those that the device does not take.
void EthdevPort::sendBuffers(uint32_t index, rte_mbuf **buffers,
                             uint32_t count) {
  KARAKAL_ASSERT(count != 0 && count <= sendBurst, "there is a burst to send");
  PortCounts &counts = countsOf(index);
  uint16_t at = uint16_t(index % queuesOut);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i)
    bytes += buffers[i]->data_len;
  uint32_t done;
  auto guard = guardFrames();
  if (queuesOut < queueCount()) {
    std::lock_guard<std::mutex> lock(sending);
    done = rte_eth_tx_burst(port, at, buffers, uint16_t(count));
  } else {
    done = rte_eth_tx_burst(port, at, buffers, uint16_t(count));
  }
  counts.sent += done;
  taken.fetch_add(done, std::memory_order_relaxed);
  for (uint32_t i = done; i < count; ++i)
    bytes -= buffers[i]->data_len;
  counts.sentBytes += bytes;
  if (done == count)
    return;
  (hasLink() ? counts.full : counts.noLink) += count - done;
  rte_pktmbuf_free_bulk(buffers + done, count - done);
}

/// Takes as many of `count` buffers as the pool has; returns how many.
uint32_t EthdevPort::takeBuffers(rte_mbuf **buffers, uint32_t count) {
  if (rte_pktmbuf_alloc_bulk(pool, buffers, count) == 0)
    return count;
  uint32_t got = 0;
  while (got < count && (buffers[got] = rte_pktmbuf_alloc(pool)))
    ++got;
  return got;
}

void EthdevPort::send(uint32_t index, const Frame *frames, uint32_t count) {
  PortCounts &counts = countsOf(index);
  if (!isOpen()) {
    counts.noLink += count;
    return;
  }
  attachThread();
  for (uint32_t first = 0; first < count; first += sendBurst) {
    rte_mbuf *buffers[sendBurst];
    uint32_t wanted = std::min(count - first, sendBurst);
    uint32_t got = takeBuffers(buffers, wanted);
    counts.noBuffer += wanted - got;
    uint32_t ready = 0;
    for (uint32_t i = 0; i < got; ++i) {
      const Frame &frame = frames[first + i];
      rte_mbuf *buffer = buffers[i];
      char *at = frame.bytes <= UINT16_MAX
                     ? rte_pktmbuf_append(buffer, uint16_t(frame.bytes))
                     : nullptr;
      if (!at) { // longer than a buffer
        ++counts.sendErrors;
        rte_pktmbuf_free(buffer);
        continue;
      }
      std::memcpy(at, frame.data, frame.bytes);
      buffers[ready++] = buffer;
    }
    if (ready != 0)
      sendBuffers(index, buffers, ready);
  }
}

bool EthdevPort::hasLink() const {
  rte_eth_link link;
  return rte_eth_link_get_nowait(port, &link) == 0 &&
         link.link_status == RTE_ETH_LINK_UP;
}

/// Whether the kernel's interface is there and set up, if there is one.
bool EthdevPort::isThere() const {
  if (interface == 0)
    return true;
  int handle = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  interfaceName.copy(request.ifr_name, IFNAMSIZ - 1);
  bool works = handle >= 0 && ioctl(handle, SIOCGIFFLAGS, &request) == 0 &&
               (request.ifr_flags & IFF_UP);
  if (handle >= 0)
    ::close(handle);
  return works;
}

void EthdevPort::tend() {
  bool isGone = removed || (interface != 0 &&
                            if_nametoindex(interfaceName.c_str()) != interface);
  // The client of a memif looks for the other end only when it is opened.
  bool isLost = isOpen() && isMemifClient() && !hasLink() &&
                (up || ++tendsWithoutLink == connectTends);
  if (isOpen() && (isGone || isLost))
    closeDevice();
  if (!isOpen()) {
    bool wasUp = up;
    up = false;
    // It may be there again.
    if (Status again = open(); !again && wasUp)
      std::fprintf(stderr, "bakersw: %s\n", again.error().str().c_str());
    if (wasUp)
      ++countsOf(0).downs;
    return;
  }
  bool works = isThere() && hasLink();
  if (up && !works)
    ++countsOf(0).downs;
  up = works;
}

/// What the device alone knows.
PortCounts EthdevPort::deviceCounts() const {
  PortCounts known;
  rte_eth_stats stats;
  if (!isOpen() || rte_eth_stats_get(port, &stats) != 0)
    return known;
  known.missed = stats.imissed;
  known.damaged = stats.ierrors;
  known.noBuffer = stats.rx_nombuf;
  // Virtual devices send while they take. Those that fail then take the frame
  // nevertheless.
  if (!isVirtual)
    known.sendErrors = stats.oerrors;
  else if (losesTaken && queuesOut <= RTE_ETHDEV_QUEUE_STAT_CNTRS &&
           stats.opackets < taken)
    known.sendErrors = taken - stats.opackets;
  return known;
}

PortCounts EthdevPort::counts() const {
  PortCounts sum = Port::counts();
  PortCounts device = before;
  device.add(deviceCounts());
  sum.add(device);
  sum.sent -= std::min(sum.sent, device.sendErrors);
  return sum;
}

Status EthdevPort::close() {
  // What stands in rings is for the device or the other end to take.
  if (taken != 0)
    usleep(drainUs);
  closeDevice();
  return success();
}

Result<std::unique_ptr<Port>> openDevice(const PortDescription &port,
                                         const PortOptions &options) {
  auto made = std::make_unique<EthdevPort>(port, options);
  if (Status opened = made->open(); !opened && !made->mayComeLater())
    return opened.error();
  return std::unique_ptr<Port>(std::move(made));
}

} // namespace

extern "C" const EthdevModule *karakalEthdevModule() {
  static const EthdevModule module = {startEal, openDevice};
  return &module;
}

} // namespace karakal::sw
