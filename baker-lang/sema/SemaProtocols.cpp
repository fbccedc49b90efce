// Protocols.
//
// Fields follow one another without gaps, beginning with the most significant
// bit of the header's first byte. If the last field is an array, it is the
// variable part of the header. The demux expression then gives the size of the
// whole header in bytes.

#include "baker-lang/sema/Sema.h"

#include "support/Error.h"

#include "llvm/Support/SaveAndRestore.h"

namespace karakal::lang {

/// Longest header: half of a packet buffer.
static constexpr uint64_t headerBitsMax = 1024 * 8;

static std::string headerTooLong() {
  return "the header is longer than " + std::to_string(headerBitsMax / 8) +
         " bytes";
}

void Sema::resolveProtocol(ProtocolDecl &decl) {
  if (decl.progress == Progress::Done)
    return;
  if (decl.progress == Progress::InProgress) {
    error(DiagId::ConstantCycle, decl.range,
          "the size of the protocol '" + decl.name + "' is defined by itself");
    return;
  }
  decl.progress = Progress::InProgress;
  decl.scope.parent = &program.scope;
  if (decl.fields.empty() && !isUnparsed(decl.name))
    error(DiagId::EmptyDeclaration, decl.range,
          "the protocol '" + decl.name + "' has no fields");
  uint64_t offsetBits = 0, fixedBits = 0;
  for (auto &field : decl.fields) {
    field->protocol = &decl;
    declare(decl.scope, field.get());
    resolveProtocolField(*field, offsetBits);
    bool isVariablePart = field->isArray && &field == &decl.fields.back();
    if (!isVariablePart)
      fixedBits = offsetBits;
  }
  KARAKAL_ASSERT(fixedBits <= headerBitsMax, "a header beyond the limit");
  resolveDemux(decl, fixedBits);
  decl.progress = Progress::Done;
}

void Sema::resolveProtocolField(ProtocolFieldDecl &field,
                                uint64_t &offsetBits) {
  field.offsetBits = uint32_t(offsetBits);
  if (!resolveFieldType(field))
    return;
  offsetBits += uint64_t(field.type->width) * field.count;
  if (offsetBits <= headerBitsMax)
    return;
  error(DiagId::TooBig, field.range, headerTooLong());
  offsetBits = field.offsetBits;
  field.protocol->hasTooLongField = true;
}

/// Sets the type and the number of elements. False after an error.
bool Sema::resolveFieldType(ProtocolFieldDecl &field) {
  field.type = types.error();
  auto width =
      constantOf(*field.widthSyntax, program.scope, "the width of a field");
  if (!width)
    return false;
  bool isBadElement = field.countSyntax && *width > 64 && *width != 128;
  if (*width < 1 || *width > 128 || isBadElement) {
    error(DiagId::BadWidth, field.widthSyntax->range,
          "the field '" + field.name + "' has " +
              constantText(*width, field.widthSyntax->type) + " bits; " +
              (field.countSyntax ? "an element of an array has 1 to 64, or 128"
                                 : "a field has 1 to 128"))
        .note("a wider field can be declared as an array, for example "
              "'address : 32[8]'");
    return false;
  }
  field.type = types.integer(unsigned(*width), false);
  if (!field.countSyntax)
    return true;
  auto count =
      constantOf(*field.countSyntax, program.scope, "the number of elements");
  if (!count)
    return false;
  if (*count < 1 || *count > headerBitsMax) {
    error(DiagId::BadArraySize, field.countSyntax->range,
          "a field cannot have " +
              constantText(*count, field.countSyntax->type) + " elements");
    return false;
  }
  field.count = uint32_t(*count);
  field.isArray = true;
  return true;
}

void Sema::resolveDemux(ProtocolDecl &decl, uint64_t fixedBits) {
  for (SourceRange extra : decl.extraDemux)
    error(DiagId::BadDemux, extra, "a protocol has one demux")
        .note(decl.demuxRange, "the first one is here");
  decl.bytesMin = uint32_t((fixedBits + 7) / 8);
  if (!decl.demux) {
    error(DiagId::BadDemux, decl.range,
          "the protocol '" + decl.name + "' has no demux")
        .note("it gives the size of the header in bytes, for example "
              "'demux { " +
              std::to_string(decl.bytesMin) + " };'");
    return;
  }
  llvm::SaveAndRestore inScope(scope, &decl.scope);
  if (!checkScalar(*decl.demux) || !decl.demux->constant)
    return;
  uint64_t bytes = *decl.demux->constant;
  bool isTooLong = bytes > headerBitsMax / 8;
  if (isTooLong && !decl.hasTooLongField)
    error(DiagId::TooBig, decl.demux->range, headerTooLong());
  else if (!isTooLong && bytes * 8 < fixedBits)
    error(DiagId::BadDemux, decl.demux->range,
          "the demux of '" + decl.name + "' is " +
              constantText(bytes, decl.demux->type) +
              " bytes, but its fields take " + std::to_string(decl.bytesMin));
  decl.bytesMin = uint32_t(bytes);
  decl.isConstantSize = true;
}

} // namespace karakal::lang
