// The control socket of a running switch.

#include "switch/ControlServer.h"
#include "support/Text.h"
#include "switch/Statistics.h"
#include "traces/TableEntries.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace karakal::sw {

static Error cannotListen(const std::string &path, const std::string &why) {
  return makeError("E-switch-005", "the control socket " + path +
                                       " cannot be made: " + why +
                                       " (--socket=PATH or --socket=none)");
}

/// Whether somebody listens at the address.
static bool isInUse(const sockaddr_un &address) {
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool connected = connect(probe, reinterpret_cast<const sockaddr *>(&address),
                           sizeof address) == 0;
  close(probe);
  return connected;
}

ControlServer::~ControlServer() {
  for (Client &client : clients)
    close(client.descriptor);
  if (listening < 0)
    return;
  close(listening);
  unlink(socketPath.c_str());
}

Status ControlServer::listen(const std::string &path, uint32_t mode) {
  KARAKAL_ASSERT(listening < 0, "a server listens once");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return cannotListen(path, "the path is too long");
  path.copy(address.sun_path, path.size());
  struct stat there;
  if (lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode))
      return cannotListen(path, "a file that is no socket is there");
    if (isInUse(address))
      return cannotListen(path, "another switch uses it");
    unlink(path.c_str()); // left by a switch that was killed
  }
  int made = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  // Nobody else gets in between the two calls.
  mode_t before = umask(0777 & ~mode);
  int bound =
      bind(made, reinterpret_cast<sockaddr *>(&address), sizeof address);
  int error = errno;
  umask(before);
  if (bound != 0 || ::listen(made, SOMAXCONN) != 0) {
    close(made);
    return cannotListen(path, std::strerror(error));
  }
  listening = made;
  socketPath = path;
  return success();
}

void ControlServer::addTo(std::vector<pollfd> &events) const {
  if (listening < 0)
    return;
  events.push_back({listening, POLLIN, 0});
  for (const Client &client : clients) {
    // Who does not read the answers makes no more requests.
    short wanted = client.out.empty() ? POLLIN : POLLOUT;
    events.push_back({client.descriptor, wanted, 0});
  }
}

void ControlServer::serve(const std::vector<pollfd> &events) {
  for (const pollfd &event : events) {
    if (event.revents == 0)
      continue;
    if (event.fd == listening)
      accept();
    for (Client &client : clients) {
      if (client.descriptor != event.fd)
        continue;
      if (event.revents & POLLOUT)
        write(client);
      else
        read(client);
    }
  }
  while (serveTogether())
    ;
  for (Client &client : clients)
    if (client.in.size() > RequestBytesMax &&
        client.in.find('\n') == std::string::npos) {
      client.gone = true;
      ++dropped;
    }
  removeGone();
}

std::optional<std::string> ControlServer::Client::line() const {
  size_t end = in.find('\n', next);
  if (gone || end == std::string::npos || out.size() > UnreadBytesMax ||
      !explained.empty())
    return std::nullopt;
  return in.substr(next, end - next);
}

/// Takes requests, one of each client in turn, and answers them; false if there
/// was none.
bool ControlServer::serveTogether() {
  Together together;
  bool any = false, goesOn = true;
  while (goesOn && together.calls.size() < TogetherMax) {
    goesOn = false;
    for (Client &client : clients)
      goesOn |= takeRequest(client, together);
    any |= goesOn;
  }
  std::vector<Switch::Answer> answers = served.call(together.calls);
  KARAKAL_ASSERT(answers.size() == together.clients.size(),
                 "an answer to each call");
  for (size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      Error error = answers[i].error();
      error.line = 0; // the request is the only line
      answer(*together.clients[i], error);
      continue;
    }
    const std::string &value = *answers[i];
    answer(*together.clients[i], value.empty() ? value : value + "\n");
  }
  for (Client &client : clients) {
    client.in.erase(0, client.next);
    client.next = 0;
    client.waits = false;
    if (!client.gone && !client.out.empty())
      write(client);
  }
  return any;
}

/// The calls of a batch, which semicolons part, as a control file has them.
static Result<std::vector<traces::ControlCall>> batchOf(std::string text) {
  std::replace(text.begin(), text.end(), ';', '\n');
  return traces::parseControl("begin\n" + text + "\ncommit", "");
}

/// Answers the next request of a client, or adds its call; false if there is
/// none, or if it has to wait for the client's calls.
bool ControlServer::takeRequest(Client &client, Together &together) {
  auto line = client.line();
  if (!line || client.waits)
    return false;
  Result<std::vector<traces::ControlCall>> calls =
      std::vector<traces::ControlCall>();
  if (client.isCall())
    calls = traces::parseControl(line->substr(std::strlen("call ")), "");
  if (client.isBatch())
    calls = batchOf(line->substr(std::strlen("batch ")));
  bool isCall = calls && calls->size() == 1;
  bool hasCalls = std::find(together.clients.begin(), together.clients.end(),
                            &client) != together.clients.end();
  if (!isCall && hasCalls) {
    client.waits = true; // answers keep the order of requests
    return false;
  }
  client.take(*line);
  if (isCall) {
    together.clients.push_back(&client);
    together.calls.push_back(std::move(calls->front()));
  } else if (served.liveProgram().isSpecialized() &&
             (*line == "explain text" || *line == "explain json")) {
    client.explained = line->substr(std::strlen("explain "));
    explain(client);
  } else
    answer(client, calls ? request(client, *line) : calls.error());
  return true;
}

