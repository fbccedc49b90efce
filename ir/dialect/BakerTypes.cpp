// Types and attributes of the baker dialect.
//
// Syntax and verification of the types and of the protocol field attribute.

#include "ir/dialect/Baker.h"
#include "target-ixp/chip/MemoryMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

static ParseResult parseArrayShape(AsmParser &parser, uint64_t &size,
                                   Type &elementType) {
  SmallVector<int64_t, 1> sizes;
  if (parser.parseDimensionList(sizes, /*allowDynamic=*/false,
                                /*withTrailingX=*/true) ||
      parser.parseType(elementType))
    return failure();
  if (sizes.size() != 1)
    return parser.emitError(parser.getCurrentLocation(),
                            "an array has one size; nest arrays for more");
  size = sizes.front();
  return success();
}

static void printArrayShape(AsmPrinter &printer, uint64_t size,
                            Type elementType) {
  printer << size << " x " << elementType;
}

#include "ir/dialect/BakerEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/dialect/BakerAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/dialect/BakerTypes.cpp.inc"

namespace karakal::ir {

void BakerDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/dialect/BakerTypes.cpp.inc"
      >();
}

void BakerDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/dialect/BakerAttributes.cpp.inc"
      >();
}

static bool isData(Type type) {
  return type.isSignlessInteger() || isa<StructType, ArrayType>(type);
}

//===----------------------------------------------------------------------===//
// StructType: <"name", field : type, ...>
//===----------------------------------------------------------------------===//

Type StructType::parse(AsmParser &parser) {
  std::string name;
  SmallVector<StringAttr> fieldNames;
  SmallVector<Type> fieldTypes;
  if (parser.parseLess() || parser.parseString(&name))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    std::string field;
    if (parser.parseKeywordOrString(&field) || parser.parseColon() ||
        parser.parseType(fieldTypes.emplace_back()))
      return {};
    fieldNames.push_back(parser.getBuilder().getStringAttr(field));
  }
  auto where = parser.getCurrentLocation();
  if (parser.parseGreater())
    return {};
  return parser.getChecked<StructType>(where, parser.getContext(), name,
                                       fieldNames, fieldTypes);
}

void StructType::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << '"';
  for (auto [name, type] : llvm::zip_equal(getFieldNames(), getFieldTypes())) {
    printer << ", ";
    printer.printKeywordOrString(name.getValue());
    printer << " : " << type;
  }
  printer << '>';
}

LogicalResult StructType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name,
                                 ArrayRef<StringAttr> fieldNames,
                                 ArrayRef<Type> fieldTypes) {
  if (fieldNames.empty())
    return emitError() << "struct \"" << name << "\" has no fields";
  if (fieldNames.size() != fieldTypes.size())
    return emitError() << "struct \"" << name << "\" has " << fieldNames.size()
                       << " names and " << fieldTypes.size() << " types";
  llvm::StringSet<> seen;
  for (auto [field, type] : llvm::zip_equal(fieldNames, fieldTypes)) {
    if (!seen.insert(field.getValue()).second)
      return emitError() << "field \"" << field.getValue()
                         << "\" is declared twice in struct \"" << name << '"';
    if (!isData(type))
      return emitError() << "field \"" << field.getValue()
                         << "\" cannot have type " << type;
  }
  return success();
}

std::optional<unsigned> StructType::fieldIndex(StringRef field) const {
  for (auto [index, name] : llvm::enumerate(getFieldNames()))
    if (name.getValue() == field)
      return index;
  return std::nullopt;
}

Type StructType::fieldType(StringRef field) const {
  auto index = fieldIndex(field);
  return index ? getFieldTypes()[*index] : Type();
}

//===----------------------------------------------------------------------===//
// ArrayType, RefType, ProtocolFieldAttr
//===----------------------------------------------------------------------===//

LogicalResult ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                                uint64_t size, Type elementType) {
  if (size == 0)
    return emitError() << "an array has at least one element";
  if (!isData(elementType))
    return emitError() << "an array cannot hold " << elementType;
  return success();
}

LogicalResult RefType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  if (!isData(pointee))
    return emitError() << "a reference cannot point at " << pointee;
  return success();
}

Attribute HeadAttr::parse(AsmParser &parser, Type) {
  uint32_t modulus = 0, value = 0;
  auto where = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("offset"))) {
    if (parser.parseInteger(value))
      return {};
  } else if (parser.parseKeyword("mod") || parser.parseInteger(modulus) ||
             parser.parseKeyword("is") || parser.parseInteger(value)) {
    return {};
  } else if (modulus == 0) {
    parser.emitError(where, "a modulus must be 2, 4 or 8");
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<HeadAttr>(where, parser.getContext(), modulus,
                                     value);
}

void HeadAttr::print(AsmPrinter &printer) const {
  if (isExact())
    printer << "<offset " << getValue() << ">";
  else
    printer << "<mod " << getModulus() << " is " << getValue() << ">";
}

LogicalResult HeadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               uint32_t modulus, uint32_t value) {
  if (modulus == 0 && value > target::BufferBytes)
    return emitError() << "offset " << value
                       << " is after the end of the buffer";
  if (modulus == 0)
    return success();
  if (modulus != 2 && modulus != 4 && modulus != 8)
    return emitError() << "a modulus must be 2, 4 or 8";
  if (value >= modulus)
    return emitError() << value << " is not a remainder modulo " << modulus;
  return success();
}

LogicalResult
PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      MemoryName memory, uint32_t address) {
  if (address % 4 == 0)
    return success();
  return emitError() << "address " << address << " is not a multiple of 4";
}

LogicalResult
ProtocolFieldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                          StringRef name, uint32_t offset, uint32_t width,
                          uint32_t count) {
  if (width == 0 || width > 64)
    return emitError() << "field \"" << name << "\" has " << width
                       << " bits instead of 1 to 64";
  if (count == 0)
    return emitError() << "field \"" << name << "\" has no elements";
  return success();
}

} // namespace karakal::ir
