// A port on a Linux interface, by sockets of the family AF_PACKET.
//
// Each core has a socket; the kernel gives a flow always to the same one. The
// kernel leaves two things undone that a frame on a wire has: a VLAN tag that
// it keeps beside the frame, and a checksum that it expects the card to fill
// in. Both are put in place here. An interface that goes away is looked for by
// its name until it is there again.

#include "switch/Ports.h"
#include "traces/Wire.h"
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace karakal::sw {

namespace {

constexpr uint32_t burstMax = 64;
constexpr uint32_t tagBytes = 4;
constexpr uint32_t macBytes = 12;
/// The longest frame that is read; it is longer than what a program takes, so
/// that what is too long is seen to be.
constexpr uint32_t readBytesMax = 2048;

/// What the kernel tells in front of a frame: `struct virtio_net_hdr` of
/// <linux/virtio_net.h>, which C++ compilers do not take.
struct SocketHeader {
  uint8_t flags, gsoType;
  uint16_t headerBytes, gsoBytes, checksumStart, checksumOffset;
};
constexpr uint8_t needsChecksum = 1;

/// Adds the checksum that the sender left to its card: that of the bytes from
/// `start` on, at `offset` after it. False if the frame does not have them.
bool addChecksum(uint8_t *frame, uint32_t bytes, uint32_t start,
                 uint32_t offset) {
  if (start + offset + 2 > bytes)
    return false;
  uint32_t sum = 0;
  for (uint32_t i = start; i < bytes; i += 2)
    sum += frame[i] << 8 | (i + 1 < bytes ? frame[i + 1] : 0);
  while (sum >> 16 != 0)
    sum = (sum & 0xffff) + (sum >> 16);
  uint32_t check = ~sum & 0xffff;
  // UDP has no checksum if the field is zero.
  check = check == 0 ? 0xffff : check;
  frame[start + offset] = uint8_t(check >> 8);
  frame[start + offset + 1] = uint8_t(check);
  return true;
}

/// The socket of one queue, with room for a burst.
class Socket {
public:
  ~Socket() { close(); }
  Socket() = default;
  Socket(const Socket &) = delete;

  /// Binds a new socket; `queues` sockets of the same `group` share the flows.
  /// Returns 0 or errno.
  int open(uint32_t index, uint32_t queues, uint16_t group);
  void close();
  int descriptor() const { return handle; }
  bool isOpen() const { return handle >= 0; }
  uint32_t receive(Frame *frames, uint32_t max, PortCounts &counts);
  void send(const Frame *frames, uint32_t count, PortCounts &counts);

private:
  struct Slot {
    SocketHeader header;
    /// A frame is read after room for its tag.
    std::array<uint8_t, tagBytes + readBytesMax> bytes;
    alignas(cmsghdr)
        std::array<uint8_t, CMSG_SPACE(sizeof(tpacket_auxdata))> control;
  };
  bool complete(Slot &slot, const mmsghdr &message, Frame &frame);

  int handle = -1;
  std::vector<Slot> slots = std::vector<Slot>(burstMax);
};

int Socket::open(uint32_t index, uint32_t queues, uint16_t group) {
  KARAKAL_ASSERT(handle < 0, "a socket is closed before it is opened again");
  handle = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (handle < 0)
    return errno;
  auto set = [&](int name, auto value) {
    return setsockopt(handle, SOL_PACKET, name, &value, sizeof value) == 0;
  };
  packet_mreq promiscuous{};
  promiscuous.mr_ifindex = int(index);
  promiscuous.mr_type = PACKET_MR_PROMISC;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = int(index);
  int bufferBytes = 4 << 20;
  setsockopt(handle, SOL_SOCKET, SO_RCVBUFFORCE, &bufferBytes,
             sizeof bufferBytes);
  set(PACKET_QDISC_BYPASS, 1); // as fast as possible, not needed
  bool done = set(PACKET_AUXDATA, 1) && set(PACKET_VNET_HDR, 1) &&
              set(PACKET_IGNORE_OUTGOING, 1) &&
              set(PACKET_ADD_MEMBERSHIP, promiscuous) &&
              bind(handle, reinterpret_cast<sockaddr *>(&address),
                   sizeof address) == 0 &&
              (queues == 1 ||
               set(PACKET_FANOUT, int(group | PACKET_FANOUT_HASH << 16)));
  int error = done ? 0 : errno;
  if (!done)
    close();
  return error;
}

void Socket::close() {
  if (handle >= 0)
    ::close(handle);
  handle = -1;
}

/// Makes of what was read the frame that was on the wire; false if it is cut.
bool Socket::complete(Slot &slot, const mmsghdr &message, Frame &frame) {
  uint32_t bytes = message.msg_len;
  if (bytes <= sizeof slot.header || (message.msg_hdr.msg_flags & MSG_TRUNC))
    return false;
  bytes -= sizeof slot.header;
  uint8_t *at = slot.bytes.data() + tagBytes;
  const SocketHeader &header = slot.header;
  // A segment that the sender left to its card to cut is no frame.
  if (header.gsoType != 0)
    return false;
  if ((header.flags & needsChecksum) &&
      !addChecksum(at, bytes, header.checksumStart, header.checksumOffset))
    return false;
  auto *message_header = const_cast<msghdr *>(&message.msg_hdr);
  for (cmsghdr *part = CMSG_FIRSTHDR(message_header); part;
       part = CMSG_NXTHDR(message_header, part)) {
    if (part->cmsg_level != SOL_PACKET || part->cmsg_type != PACKET_AUXDATA)
      continue;
    tpacket_auxdata about;
    std::memcpy(&about, CMSG_DATA(part), sizeof about);
    if (!(about.tp_status & TP_STATUS_VLAN_VALID) || bytes < macBytes)
      continue;
    std::memmove(at - tagBytes, at, macBytes);
    at -= tagBytes;
    bytes += tagBytes;
    bool hasType = about.tp_status & TP_STATUS_VLAN_TPID_VALID;
    uint16_t tag[2] = {htons(hasType ? about.tp_vlan_tpid : ETH_P_8021Q),
                       htons(about.tp_vlan_tci)};
    std::memcpy(at + macBytes, tag, sizeof tag);
  }
  frame.data = at;
  frame.bytes = bytes;
  return true;
}

uint32_t Socket::receive(Frame *frames, uint32_t max, PortCounts &counts) {
  if (handle < 0)
    return 0;
  std::array<mmsghdr, burstMax> messages{};
  std::array<std::array<iovec, 2>, burstMax> parts;
  max = std::min(max, burstMax);
  for (uint32_t i = 0; i < max; ++i) {
    Slot &slot = slots[i];
    parts[i] = {{{&slot.header, sizeof slot.header},
                 {slot.bytes.data() + tagBytes, readBytesMax}}};
    msghdr &header = messages[i].msg_hdr;
    header.msg_iov = parts[i].data();
    header.msg_iovlen = 2;
    header.msg_control = slot.control.data();
    header.msg_controllen = slot.control.size();
  }
  int got = recvmmsg(handle, messages.data(), max, MSG_DONTWAIT, nullptr);
  if (got < 0)
    return 0; // nothing there, or the interface is not: see `tend`
  uint32_t count = 0;
  for (int i = 0; i < got; ++i) {
    if (!complete(slots[i], messages[i], frames[count])) {
      ++counts.damaged;
      continue;
    }
    counts.receivedBytes += frames[count].bytes;
    ++count;
  }
  counts.received += count;
  return count;
}

void Socket::send(const Frame *frames, uint32_t count, PortCounts &counts) {
  if (handle < 0) {
    counts.sendErrors += count;
    return;
  }
  SocketHeader header{};
  std::array<mmsghdr, burstMax> messages{};
  std::array<std::array<iovec, 2>, burstMax> parts;
  while (count != 0) {
    uint32_t now = std::min(count, burstMax);
    for (uint32_t i = 0; i < now; ++i) {
      parts[i] = {{{&header, sizeof header},
                   {const_cast<uint8_t *>(frames[i].data), frames[i].bytes}}};
      messages[i].msg_hdr.msg_iov = parts[i].data();
      messages[i].msg_hdr.msg_iovlen = 2;
    }
    int done = sendmmsg(handle, messages.data(), now, MSG_DONTWAIT);
    // The first one cannot be sent; the others may still be.
    if (done <= 0) {
      bool isFull = errno == EAGAIN || errno == ENOBUFS;
      ++(isFull ? counts.full : counts.sendErrors);
      done = 1;
    } else {
      counts.sent += uint32_t(done);
      for (int i = 0; i < done; ++i)
        counts.sentBytes += frames[i].bytes;
    }
    frames += done;
    count -= uint32_t(done);
  }
}

class PacketSocketPort : public Port {
public:
  PacketSocketPort(const PortDescription &port, uint32_t cores)
      : Port(port.text, cores), name(port.values.at("iface")), sockets(cores) {}

  /// Returns 0 or errno.
  int open() {
    for (Socket &socket : sockets)
      socket.close();
    index = if_nametoindex(name.c_str());
    if (index == 0)
      return errno;
    for (Socket &socket : sockets) {
      if (int error = socket.open(index, queueCount(), uint16_t(index)))
        return error;
    }
    return 0;
  }

  uint32_t receive(uint32_t queue, Frame *frames, uint32_t max) override {
    return sockets[queue].receive(frames, max, countsOf(queue));
  }
  void send(uint32_t queue, const Frame *frames, uint32_t count) override {
    sockets[queue].send(frames, count, countsOf(queue));
  }
  bool spreadsFlows() const override { return true; }
  int descriptor(uint32_t queue) const override {
    return sockets[queue].descriptor();
  }
  bool isUp() const override { return up; }

  void tend() override {
    if (if_nametoindex(name.c_str()) != index || !sockets[0].isOpen())
      open();
    bool works = sockets[0].isOpen() && isSetUp();
    if (up && !works)
      ++countsOf(0).downs;
    up = works;
  }

private:
  /// Whether the interface is there and set up.
  bool isSetUp() const {
    ifreq request{};
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    return ioctl(sockets[0].descriptor(), SIOCGIFFLAGS, &request) == 0 &&
           (request.ifr_flags & IFF_UP);
  }

  std::string name;
  uint32_t index = 0;
  bool up = true;
  std::vector<Socket> sockets;
};

} // namespace

Result<std::unique_ptr<Port>> openPacketSocket(const PortDescription &port,
                                               const PortOptions &options) {
  auto found = port.values.find("iface");
  if (found == port.values.end())
    return makeError("E-switch-001",
                     "port '" + port.text +
                         "' names no interface: af_packet,iface=NAME");
  auto made = std::make_unique<PacketSocketPort>(port, options.cores);
  int error = made->open();
  if (error == 0)
    return std::unique_ptr<Port>(std::move(made));
  std::string remedy;
  if (error == EPERM)
    remedy = "; run as root or give the program CAP_NET_RAW";
  else if (error == ENODEV)
    remedy = "; `ip link` lists the interfaces, and a word that is no "
             "interface may be a driver (--help)";
  return makeError("E-switch-002",
                   "interface '" + found->second +
                       "' cannot be opened: " + std::strerror(error) + remedy);
}

} // namespace karakal::sw