void ControlServer::accept() {
  int descriptor =
      accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (descriptor < 0)
    return;
  if (clients.size() >= ClientsMax) {
    close(descriptor);
    ++dropped;
    return;
  }
  clients.emplace_back().descriptor = descriptor;
}

void ControlServer::read(Client &client) {
  char bytes[RequestBytesMax];
  ssize_t got = recv(client.descriptor, bytes, sizeof bytes, 0);
  if (got > 0)
    client.in.append(bytes, size_t(got));
  else
    client.gone = got == 0 || (errno != EAGAIN && errno != EINTR);
}

void ControlServer::write(Client &client) {
  ssize_t sent = send(client.descriptor, client.out.data(), client.out.size(),
                      MSG_NOSIGNAL);
  if (sent > 0)
    client.out.erase(0, size_t(sent));
  else
    client.gone = errno != EAGAIN && errno != EINTR;
}

/// What the client shows after `error: `, perhaps with the line of a file.
static std::string textOf(const Error &error) {
  return printable(error.message +
                   (error.id.empty() ? "" : " [" + error.id + "]"));
}

void ControlServer::answer(Client &client, const Result<std::string> &result) {
  std::string text = result ? *result : textOf(result.error());
  client.out +=
      (result ? "ok " : "error ") + std::to_string(text.size()) + "\n" + text;
}

static Error noRequest(const std::string &line) {
  return makeError("E-switch-012",
                   "'" + line.substr(0, characterStart(line, 80)) +
                       "' is no request; they are call, batch, stats, watch, "
                       "explain, functions, dump and stop");
}

static bool isFormat(const std::string &text) {
  return text == "text" || text == "json" || text == "prometheus";
}

static std::string formatted(const std::string &format, const Snapshot &now,
                             const Snapshot *before) {
  return format == "json"         ? statisticsJson(now)
         : format == "prometheus" ? statisticsPrometheus(now)
                                  : statisticsTable(now, before);
}

Result<std::string> ControlServer::request(Client &client,
                                           const std::string &line) {
  size_t space = std::min(line.find(' '), line.size());
  std::string verb = line.substr(0, space);
  std::string rest = line.substr(std::min(space + 1, line.size()));
  if (verb == "stats" && isFormat(rest)) {
    Snapshot now = served.snapshot();
    now.clientsDropped = dropped;
    return formatted(rest, now, nullptr);
  }
  if (line == "explain text" || line == "explain json")
    return makeError("E-switch-013", "the switch specializes no code; start it "
                                     "with --specialize");
  if (verb == "watch")
    return startWatch(client, rest);
  if (line == "functions")
    return functionList();
  if (line == "dump")
    return served.dump();
  if (line == "stop") {
    stopAsked = true;
    return std::string();
  }
  return noRequest(line);
}

/// Answers a client that waits for an explanation; false if it is not ready.
bool ControlServer::explain(Client &client) {
  auto made = served.explain();
  if (!made)
    return false;
  bool isInForce = served.snapshot().specialization.isInForce;
  answer(client, client.explained == "json"
                     ? explanationJson(*made, isInForce)
                     : explanationText(*made, isInForce));
  client.explained.clear();
  return true;
}

Result<std::string> ControlServer::startWatch(Client &client,
                                              const std::string &rest) {
  size_t space = std::min(rest.find(' '), rest.size());
  std::string format = rest.substr(0, space);
  char *end = nullptr;
  unsigned long ms = std::strtoul(rest.c_str() + space, &end, 10);
  constexpr unsigned long msMax = 1'000'000'000;
  if (!isFormat(format) || *end != 0 || ms == 0 || ms > msMax)
    return noRequest("watch " + rest);
  client.watched = format;
  client.everyNs = uint64_t(ms) * 1'000'000;
  client.nextNs = monotonicNs() + client.everyNs;
  client.before = served.snapshot();
  return formatted(format, *client.before, nullptr);
}

uint64_t ControlServer::watch(uint64_t nowNs) {
  uint64_t next = 0;
  bool anyExplained = false;
  for (Client &client : clients) {
    constexpr uint64_t askAgainNs = 1'000'000;
    if (!client.explained.empty() && !client.gone) {
      if (explain(client)) {
        write(client);
        anyExplained = true;
      } else
        next = nowNs + askAgainNs;
    }
    if (client.watched.empty())
      continue;
    if (client.nextNs <= nowNs) {
      if (client.out.size() > UnreadBytesMax) {
        client.gone = true;
        ++dropped;
        continue;
      }
      Snapshot now = served.snapshot();
      now.clientsDropped = dropped;
      answer(client, formatted(client.watched, now, &*client.before));
      write(client);
      client.before = std::move(now);
      client.nextNs = nowNs + client.everyNs;
    }
    if (next == 0 || client.nextNs < next)
      next = client.nextNs;
  }
  // What such clients have asked since.
  while (anyExplained && serveTogether())
    ;
  removeGone();
  return next;
}

std::string ControlServer::functionList() const {
  std::string text;
  for (const auto &function : served.liveProgram().controls()) {
    if (traces::isForReaders(function))
      continue;
    text += function.returns + " " + function.name + "(";
    for (size_t i = 0; i < function.params.size(); ++i)
      text += (i ? ", " : "") + function.params[i].type + " " +
              function.params[i].name;
    text += ")\n";
  }
  return text;
}

void ControlServer::removeGone() {
  clients.remove_if([](const Client &client) {
    if (client.gone)
      close(client.descriptor);
    return client.gone;
  });
}

} // namespace karakal::sw
