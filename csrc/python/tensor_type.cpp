// The type agog.Tensor: its objects and its hot properties. Operators are in operators.cpp,
// indexing in indexing.cpp, and src/agog/tensor.py adds the rest.
#include <cstring>

#include "python/py.h"
#include "runtime/tape.h"

namespace agog::py {

PyTypeObject* tensor_type = nullptr;

namespace {

// Dead Tensor objects wait for the next result. Only touched with the interpreter's lock.
constexpr int kMostFree = 256;
TensorObject* free_objects[kMostFree];
int num_free = 0;

void tensor_dealloc(PyObject* self) {
  auto* o = reinterpret_cast<TensorObject*>(self);
  if (o->weakrefs) PyObject_ClearWeakRefs(self);
  Py_CLEAR(o->slice_of);
  o->tensor.~Tensor();
  if (num_free < kMostFree) {
    free_objects[num_free++] = o;
  } else {
    PyObject_Free(o);
  }
  Py_DECREF(tensor_type);
}

[[noreturn]] void fail_not_scalar(const Tensor& t, const char* what) {
  fail(ErrorCode::kTypeError, "only a tensor with one element converts to ", what,
       ", this one has shape ", t.shape());
}

// ---- properties

PyObject* get_dtype(PyObject* self, void*) {
  return Py_NewRef(dtype_to_python(tensor_of(self).dtype()));
}
PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_to_python(tensor_of(self).shape()); });
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(tensor_of(self).rank()); }
PyObject* get_id(PyObject* self, void*) { return PyLong_FromLongLong(tensor_of(self).id()); }

PyObject* as_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    PyRef value(checked(item(tensor_of(self), "complex")));
    return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value.get(),
                                        nullptr);
  });
}
PyObject* numpy_method(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(self, true); });
}
PyObject* numpy_view(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(self, false); });
}
PyObject* item_method(PyObject* self, PyObject*) {
  return guarded([&] { return item(tensor_of(self), "scalar"); });
}

PyObject* formatted(PyObject* self, bool is_repr) {
  if (python_side.format == nullptr) return PyUnicode_FromString("<agog.Tensor>");
  return PyObject_CallFunctionObjArgs(python_side.format, self, is_repr ? Py_True : Py_False,
                                      nullptr);
}
PyObject* repr(PyObject* self) { return formatted(self, true); }
PyObject* str(PyObject* self) { return formatted(self, false); }

// Read-only: a tensor never changes.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  static const char* const formats[] = {"?", "B", "H",     "I", "Q", "b",  "h", "i",
                                        "q", "e", nullptr, "f", "d", "Zf", "Zd"};
  const Tensor& t = tensor_of(self);
  const char* format = code(t.dtype()) < 15 ? formats[code(t.dtype())] : nullptr;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "tensors are immutable: ask for a read-only buffer");
    return -1;
  }
  if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && t.rank() > 1) {
    PyErr_SetString(PyExc_BufferError, "tensors are row-major: ask for a C-contiguous buffer");
    return -1;
  }
  if (format == nullptr) {
    PyErr_Format(PyExc_BufferError, "dtype %s has no buffer format", name(t.dtype()));
    return -1;
  }
  auto* sizes = static_cast<Py_ssize_t*>(PyMem_Malloc(sizeof(Py_ssize_t) * 2 * (kMaxRank + 1)));
  if (sizes == nullptr) return PyErr_NoMemory(), -1;
  // Without elements strides mean nothing, and the sizes may be too large to multiply.
  Py_ssize_t stride = size_of(t.dtype());
  for (int d = t.rank() - 1; d >= 0; --d) {
    sizes[d] = t.dim(d);
    sizes[kMaxRank + d] = stride;
    if (t.num_elements() > 0) stride *= t.dim(d);
  }
  view->buf = t.mutable_raw();
  view->obj = Py_NewRef(self);
  view->len = t.num_bytes();
  view->itemsize = size_of(t.dtype());
  view->readonly = 1;
  view->ndim = t.rank();
  view->format = flags & PyBUF_FORMAT ? const_cast<char*>(format) : nullptr;
  view->shape = flags & PyBUF_ND ? sizes : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? sizes + kMaxRank : nullptr;
  view->suboffsets = nullptr;
  view->internal = sizes;
  return 0;
}
void release_buffer(PyObject*, Py_buffer* view) { PyMem_Free(view->internal); }

PyObject* get_slice_of(PyObject* self, void*) {
  PyObject* s = reinterpret_cast<TensorObject*>(self)->slice_of;
  return Py_NewRef(s ? s : Py_None);
}
int set_slice_of(PyObject* self, PyObject* value, void*) {
  Py_XSETREF(reinterpret_cast<TensorObject*>(self)->slice_of, Py_XNewRef(value));
  return 0;
}

