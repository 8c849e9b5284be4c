#include <cxxabi.h>
#include <unistd.h>

#include <new>
#include <stdexcept>

#include <nanobind/nanobind.h>

#include "python/py.h"

namespace agog::py {

PythonSide python_side;

void set_python_error(const Error& e) {
  if (e.code() == ErrorCode::kTypeError) {
    PyErr_SetString(PyExc_TypeError, e.what());
    return;
  }
  if (e.code() == ErrorCode::kValueError) {
    PyErr_SetString(PyExc_ValueError, e.what());
    return;
  }
  if (python_side.make_error == nullptr) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return;
  }
  PyRef error(
      PyObject_CallFunction(python_side.make_error, "is", static_cast<int>(e.code()), e.what()));
  if (error) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
}

void wait_for_exit() {
  while (true) pause();
}

void set_current_exception() {
  try {
    throw;
  } catch (abi::__forced_unwind&) {
    wait_for_exit();
  } catch (const PythonError&) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_SystemError, "an error without a cause");
  } catch (const Error& e) {
    set_python_error(e);
  } catch (nanobind::python_error& e) {
    e.restore();
  } catch (const std::bad_alloc&) {
    set_python_error(Error(ErrorCode::kResourceExhausted, "out of memory"));
  } catch (const std::length_error&) {
    set_python_error(Error(ErrorCode::kResourceExhausted, "out of memory: a size is too large"));
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_SystemError, e.what());
  }
}

}  // namespace agog::py
