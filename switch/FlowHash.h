// The flow of a frame, as a number.

#ifndef KARAKAL_SWITCH_FLOWHASH_H
#define KARAKAL_SWITCH_FLOWHASH_H

#include "codegen-x86/LiveProgram.h"

namespace karakal::sw {

/// A number that all frames of a flow share, in both directions: of the IP
/// addresses, the protocol and, unless the packet is a fragment, the ports; for
/// other frames of both Ethernet addresses and the type. Tags are passed over.
uint32_t flowHash(const x86::Frame &frame);

} // namespace karakal::sw

#endif // KARAKAL_SWITCH_FLOWHASH_H
