// bakersw ctl: asks a running switch.

#include "switch/Client.h"
#include "traces/ControlFile.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace karakal::sw {

namespace {

/// Whether an argument goes on after this word.
bool isOpenEnded(const std::string &word) {
  auto endsWith = [&](const std::string &end) {
    return word.size() >= end.size() &&
           word.compare(word.size() - end.size(), end.size(), end) == 0;
  };
  return endsWith(":") || endsWith("&") || endsWith("..") || endsWith("/");
}

bool isJoint(const std::string &word) {
  return word[0] == '&' || word[0] == '/' || word.rfind("..", 0) == 0;
}

class Connection {
public:
  explicit Connection(const std::string &path) : path(path) {}
  ~Connection() {
    if (handle >= 0)
      close(handle);
  }

  Status open() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
      return noSwitch("the path is too long");
    path.copy(address.sun_path, path.size());
    handle = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(handle, reinterpret_cast<sockaddr *>(&address),
                sizeof address) != 0)
      return noSwitch(std::strerror(errno));
    return success();
  }

  Status send(const std::string &line) {
    std::string bytes = line + "\n";
    for (size_t at = 0; at < bytes.size();) {
      ssize_t sent =
          ::send(handle, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0)
        return noSwitch("it closed the connection");
      at += size_t(sent);
    }
    return success();
  }

  /// Reads an answer. An error of the switch has its text as the message.
  Result<std::string> answer() {
    size_t end;
    while ((end = buffer.find('\n')) == std::string::npos)
      if (Status read = more(); !read)
        return read.error();
    std::string head = buffer.substr(0, end);
    size_t space = std::min(head.find(' '), head.size() - 1);
    size_t bytes = std::strtoul(head.c_str() + space + 1, nullptr, 10);
    while (buffer.size() < end + 1 + bytes)
      if (Status read = more(); !read)
        return read.error();
    std::string text = buffer.substr(end + 1, bytes);
    buffer.erase(0, end + 1 + bytes);
    if (head.rfind("ok", 0) == 0)
      return text;
    return makeError("", text);
  }

private:
  Status more() {
    char bytes[65536];
    ssize_t got = recv(handle, bytes, sizeof bytes, 0);
    if (got <= 0)
      return noSwitch("it closed the connection");
    buffer.append(bytes, size_t(got));
    return success();
  }
  Error noSwitch(const std::string &why) const {
    return makeError("E-switch-006", "no switch answers at " + path + ": " +
                                         why + " (--socket=PATH)");
  }

  std::string path;
  int handle = -1;
  std::string buffer;
};

std::string batchRequest(const traces::ControlCall &batch) {
  std::string text;
  for (const traces::ControlCall &part : batch.parts)
    text += (text.empty() ? "batch " : "; ") + part.text;
  return text;
}

/// The line of a refused call. The error of a batch tells which of its calls it
/// is.
uint32_t lineOf(const traces::ControlCall &call, const Error &error) {
  const std::string before = "call ";
  size_t at = error.message.find(before);
  if (!call.isBatch || at == std::string::npos)
    return call.line;
  unsigned long number =
      std::strtoul(error.message.c_str() + at + before.size(), nullptr, 10);
  return number >= 1 && number <= call.parts.size()
             ? call.parts[number - 1].line
             : call.line;
}

/// Makes the calls of a control file, up to the first that is refused.
Status load(Connection &connection, const std::string &path) {
  auto calls = path == "-" ? traces::readControlFile("/dev/stdin")
                           : traces::readControlFile(path);
  if (!calls)
    return calls.error();
  for (const traces::ControlCall &call : *calls) {
    std::string text = call.text;
    if (call.kind != traces::ControlCall::Start)
      return makeFileError("E-switch-011", call.file,
                           "a call to a running switch takes effect at once; "
                           "leave out the '@'",
                           call.line);
    std::string request = "call " + text;
    if (call.isBatch)
      request = batchRequest(call);
    if (Status sent = connection.send(request); !sent)
      return sent;
    auto answer = connection.answer();
    if (!answer)
      return makeFileError("", call.file, answer.error().message,
                           lineOf(call, answer.error()));
    std::fputs(answer->c_str(), stdout);
  }
  return success();
}

Result<std::string> requestOf(const ClientOptions &options) {
  const std::vector<std::string> &words = options.words;
  const std::string &verb = words.front();
  bool isAlone = words.size() == 1;
  if (verb == "dump" && words.size() == 2)
    return "call " + words[1] + ".dump()";
  if (verb == "stats" || verb == "watch" || verb == "functions" ||
      verb == "explain" || verb == "dump" || verb == "stop") {
    if (!isAlone)
      return makeError("E-switch-007", "'" + verb + "' takes no arguments");
    if (verb == "stats")
      return "stats " + options.format;
    if (verb == "explain" && options.format == "prometheus")
      return makeError("E-switch-007", "explain has the forms text and json");
    if (verb == "explain")
      return "explain " + options.format;
    constexpr double msPerSecond = 1000;
    if (verb == "watch")
      return "watch " + options.format + " " +
             std::to_string(uint64_t(options.seconds * msPerSecond));
    return verb;
  }
  return "call " + callOfWords(words);
}

} // namespace

std::string callOfWords(const std::vector<std::string> &words) {
  KARAKAL_ASSERT(!words.empty(), "a call has a name");
  if (words.front().find('(') != std::string::npos) {
    std::string text;
    for (const std::string &word : words)
      text += (text.empty() ? "" : " ") + word;
    return text;
  }
  std::string text = words.front() + "(";
  bool goesOn = true;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = words[i];
    if (word.size() > 1 && word.back() == ',')
      word.pop_back();
    if (word.empty())
      continue;
    size_t equals = word.find('=');
    if (equals != std::string::npos && equals != 0)
      word = word.substr(0, equals) + ": " + word.substr(equals + 1);
    text += (goesOn || isJoint(word) ? (i == 1 ? "" : " ") : ", ") + word;
    goesOn = isOpenEnded(word);
  }
  return text + ")";
}

Status runClient(const ClientOptions &options) {
  KARAKAL_ASSERT(!options.words.empty(), "the command line has a command");
  Connection connection(options.socket);
  if (Status opened = connection.open(); !opened)
    return opened;
  if (options.words.front() == "load") {
    if (options.words.size() != 2)
      return makeError("E-switch-007", "load takes one control file");
    return load(connection, options.words[1]);
  }
  auto request = requestOf(options);
  if (!request)
    return request.error();
  if (Status sent = connection.send(*request); !sent)
    return sent;
  bool again = options.words.front() == "watch";
  do {
    auto answer = connection.answer();
    if (!answer)
      return answer.error();
    std::fputs(answer->c_str(), stdout);
    if (again && options.format == "text")
      std::fputs("\n", stdout);
    std::fflush(stdout);
  } while (again);
  return success();
}

} // namespace karakal::sw
