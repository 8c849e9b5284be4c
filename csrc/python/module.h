// The parts that make up the module.
#pragma once

#include <nanobind/nanobind.h>

#include "python/py.h"

namespace agog::py {

// Runs f below nanobind: C++ errors become the Python exceptions that guarded() makes.
template <class F>
auto bridge(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_current_exception();
    throw nanobind::python_error();
  }
}

nanobind::object public_op(nanobind::object handle);
void bind_tape(nanobind::module_& m);
void bind_config(nanobind::module_& m);
void bind_dlpack(nanobind::module_& m);
void bind_registry(nanobind::module_& m);
void bind_checksum(nanobind::module_& m);

}  // namespace agog::py
