// Protocols.
//
// Fields follow one another without gaps, from the most significant bit of the
// header's first byte. An array as the last field is the variable part of the
// header; the demux expression then tells the whole size in bytes.

#include "baker-lang/sema/Sema.h"

namespace karakal::lang {

/// Longest header: half of a packet buffer.
static constexpr uint64_t headerBitsMax = 1024 * 8;

void Sema::resolveProtocol(ProtocolDecl &decl) {
  if (decl.progress != Progress::Fresh) {
    if (decl.progress == Progress::Busy)
      error(DiagId::ConstantCycle, decl.range,
            "the size of the protocol '" + decl.name +
                "' is defined by itself");
    return;
  }
  decl.progress = Progress::Busy;
  decl.scope.parent = &program.scope;
  if (decl.fields.empty() && !isSuspect(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the protocol '" + decl.name + "' has no fields");
  uint64_t offsetBits = 0, fixedBits = 0;
  for (auto &field : decl.fields) {
    field->protocol = &decl;
    bool isLast = &field == &decl.fields.back();
    declare(decl.scope, field.get());
    resolveProtocolField(*field, offsetBits, isLast);
    if (!isLast || !field->isArray)
      fixedBits = offsetBits;
  }
  resolveDemux(decl, fixedBits);
  decl.progress = Progress::Done;
}

void Sema::resolveProtocolField(ProtocolFieldDecl &field, uint64_t &offsetBits,
                                bool isLast) {
  field.type = types.error();
  field.offsetBits = uint32_t(offsetBits);
  auto width =
      constantOf(*field.widthSyntax, program.scope, "the width of a field");
  if (!width)
    return;
  bool isOddElement = field.countSyntax && *width > 64 && *width != 128;
  if (*width < 1 || *width > 128 || isOddElement) {
    error(DiagId::BadWidth, field.widthSyntax->range,
          "the field '" + field.name + "' has " +
              constantText(*width, field.widthSyntax->type) + " bits; 1 to " +
              (field.countSyntax ? "64, or 128, are possible in an array"
                                 : "128 are possible"))
        .note("a wider field can be declared as an array, for example "
              "'address : 32[8]'");
    return;
  }
  field.type = types.integer(unsigned(*width), false);
  if (field.countSyntax) {
    auto count =
        constantOf(*field.countSyntax, program.scope, "the number of elements");
    if (!count)
      return;
    if (*count < 1 || *count > headerBitsMax) {
      error(DiagId::BadArraySize, field.countSyntax->range,
            "a field cannot have " +
                constantText(*count, field.countSyntax->type) + " elements");
      return;
    }
    field.count = uint32_t(*count);
    field.isArray = true;
  }
  offsetBits += *width * field.count;
  if (offsetBits <= headerBitsMax)
    return;
  error(DiagId::TooBig, field.range,
        "the header is longer than " + std::to_string(headerBitsMax / 8) +
            " bytes");
  offsetBits = field.offsetBits;
  field.protocol->hasTooLongField = true;
}

void Sema::resolveDemux(ProtocolDecl &decl, uint64_t fixedBits) {
  for (SourceRange extra : decl.extraDemux)
    error(DiagId::BadDemux, extra, "a protocol has one demux")
        .note(decl.demuxRange, "the first one stands here");
  decl.bytesMin = uint32_t((fixedBits + 7) / 8);
  if (!decl.demux) {
    error(DiagId::BadDemux, decl.range,
          "the protocol '" + decl.name + "' has no demux")
        .note("it gives the size of the header in bytes, for example "
              "'demux { " +
              std::to_string(decl.bytesMin) + " };'");
    return;
  }
  Scope *saved = scope;
  scope = &decl.scope;
  bool isScalar = checkScalar(*decl.demux);
  scope = saved;
  if (!isScalar || !decl.demux->constant)
    return;
  uint64_t bytes = *decl.demux->constant;
  bool isTooLong = bytes > headerBitsMax / 8;
  if (isTooLong && !decl.hasTooLongField)
    error(DiagId::TooBig, decl.demux->range,
          "the header is longer than " + std::to_string(headerBitsMax / 8) +
              " bytes");
  else if (!isTooLong && bytes * 8 < fixedBits)
    error(DiagId::BadDemux, decl.demux->range,
          "the demux of '" + decl.name + "' is " +
              constantText(bytes, decl.demux->type) +
              " bytes, but its fields take " + std::to_string(decl.bytesMin));
  decl.bytesMin = uint32_t(bytes);
  decl.isConstantSize = true;
}

} // namespace karakal::lang
