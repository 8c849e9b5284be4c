// Signal handlers kept off a thread for a while.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace agog {

// While one lives, no handler runs on this thread, or on threads that it starts; a signal waits, or
// another thread takes it. Signals of the thread's own faults are not held: they could only kill
// the process without the report of whoever handles them.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t held;
    sigfillset(&held);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
      sigdelset(&held, fault);
    }
    pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_;
};

}  // namespace agog
