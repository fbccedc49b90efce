// The memory map of the chip.
//
// The addresses and sizes that the compiler, the runtime microcode and the
// simulator share. Sources are tagged as in docs/image.md: [R] Linux drivers
// for the chip, [H] IXP2800 Hardware Reference Manual (sister chip), [K]
// Karakal's own software convention, [M] no source at hand, our choice.
//
// All memories are big-endian: a 32-bit word at address a is the bytes a..a+3,
// most significant first; the high half of a 64-bit word has the lower address.

#ifndef KARAKAL_TARGET_IXP_CHIP_MEMORYMAP_H
#define KARAKAL_TARGET_IXP_CHIP_MEMORYMAP_H

#include <cstdint>

namespace karakal::target {

//===-- Microengines ------------------------------------------------------===//

constexpr uint32_t ContextCount = 8;   ///< contexts of one engine [H]
constexpr uint32_t RxEngine = 0;       ///< receive microcode [K]
constexpr uint32_t AppEngineFirst = 1; ///< first engine of the program [K]

/// Hardware number of engine `index`: cluster in bit 4, engine of the cluster
/// below; 0x00-0x03 and 0x10-0x13 for two clusters of four [R], 0x00-0x07 and
/// 0x10-0x17 on the IXP2800 [H].
constexpr uint32_t engineHardwareNumber(uint32_t index,
                                        uint32_t clusterEngines) {
  return index % clusterEngines | index / clusterEngines << 4;
}
/// Engine index of a hardware number (inverse of the above).
constexpr uint32_t engineIndex(uint32_t hardwareNumber,
                               uint32_t clusterEngines) {
  return (hardwareNumber & 15) % clusterEngines +
         (hardwareNumber >> 4 & 1) * clusterEngines;
}

constexpr uint32_t TimestampTickCycles = 16;  ///< tick of TIMESTAMP_LOW [H]
constexpr uint32_t MicrowordBits = 40;        ///< [R]
constexpr uint32_t MicrowordBytes = 5;        ///< in an image, big-endian [R]
constexpr uint32_t GprPerBankPerContext = 16; ///< 8-context mode [H]
constexpr uint32_t GprPerBank = 128;          ///< absolute registers [H]
constexpr uint32_t XferPerContext = 16;       ///< each of S/D, in/out [H]
constexpr uint32_t NeighbourPerContext = 16;  ///< 8-context mode [H]
constexpr uint32_t LocalMemoryWords = 640;    ///< shared by contexts [H]
constexpr uint32_t CamEntries = 16;           ///< [H]
constexpr uint32_t CamEntryShift = 3;   ///< entry in cam_lookup's result [H]
constexpr uint32_t CamHit = 0x80;       ///< hit in cam_lookup's result [H]
constexpr uint32_t CacheLineWords = 16; ///< line of a CAM entry [H]
/// Local memory holds the cache lines of the CAM's entries, which all contexts
/// share, then the stacks of the contexts [K].
constexpr uint32_t CacheWords = CamEntries * CacheLineWords;
constexpr uint32_t StackWordsPerContext =
    (LocalMemoryWords - CacheWords) / ContextCount;
static_assert(StackWordsPerContext == 48, "three windows of 16 words");
constexpr uint32_t SignalCount = 15; ///< numbers 1..15 [H]

//===-- Ports and frames --------------------------------------------------===//

constexpr uint32_t PortCount = 4;        ///< default number of ports
constexpr uint32_t FrameBytesMin = 60;   ///< without CRC (IEEE 802.3)
constexpr uint32_t FrameBytesMax = 1522; ///< without CRC, two VLAN tags
constexpr uint32_t FrameCrcBytes = 4;    ///< counted in rates (RFC 2544)

//===-- Memories ----------------------------------------------------------===//

constexpr uint32_t SramChannelBytes = 4u << 20; ///< board choice [K]
constexpr uint32_t DramBytes = 64u << 20;       ///< board choice [K]
constexpr uint32_t ScratchBytes = 16u << 10;    ///< [H]
constexpr uint32_t SramChannelShift = 30;       ///< channel in bits 31:30 [H]
constexpr uint32_t QueueArrayEntries = 64;      ///< per SRAM channel [H]

/// SRAM byte address as microcode uses it: channel in bits 31:30.
constexpr uint32_t sramAddress(uint32_t channel, uint32_t byteAddress) {
  return channel << SramChannelShift | byteAddress;
}
/// Address word of a queue-array operation [H]: channel 31:30, entry 29:24,
/// longword address 23:0.
constexpr uint32_t queueWord(uint32_t channel, uint32_t entry,
                             uint32_t longwordAddress = 0) {
  return channel << 30 | entry << 24 | (longwordAddress & 0xffffff);
}

/// In the word of an indirect reference to DRAM [S], bit 20 makes bits 19:12
/// the byte mask of a write. Bit n is the byte at address + n of every quadword
/// [M].
constexpr uint32_t IndirectByteMask = 1u << 20;
constexpr uint32_t IndirectByteMaskShift = 12;

//===-- Packet buffers and descriptors [K] --------------------------------===//

constexpr uint32_t BufferCount = 4096;
constexpr uint32_t BufferBytes = 2048;
constexpr uint32_t BufferHeadroom = 128;     ///< received frames start here
constexpr uint32_t DescriptorBase = 0x10000; ///< SRAM channel 0, byte address
constexpr uint32_t DescriptorBytes = 68;     ///< 16 words and one unused
constexpr uint32_t HandleFirst = DescriptorBase / 4; ///< handle of buffer 0
constexpr uint32_t HandleStep = DescriptorBytes / 4;
constexpr uint32_t HandleMask = 0xffffff; ///< a handle has 24 bits, never 0
constexpr uint32_t HandleToDramShift = 7; ///< DRAM address = handle << 7
constexpr uint32_t BufferDramBase = HandleFirst << HandleToDramShift;
/// From one buffer to the next: an odd number of half blocks of a DRAM bank, so
/// that equal offsets in buffers lie in all banks, whatever power of two they
/// are and with no hash of the bank's number; and no multiple of three, so that
/// they lie in all channels of an IXP2800.
constexpr uint32_t BufferStride = HandleStep << HandleToDramShift;
static_assert(BufferStride >= BufferBytes &&
                  BufferStride % (2u << HandleToDramShift) != 0 &&
                  BufferStride % 3 != 0,
              "buffers are staggered over banks and channels");
static_assert(BufferDramBase == 0x200000, "first buffer");

constexpr uint32_t handleOfBuffer(uint32_t index) {
  return HandleFirst + index * HandleStep;
}
constexpr uint32_t descriptorAddress(uint32_t handle) { return handle * 4; }
constexpr uint32_t bufferAddress(uint32_t handle) {
  return handle << HandleToDramShift;
}

/// Words of a descriptor (word i at descriptor byte 4*i).
constexpr uint32_t DescriptorLink = 0;       ///< link of the free list
constexpr uint32_t DescriptorHeadLength = 1; ///< head << 16 | length
constexpr uint32_t DescriptorPorts = 2;    ///< rx << 24 | tx << 16 | flags (0)
constexpr uint32_t DescriptorSequence = 3; ///< counts packets of Rx, from 0
constexpr uint32_t DescriptorMetadata = 4; ///< first word of user metadata
constexpr uint32_t DescriptorWords = 16;

/// The free list: queue-array entry 0 of SRAM channel 0.
constexpr uint32_t FreeListChannel = 0;
constexpr uint32_t FreeListEntry = 0;

//===-- Scratch memory [K] ------------------------------------------------===//

constexpr uint32_t RingCount = 16;       ///< [H]
constexpr uint32_t StatusRingCount = 12; ///< rings 0..11 have input states [H]
constexpr uint32_t RingRx = 0;           ///< Rx to program, status "full"
constexpr uint32_t RingTx = 1;           ///< program/XScale to Tx, "full"
constexpr uint32_t RingToXScale = 2;     ///< program to XScale, "full"
constexpr uint32_t RingFromXScale = 3;   ///< XScale to program, "empty"
constexpr uint32_t RingFreeFirst = 4;    ///< 4..9 for the compiler, "full"
constexpr uint32_t RingFreeLast = 9;     ///< fewer on large chips

/// Words of a ring [H]: a power of two, here at least 256 (RingLayout.h).
constexpr uint32_t RingWordsMin = 256;
constexpr uint32_t RingWordsMax = 1024;
/// All rings lie below this byte of scratch [K].
constexpr uint32_t ScratchRingsEnd = 0x3000;

/// The first word of a ring message is number << 24 | handle, where the number
/// is a packet's port on the rings rx and tx, and the channel's id on all
/// others. The rings rx and tx have a second word, head << 16 | length. If it
/// is 0 or there is none, the descriptor holds port, head and length.
constexpr uint32_t RingMessageWords = 2;
constexpr uint32_t RingChannelShift = 24;
constexpr uint32_t RingPortShift = 24;

constexpr uint32_t ScratchGlobalsBase = 0x3000; ///< placement of globals
constexpr uint32_t ScratchGlobalsEnd = 0x3b00;
constexpr uint32_t RxPacketsCounter = 0x3b00; ///< word, written by Rx
constexpr uint32_t RxOversizeCounter = 0x3b04;
constexpr uint32_t TxPacketsCounter = 0x3b08; ///< word, written by Tx
constexpr uint32_t RxErrorsCounter = 0x3b0c;

/// Word i counts the packets ended for reason i.
constexpr uint32_t DropCounterBase = 0x3c00;
constexpr uint32_t DropCounterCount = 256;
constexpr uint32_t DropUnspecified = 0;
constexpr uint32_t DropTruncated = 1;
constexpr uint32_t DropProgramFirst = 2; ///< first reason of the program

//===-- Program data [K] --------------------------------------------------===//

/// Globals in SRAM: in channel 0 after the descriptors, in others from 0.
constexpr uint32_t Sram0GlobalsBase =
    DescriptorBase + BufferCount * DescriptorBytes;
static_assert(Sram0GlobalsBase == 0x54000, "end of the descriptors");
constexpr uint32_t SramGlobalsBase = 0;
/// Globals in DRAM: between the packet buffers and the XScale core's program.
constexpr uint32_t DramGlobalsBase =
    BufferDramBase + BufferCount * BufferStride;
static_assert(DramGlobalsBase == 0xa80000, "end of the buffers");

/// Code, data and stack in DRAM. Below, a table of 1,000,000 keys of 128 bits
/// has room (25 MB, `./dev bench tables`).
constexpr uint32_t XScaleBase = 0x2800000;
constexpr uint32_t XScaleEnd = 0x4000000;
constexpr uint32_t XScaleStackTop = 0x3f00000;  ///< grows downwards
constexpr uint32_t XScaleArguments = 0x3f10000; ///< 16 big-endian u64
constexpr uint32_t XScaleArgumentCount = 16;

//===-- The chip as the XScale core sees it -------------------------------===//

constexpr uint32_t XScaleDram = 0x00000000;         ///< [M]
constexpr uint32_t XScaleSram0 = 0x80000000;        ///< [R]
constexpr uint32_t XScaleSram1 = 0x90000000;        ///< [M]
constexpr uint32_t XScaleSramChannelShift = 28;     ///< channels 2, 3 on [M]
constexpr uint32_t XScaleScratch = 0xca000000;      ///< [M]
constexpr uint32_t XScaleCap = 0xc0000000;          ///< [R] registers
constexpr uint32_t XScaleLocalCsrs = 0xc0018000;    ///< [R] + ME * 0x400
constexpr uint32_t XScaleRingData = 0xcb400000;     ///< [R] + 4n: get and put
constexpr uint32_t XScaleRingStatus = 0xcb400100;   ///< [M] + 4n
constexpr uint32_t XScaleRingStatusEmpty = 1u << 0; ///< [M]
constexpr uint32_t XScaleRingStatusFull = 1u << 1;  ///< [M]
/// A word written here goes into a ring after the next word put and atomically
/// with it, so that no other producer's word comes between [K].
constexpr uint32_t XScaleRingSecond = 0xcb400140;
/// A word written here is the operand of the next read at XScaleScratchAdd or
/// XScaleSramAdd, which returns the old word and adds, sets bits, clears bits
/// or swaps, by the address: + 0, 4, 8, 12 [K].
constexpr uint32_t XScaleAtomicOperand = 0xcb400150;
constexpr uint32_t XScaleQueueArray = 0xcc000000; ///< [M]
constexpr uint32_t XScaleScratchAdd = 0xcd000000; ///< [M] + byte address
/// A write of a word at this base plus the byte address in channel 0 adds it to
/// the word there; other channels by XScaleSramChannelShift. A channel of any
/// size fits in front of the next one's [M].
constexpr uint32_t XScaleSramAdd = 0x8c000000;
/// A read at this base plus a byte address returns the word and sets its bit 0
/// [M].
constexpr uint32_t XScaleScratchTestSet = 0xcd100000;

/// The address at which a read dequeues and a write enqueues [M].
constexpr uint32_t xscaleQueue(uint32_t channel, uint32_t entry) {
  return XScaleQueueArray | channel << 16 | entry << 2;
}

//===-- MSF registers [R] (offsets in the MSF's space) --------------------===//

constexpr uint32_t MsfRxControl = 0x00;
constexpr uint32_t MsfTxControl = 0x04;
constexpr uint32_t MsfRxThreadFreelist = 0x30; ///< list 0; 4 lists
constexpr uint32_t MsfRbufElementDone = 0x44;
constexpr uint32_t MsfTxSequence = 0x60; ///< partition 0; 4 partitions
constexpr uint32_t MsfTbufElementControl = 0x1800; ///< + 8 * element
constexpr uint32_t MsfBufferData = 0x2000; ///< RBUF (read), TBUF (write)
constexpr uint32_t MsfBufferBytes = 8192;  ///< each of RBUF, TBUF
constexpr uint32_t MpacketBytes = 64;      ///< element size used here
constexpr uint32_t MpacketElements = MsfBufferBytes / MpacketBytes;

//===-- CAP registers [R] -------------------------------------------------===//

/// CAP offset of the rings' registers, 16 bytes a ring: base, head, tail [R].
constexpr uint32_t CapRings = 0x4800;
constexpr uint32_t CapXScaleIntA = 0x4b20; ///< CAP offset of XSCALE_INT_A

} // namespace karakal::target

#endif // KARAKAL_TARGET_IXP_CHIP_MEMORYMAP_H
