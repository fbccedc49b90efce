// Values of the Language Server Protocol.

#ifndef KARAKAL_BAKER_LANG_EDITOR_PROTOCOL_H
#define KARAKAL_BAKER_LANG_EDITOR_PROTOCOL_H

#include "support/SourceFiles.h"

#include <nlohmann/json.hpp>

#include <string>

namespace karakal::lang {

/// Codes of the protocol for requests that fail.
enum class ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
};

/// Ends a request that cannot be answered. Does not leave this folder.
struct ResponseError {
  ErrorCode code;
  std::string message;
};

/// The path of a `file:` URI. Any other text is a path already.
std::string pathOfUri(const std::string &uri);
/// The `file:` URI of an absolute path.
std::string uriOfPath(const std::string &path);

/// The byte offset of a position. Lines and characters start at 0; characters
/// count UTF-16 code units. A position after its line or the text is moved to
/// the end.
uint32_t offsetOf(const SourceFile &file, const nlohmann::json &position);

/// The position of a byte offset.
nlohmann::json positionOf(const SourceFile &file, uint32_t offset);

/// The range of bytes of `file`.
nlohmann::json rangeOf(const SourceFile &file, uint32_t begin, uint32_t end);

} // namespace karakal::lang

#endif // KARAKAL_BAKER_LANG_EDITOR_PROTOCOL_H
