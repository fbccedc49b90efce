// Reads the optional tokens after the bracket of an instruction.

#include "target-ixp/assembler/AsmInstruction.h"

namespace karakal::target::as {

void InstructionReader::commandOption(const Option &option) {
  const std::string &name = option.name.text;
  bool swap = equalsIgnoringCase(name, "ctx_swap");
  if (swap || equalsIgnoringCase(name, "sig_done")) {
    if (option.arguments.size() != 1)
      fail(option.name.location, "E-target-ixp-111",
           "'" + name + "' needs one signal");
    else
      i.signal = static_cast<uint8_t>(signal(option.arguments[0]));
    i.ctxSwap = swap;
  } else if (equalsIgnoringCase(name, "indirect_ref")) {
    i.indirectRef = true;
  } else {
    fail(option.name.location, "E-target-ixp-111",
         "'" + item.mnemonic + "' takes no '" + name + "'");
  }
}

bool InstructionReader::crcOption(const std::string &name) {
  static const std::pair<const char *, CrcBytes> Bytes[] = {
      {"bytes_0_3", CrcBytes::All},      {"bytes_1_3", CrcBytes::From1To3},
      {"bytes_2_3", CrcBytes::From2To3}, {"byte_3", CrcBytes::Only3},
      {"bytes_0_2", CrcBytes::From0To2}, {"bytes_0_1", CrcBytes::From0To1},
      {"byte_0", CrcBytes::Only0}};
  for (const auto &[text, bytes] : Bytes)
    if (equalsIgnoringCase(name, text)) {
      i.crcBytes = bytes;
      return true;
    }
  bool isSwap = equalsIgnoringCase(name, "bit_swap");
  i.crcBitSwap |= isSwap;
  return isSwap;
}

bool InstructionReader::instructionOption(const Option &option) {
  const std::string &name = option.name.text;
  auto is = [&](const char *text) { return equalsIgnoringCase(name, text); };
  bool one = option.arguments.size() == 1;
  switch (item.row->format) {
  case Format::CtxArb:
    i.any |= is("any");
    if (!is("br") || !one)
      return is("any");
    i.hasTarget = true;
    i.target = static_cast<uint16_t>(target(option.arguments[0]));
    return true;
  case Format::LdField:
    return i.loadCc = is("load_cc");
  case Format::CamLookup:
    i.loadLm0 |= is("lm_addr0");
    i.loadLm1 |= is("lm_addr1");
    if (!one || !(is("lm_addr0") || is("lm_addr1")))
      return false;
    i.lmBlock = static_cast<uint8_t>(
        literal(option.arguments[0], 3, "lm_addr's block"));
    return true;
  case Format::Crc:
    return crcOption(name);
  case Format::MulStep: // the variant, which parseMul reads
  case Format::MulLast:
    return true;
  default:
    return false;
  }
}

void InstructionReader::options() {
  for (const Option &option : item.options) {
    const std::string &name = option.name.text;
    bool isDefer =
        equalsIgnoringCase(name, "defer") && option.arguments.size() == 1;
    bool taken = true;
    if (isDefer) {
      i.defer = static_cast<uint8_t>(literal(option.arguments[0], 3, "defer"));
      taken = item.row->maxDefer > 0;
    } else if (item.row->isCommand()) {
      commandOption(option);
    } else {
      taken = instructionOption(option);
    }
    if (!taken)
      fail(option.name.location, "E-target-ixp-111",
           "'" + item.mnemonic + "' takes no '" + name + "' here");
  }
}

} // namespace karakal::target::as
