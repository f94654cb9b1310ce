#pragma once

#include <functional>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include "c2rl/base/error.h"

namespace c2rl {

/// What an InputError says; empty when there is none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The exit status of an action in a process of its own; -1 where it was killed.
inline int in_child(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) _exit(action());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace c2rl
