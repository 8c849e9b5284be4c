// Errors: TensorFlow's status codes with a message. The dispatcher adds the op's name.
#pragma once

#include <exception>
#include <sstream>
#include <string>
#include <utility>

#include "core/api.h"
#include "core/dtype.h"
#include "core/shape.h"

namespace agog {

enum class ErrorCode : int {
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  // Finer than TensorFlow's: also TypeError / IndexError for Python, or those alone.
  kInvalidType = 101,
  kInvalidIndex = 102,
  kTypeError = 103,
  kValueError = 104,
};

class AGOG_API Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_;
  std::string message_;
};

inline std::ostream& operator<<(std::ostream& os, const Shape& s) { return os << s.to_string(); }
inline std::ostream& operator<<(std::ostream& os, DType d) { return os << name(d); }

template <class... Args>
std::string concat(const Args&... args) {
  std::ostringstream os;
  (os << ... << args);
  return os.str();
}

template <class... Args>
[[noreturn]] AGOG_NOINLINE void fail(ErrorCode code, const Args&... args) {
  throw Error(code, concat(args...));
}

}  // namespace agog
