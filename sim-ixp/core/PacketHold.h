// How the core keeps packets away while it changes tables.

#ifndef KARAKAL_SIM_IXP_CORE_PACKETHOLD_H
#define KARAKAL_SIM_IXP_CORE_PACKETHOLD_H

namespace karakal::sim {

/// What a batch of control calls needs of the chip.
class PacketHold {
public:
  virtual ~PacketHold() = default;
  /// From now on no frame comes from the ports, or they come again.
  virtual void setHeld(bool isHeld) = 0;
  /// Whether no packet is in the chip.
  virtual bool isEmpty() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_PACKETHOLD_H
