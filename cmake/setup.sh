# Shared by ./netc and ./test: installs what is missing from Debian and builds with CMake and Ninja.
# Sourced by bash with `set -euo pipefail` and the source folder in $root. Speaks on standard error, so that
# the output of a command stays clean.
# shellcheck shell=bash
: "${root:?the source folder}"

say() { printf 'netc: %s\n' "$*" >&2; }

# What stops the set-up is the machine's fault: exit status 2, as everywhere in netc.
stop() {
  printf 'netc: %s\n' "$1" >&2
  shift
  for line in "$@"; do printf '      %s\n' "$line" >&2; done
  exit 2
}

# packages_of GROUP...: the names, one a line.
packages_of() {
  local group package _
  while read -r group package _; do
    case " $* " in *" $group "*) printf '%s\n' "$package" ;; esac
  done <"$root/cmake/debian-packages.txt"
}

# describe_packages NAME...: "name  why", for people.
describe_packages() {
  local group package version why
  while read -r group package version why; do
    case " $* " in *" $package "*)
      if [ "$group" = data ]; then why="the data set in $version"; fi
      printf '        %-22s %s\n' "$package" "$why" >&2 ;;
    esac
  done < <(grep -v '^#' "$root/cmake/debian-packages.txt")
}

# missing_packages NAME...: those that are not installed, one a line.
missing_packages() {
  local installed name
  installed=" $(dpkg-query -W -f '${db:Status-Status}:${Package} ' "$@" 2>/dev/null || true)"
  for name in "$@"; do
    case "$installed" in *" installed:$name "*) ;; *) printf '%s\n' "$name" ;; esac
  done
}

# ensure_packages NAME...: installs the ones that are missing, and says so first.
ensure_packages() {
  local missing=() sudo=() log
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    without_apt "$@"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0

  local line="apt-get install --no-install-recommends ${missing[*]}"
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      stop "these Debian packages are missing: ${missing[*]}" \
        "installing them needs root, and there is no sudo here; as root, run" "  $line"
    fi
    if [ ! -t 0 ] && ! sudo -n true 2>/dev/null; then
      stop "these Debian packages are missing: ${missing[*]}" \
        "sudo asks for a password and there is no terminal to ask on; run" "  sudo $line"
    fi
    sudo=(sudo)
  fi

  say "installing from Debian, once:"
  describe_packages "${missing[@]}"
  mkdir -p "$root/build"
  log=$root/build/install.log
  : >"$log"
  if ! apt-cache show "${missing[@]}" >/dev/null 2>&1; then
    say "fetching the package lists (apt-get update)"
    "${sudo[@]}" env LC_ALL=C apt-get update >>"$log" 2>&1 ||
      install_failed "$log" "apt-get update failed" "sudo apt-get update"
  fi
  "${sudo[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 ||
    install_failed "$log" "apt-get could not install ${missing[*]}" "sudo apt-get update && sudo $line"
  say "installed ${#missing[@]} package(s)"
}

install_failed() {
  tail -n 12 "$1" | sed 's/^/      | /' >&2
  stop "$2" "whole log: $1" "check the network and /etc/apt/sources.list, then run by hand" "  $3"
}

# Other systems: the tools may have been installed by hand; CMake then finds the libraries or names what is missing.
without_apt() {
  local tool
  for tool in cmake ninja antlr4 c++; do
    command -v "$tool" >/dev/null && continue
    list_requirements "$tool is missing, and this system has no apt-get to install it with"
  done
}

list_requirements() {
  say "$1"
  say "netc needs these, under their Debian names and at least in these versions:"
  local group package version why
  while read -r group package version why; do
    case $group in build | test) printf '        %-22s %-5s %s\n' "$package" "$version" "$why" >&2 ;; esac
  done <"$root/cmake/debian-packages.txt"
  exit 2
}

# logged_step DIRECTORY NAME COMMAND...: runs a step of the build, showing its progress; the whole text goes to a log, of which
# the end is shown if the step fails.
logged_step() {
  local log=$1/$2.log
  shift 2
  if ! "$@" 2>&1 | show_progress "$log"; then
    printf '\n' >&2
    tail -n 30 "$log" | sed 's/^/      | /' >&2
    stop "this step failed: $*" "whole log: $log"
  fi
}

# Copies standard input to a log. On a terminal the last line of progress is kept in place; elsewhere every tenth
# per cent gives a line.
show_progress() {
  local log=$1 line percent last=-1 width=${COLUMNS:-100}
  : >"$log"
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [ -t 2 ]; then
      printf '\r\033[K%s' "${line:0:width-1}" >&2
    else
      percent=$((10 * (10 * BASH_REMATCH[1] / BASH_REMATCH[2])))
      if [ "$percent" != "$last" ]; then printf '  %3d %%  %s\n' "$percent" "$line" >&2; fi
      last=$percent
    fi
  done
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

# configure DIRECTORY OPTION...: describes a build tree once, or again when its options changed.
configure() {
  local directory=$1
  shift
  mkdir -p "$directory"
  if [ -f "$directory/build.ninja" ] && [ "$(cat "$directory/options.txt" 2>/dev/null)" = "$*" ]; then return; fi
  logged_step "$directory" configure cmake -S "$root" -B "$directory" -G Ninja "$@"
  printf '%s\n' "$*" >"$directory/options.txt"
}
