// What the binding files share: the Tensor object, references, errors.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <string>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/tensor.h"
#include "op/registry.h"
#include "runtime/dispatch.h"

#ifndef Py_T_PYSSIZET  // older than 3.12
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

namespace agog::py {

// An owned reference.
class PyRef {
 public:
  PyRef() = default;
  explicit PyRef(PyObject* owned) : p_(owned) {}
  static PyRef borrow(PyObject* p) {
    Py_XINCREF(p);
    return PyRef(p);
  }
  PyRef(PyRef&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  PyRef& operator=(PyRef o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  PyRef(const PyRef&) = delete;
  ~PyRef() { Py_XDECREF(p_); }
  PyObject* get() const { return p_; }
  PyObject* leak() { return std::exchange(p_, nullptr); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  PyObject* p_ = nullptr;
};

// A Python exception is set: unwinds C++ to the border.
struct PythonError {};
inline PyObject* checked(PyObject* p) {
  if (p == nullptr) throw PythonError{};
  return p;
}
inline PyRef owned(PyObject* p) { return PyRef(checked(p)); }

// Runs f at the border to Python: a C++ exception becomes a Python one, and null is returned.
void set_python_error(const Error& e);
void set_current_exception();
// Python ends a daemon thread that wants the interpreter after it was finalized by unwinding its
// stack, which functions that must not throw would turn into an abort. Such a thread sleeps.
[[noreturn]] void wait_for_exit();
template <class F>
auto guarded(F&& f) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    set_current_exception();
    if constexpr (std::is_pointer_v<decltype(f())>) {
      return nullptr;
    } else {
      return -1;
    }
  }
}

// ---- Tensor objects

struct TensorObject {
  PyObject_HEAD
  PyObject* weakrefs;
  PyObject* slice_of;  // (variable, key) for v[key], so that v[key].assign(...) finds its way back
  Tensor tensor;
};
extern PyTypeObject* tensor_type;
inline bool is_tensor(PyObject* o) { return Py_TYPE(o) == tensor_type; }
inline const Tensor& tensor_of(PyObject* o) { return reinterpret_cast<TensorObject*>(o)->tensor; }
PyObject* wrap(Tensor t);
PyObject* wrap_list(const Tensors& tensors);
void init_tensor_type(PyObject* module);
// The one element as a Python object; `what` is what the caller wanted, for the error.
PyObject* item(const Tensor& t, const char* what);
PyObject* subscript(PyObject* self, PyObject* key);
// What tensors and variables have in common.
const std::vector<PyType_Slot>& operator_slots();
template <class F>
void* slot(F* f) {
  return reinterpret_cast<void*>(f);
}
// A type with the operators of tensors.
PyTypeObject* make_type(PyObject* module, const char* full_name, int size, unsigned flags,
                        std::vector<PyType_Slot> slots);

// ---- Variables

struct VariableObject {
  PyObject_HEAD
  PyObject* dict;
  PyObject* weakrefs;
  Tensor handle;
};
extern PyTypeObject* variable_type;
inline bool is_variable(PyObject* o) { return PyObject_TypeCheck(o, variable_type); }
Tensor read_variable(PyObject* o);
DType variable_dtype(PyObject* o);
const Tensor& handle_of(PyObject* variable);  // throws for one that was never initialised
inline Tensor value_of(PyObject* o) { return is_tensor(o) ? tensor_of(o) : read_variable(o); }
void init_variable_type(PyObject* module);

// ---- Conversion

// A tensor from anything convertible. `wanted` is the dtype the result must have, `hint` the one it
// should have if the value allows; kInvalid for none. Throws PythonError or Error.
Tensor convert(PyObject* o, DType wanted = DType::kInvalid, DType hint = DType::kInvalid);
// The same for a dtype that nothing but habit asks for: integers too large for int32 become int64.
Tensor convert_preferring(PyObject* o, DType preferred);
double double_of(PyObject* o);  // of anything with __float__
int64_t int64_of(PyObject* o);  // of anything with __index__; ValueError where it does not fit
DType dtype_from_python(PyObject* o);
PyObject* dtype_to_python(DType d);  // borrowed
Shape shape_from_python(PyObject* o, bool allow_unknown);
PyObject* shape_to_python(const Shape& s);
PyObject* shape_tuple(const Shape& s);
std::string utf8(PyObject* o);

// ---- NumPy

bool is_ndarray_like(PyObject* o);  // an array or a NumPy scalar
Tensor tensor_from_numpy(PyObject* o);
PyObject* to_numpy(PyObject* tensor, bool copy);
PyObject* string_element(const Tensor& t, int64_t i);

// ---- Ops

void init_op_handle_type(PyObject* module);
bool is_handle(PyObject* o);
// Whether the arguments are the op's inputs, all of them tensors, and no more.
bool takes_as_they_are(PyObject* handle, PyObject* const* args, size_t nargsf);
PyObject* call_handle(PyObject* handle, PyObject* const* args, size_t nargsf, PyObject* keywords);
void init_public_function_type(PyObject* module);
// What a public function does in C++ for the arguments it mostly gets: null when it leaves them to
// Python (no error set), and null with an error set when it fails.
using FastPath = PyObject* (*)(PyObject* const* args, Py_ssize_t n);
void add_fast_path(const char* name, FastPath fast);
void init_tape_type(PyObject* module);
// The number of the innermost line of the running thread that is not agog's own, 0 for none; and
// "file:line, in function" of such a number.
int user_line();
std::string place_text(int number);

// Objects given by the Python side at import.
struct PythonSide {
  PyObject* make_error = nullptr;  // errors.from_code
  PyObject* dtypes = nullptr;      // tuple by code
  PyObject* as_dtype = nullptr;
  PyObject* make_shape = nullptr;      // TensorShape._from_tuple
  PyObject* convert_nested = nullptr;  // (list, dtype or None, hint or None) -> array
  PyObject* convert_other = nullptr;   // convert() of other types: (value, dtype or None)
  PyObject* getitem = nullptr;         // tensor[...] beyond integers, slices, None and ...
  PyObject* format = nullptr;          // (tensor, is_repr) -> str
};
extern PythonSide python_side;

// Runs an op on Python inputs that are already tensors.
PyObject* run_op(const Op& op, const Tensor* in, int n, const void* attrs = nullptr);

// Tensors borrowed from live objects: no reference counting for the length of a call.
template <int N>
class Borrowed {
 public:
  void set(int i, TensorImpl* impl) { impl_[i] = impl; }
  const Tensor* get() const { return reinterpret_cast<const Tensor*>(impl_); }

 private:
  static_assert(sizeof(Tensor) == sizeof(TensorImpl*));
  TensorImpl* impl_[N];
};

}  // namespace agog::py