PyGetSetDef getset[] = {{"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
                        {"shape", get_shape, nullptr, "The size of each dimension.", nullptr},
                        {"ndim", get_ndim, nullptr, "The number of dimensions.", nullptr},
                        {"_id", get_id, nullptr, nullptr, nullptr},
                        {"_slice_of", get_slice_of, set_slice_of, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyMethodDef methods[] = {
    {"numpy", numpy_method, METH_NOARGS,
     "A NumPy array with a copy of the values; a NumPy scalar for a scalar."},
    {"_view", numpy_view, METH_NOARGS, nullptr},
    {"item", item_method, METH_NOARGS, "The only element, as a Python number."},
    {"__complex__", as_complex, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

// The one element as a Python object.
PyObject* item(const Tensor& t, const char* what) {
  if (t.num_elements() != 1) fail_not_scalar(t, what);
  note_python_read(t);
  const void* p = t.raw();
  switch (t.dtype()) {
    case DType::kBool: return PyBool_FromLong(*static_cast<const bool*>(p));
    case DType::kUInt8: return PyLong_FromLong(*static_cast<const uint8_t*>(p));
    case DType::kUInt16: return PyLong_FromLong(*static_cast<const uint16_t*>(p));
    case DType::kUInt32: return PyLong_FromUnsignedLong(*static_cast<const uint32_t*>(p));
    case DType::kUInt64: return PyLong_FromUnsignedLongLong(*static_cast<const uint64_t*>(p));
    case DType::kInt8: return PyLong_FromLong(*static_cast<const int8_t*>(p));
    case DType::kInt16: return PyLong_FromLong(*static_cast<const int16_t*>(p));
    case DType::kInt32: return PyLong_FromLong(*static_cast<const int32_t*>(p));
    case DType::kInt64: return PyLong_FromLongLong(*static_cast<const int64_t*>(p));
    case DType::kHalf: return PyFloat_FromDouble(static_cast<float>(*static_cast<const Half*>(p)));
    case DType::kBFloat16:
      return PyFloat_FromDouble(static_cast<float>(*static_cast<const BFloat16*>(p)));
    case DType::kFloat: return PyFloat_FromDouble(*static_cast<const float*>(p));
    case DType::kDouble: return PyFloat_FromDouble(*static_cast<const double*>(p));
    case DType::kComplex64: {
      const auto c = *static_cast<const complex64*>(p);
      return PyComplex_FromDoubles(c.real(), c.imag());
    }
    case DType::kComplex128: {
      const auto c = *static_cast<const complex128*>(p);
      return PyComplex_FromDoubles(c.real(), c.imag());
    }
    case DType::kString: return string_element(t, 0);
    default: fail(ErrorCode::kTypeError, "a tensor of dtype ", t.dtype(), " is not a ", what);
  }
}

PyObject* wrap(Tensor t) {
  TensorObject* o;
  if (AGOG_LIKELY(num_free > 0)) {
    o = free_objects[--num_free];
  } else {
    o = static_cast<TensorObject*>(PyObject_Malloc(sizeof(TensorObject)));
    if (o == nullptr) throw std::bad_alloc();
  }
  PyObject_Init(reinterpret_cast<PyObject*>(o), tensor_type);  // also a reference to the type
  o->weakrefs = nullptr;
  o->slice_of = nullptr;
  new (&o->tensor) Tensor(std::move(t));
  return reinterpret_cast<PyObject*>(o);
}

PyObject* wrap_list(const Tensors& tensors) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(tensors.size())));
  for (size_t i = 0; i < tensors.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), wrap(tensors[i]));
  }
  return list.leak();
}

PyTypeObject* make_type(PyObject* module, const char* full_name, int size, unsigned flags,
                        std::vector<PyType_Slot> slots) {
  for (const PyType_Slot& s : operator_slots()) slots.push_back(s);
  slots.push_back({0, nullptr});
  PyType_Spec spec = {full_name, size, 0, flags, slots.data()};
  PyObject* type = checked(PyType_FromSpec(&spec));
  const char* short_name = std::strrchr(full_name, '.') + 1;
  if (PyModule_AddObjectRef(module, short_name, type) < 0) throw PythonError{};
  return reinterpret_cast<PyTypeObject*>(type);
}

void init_tensor_type(PyObject* module) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(TensorObject, weakrefs), Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  tensor_type = make_type(module, "agog.Tensor", sizeof(TensorObject),
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                          {{Py_tp_dealloc, slot(tensor_dealloc)},
                           {Py_tp_repr, slot(repr)},
                           {Py_tp_str, slot(str)},
                           {Py_tp_getset, getset},
                           {Py_tp_methods, methods},
                           {Py_tp_members, members},
                           {Py_bf_getbuffer, slot(get_buffer)},
                           {Py_bf_releasebuffer, slot(release_buffer)}});
}

}  // namespace agog::py
