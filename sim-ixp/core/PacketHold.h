// How the core keeps packets away while it changes tables, and whether packets
// still come.

#ifndef KARAKAL_SIM_IXP_CORE_PACKETHOLD_H
#define KARAKAL_SIM_IXP_CORE_PACKETHOLD_H

namespace karakal::sim {

/// What control calls need of the chip.
class PacketHold {
public:
  virtual ~PacketHold() = default;
  /// From now on no frame comes from the ports, or they come again.
  virtual void setHeld(bool isHeld) = 0;
  /// Whether no packet is in the chip.
  virtual bool isEmpty() const = 0;
  /// Whether all frames have come.
  virtual bool isOver() const = 0;
};

} // namespace karakal::sim

#endif // KARAKAL_SIM_IXP_CORE_PACKETHOLD_H
