#include "bench/peer.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>

#include "compiler/base/errors.h"

extern char** environ;

namespace netc::bench {

std::unique_ptr<Peer> Peer::start(const std::vector<std::string>& command, std::string* remark) {
  std::signal(SIGPIPE, SIG_IGN);
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) throw RuntimeError("cannot make a pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
  for (int end : {to[0], to[1], from[0], from[1]}) posix_spawn_file_actions_addclose(&actions, end);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int pid = 0;
  const int failed = posix_spawnp(&pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  if (failed != 0) {
    close(to[1]);
    close(from[0]);
    *remark = "absent: " + command[0] + " cannot be started";
    return nullptr;
  }
  std::unique_ptr<Peer> peer(new Peer(pid, to[1], from[0]));
  *remark = peer->read_line();
  if (!remark->starts_with("ready")) {
    if (remark->empty()) *remark = "absent: it ended without a word";
    return nullptr;
  }
  return peer;
}

Peer::~Peer() {
  close(to_);   // the end of its input tells it to stop
  close(from_);
  waitpid(pid_, nullptr, 0);
}

std::string Peer::read_line() {
  std::string line;
  for (char c; read(from_, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

double Peer::run(int64_t steps) {
  const std::string order = std::to_string(steps) + "\n";
  if (write(to_, order.data(), order.size()) != static_cast<ssize_t>(order.size()))
    throw RuntimeError("a contender ended early");
  const std::string line = read_line();
  double seconds = 0;
  if (std::from_chars(line.data(), line.data() + line.size(), seconds).ec != std::errc{})
    throw RuntimeError("a contender ended early");
  return seconds;
}

}  // namespace netc::bench
