#include "runtime/backend/cpu/host_compiler.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

extern char** environ;

namespace netc {
namespace {

bool is_executable(const std::string& path) { return access(path.c_str(), X_OK) == 0; }

std::string find_on_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_executable(candidate)) return candidate;
  }
  return "";
}

// "gcc (Debian 12.2.0-14) 12.2.0" -> "gcc 12.2.0"; "Debian clang version 14.0.6" -> "clang 14.0.6".
std::string short_version(const std::string& output) {
  const std::string line = output.substr(0, output.find('\n'));
  const std::string name = line.find("clang") != std::string::npos ? "clang" : "gcc";
  std::istringstream words(line);
  std::string version;
  for (std::string word; words >> word;)
    if (word[0] >= '0' && word[0] <= '9') version = word;
  return version.empty() ? line : name + " " + version;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw RuntimeError(std::string("cannot make a pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw RuntimeError("cannot start " + arguments[0] + ": " + std::strerror(error));
  }
  ProcessResult result;
  char buffer[4096];
  for (;;) {
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got > 0) result.output.append(buffer, static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR) break;
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

HostCompiler find_host_compiler(const std::string& wanted) {
  std::vector<std::string> names{wanted};
  if (wanted.empty()) names = {"gcc", "cc", "clang"};
  for (const std::string& name : names) {
    const std::string path = find_on_path(name);
    if (path.empty()) continue;
    const ProcessResult version = run_process({path, "--version"});
    if (version.exit_code == 0) return {path, short_version(version.output)};
  }
  throw CompilerMissing(wanted.empty() ? "no C compiler found (looked for gcc, cc and clang)"
                                       : "no C compiler '" + wanted + "' found",
                        "install gcc (Debian: apt-get install gcc), or name another with --host-cxx");
}

}  // namespace netc
