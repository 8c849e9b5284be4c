// The type agog.Tensor: number slots that go straight to dispatch, and the properties that are hot. The rest of its
// methods are added by src/agog/tensor.py.
#include <cstring>
#include <limits>

#include "op/call.h"
#include "python/py.h"

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

// The one element as a Python object.
PyObject* item(const Tensor& t, const char* what) {
  if (t.num_elements() != 1) fail_not_scalar(t, what);
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

// ---- operators

// One operand of an operator beside a tensor of dtype `hint`. False, with no error set, when it is nothing that
// converts: Python then asks the other side.
bool operand(PyObject* o, DType hint, Tensor* out) {
  if (is_tensor(o)) {
    *out = tensor_of(o);
    return true;
  }
  if (is_variable(o)) {
    *out = read_variable(o);
    return true;
  }
  if (o == Py_None) return false;
  *out = convert(o, DType::kInvalid, hint);
  return true;
}

DType dtype_of_operand(PyObject* o) {
  if (is_tensor(o)) return tensor_of(o).dtype();
  return is_variable(o) ? read_variable(o).dtype() : DType::kInvalid;
}

// A Python float beside a float tensor, while nobody records: a scalar on the stack, which the loop reads and forgets.
class StackScalar {
 public:
  bool set(PyObject* o, DType d) {
    if (!PyFloat_CheckExact(o) || (d != DType::kFloat && d != DType::kDouble)) return false;
    impl_.dtype = d;
    impl_.num_elements = 1;
    impl_.data = impl_.inline_data;
    if (d == DType::kFloat) {
      *reinterpret_cast<float*>(impl_.inline_data) = static_cast<float>(PyFloat_AS_DOUBLE(o));
    } else {
      *reinterpret_cast<double*>(impl_.inline_data) = PyFloat_AS_DOUBLE(o);
    }
    return true;
  }
  TensorImpl* impl() { return &impl_; }

 private:
  TensorImpl impl_;
};

bool with_stack_scalar(const Op& op, PyObject* a, PyObject* b, PyObject** result) {
  if (t_context.flags != 0 || !op.simple_map) return false;
  StackScalar scalar;
  Borrowed<2> in;
  if (is_tensor(a) && scalar.set(b, tensor_of(a).dtype())) {
    in.set(0, tensor_of(a).impl());
    in.set(1, scalar.impl());
  } else if (is_tensor(b) && scalar.set(a, tensor_of(b).dtype())) {
    in.set(0, scalar.impl());
    in.set(1, tensor_of(b).impl());
  } else {
    return false;
  }
  *result = wrap(execute1(op, in.get(), 2));
  return true;
}

PyObject* binary(const Op& op, PyObject* a, PyObject* b) {
  if (AGOG_LIKELY(is_tensor(a) && is_tensor(b))) {
    Borrowed<2> in;
    in.set(0, tensor_of(a).impl());
    in.set(1, tensor_of(b).impl());
    return wrap(execute1(op, in.get(), 2));
  }
  PyObject* result;
  if (with_stack_scalar(op, a, b, &result)) return result;
  Tensor in[2];
  if (is_tensor(a)) {
    in[0] = tensor_of(a);
    if (!operand(b, in[0].dtype(), &in[1])) Py_RETURN_NOTIMPLEMENTED;
  } else if (is_tensor(b)) {
    in[1] = tensor_of(b);
    if (!operand(a, in[1].dtype(), &in[0])) Py_RETURN_NOTIMPLEMENTED;
  } else {
    const DType hint = is_variable(a) ? dtype_of_operand(a) : dtype_of_operand(b);
    if (!operand(a, hint, &in[0]) || !operand(b, hint, &in[1])) Py_RETURN_NOTIMPLEMENTED;
  }
  return wrap(execute1(op, in, 2));
}

template <const ops::Caller& op>
PyObject* binary_slot(PyObject* a, PyObject* b) {
  return guarded([&] { return binary(op.op(), a, b); });
}

constexpr ops::Caller add_op{"AddV2"}, sub_op{"Sub"}, mul_op{"Mul"}, pow_op{"Pow"},
    floordiv_op{"FloorDiv"}, mod_op{"FloorMod"}, div_op{"RealDiv"}, neg_op{"Neg"}, abs_op{"Abs"},
    complex_abs_op{"ComplexAbs"}, and_op{"LogicalAnd"}, or_op{"LogicalOr"}, xor_op{"NotEqual"},
    not_op{"LogicalNot"}, bit_and_op{"BitwiseAnd"}, bit_or_op{"BitwiseOr"},
    bit_xor_op{"BitwiseXor"}, invert_op{"Invert"}, less_op{"Less"}, less_equal_op{"LessEqual"},
    greater_op{"Greater"}, greater_equal_op{"GreaterEqual"}, matmul_op{"MatMul"},
    batch_matmul_op{"BatchMatMulV2"};

DType either_dtype(PyObject* a, PyObject* b) {
  const DType d = dtype_of_operand(a);
  return d == DType::kInvalid ? dtype_of_operand(b) : d;
}

// True division of integers is done in floats, as wide as TensorFlow makes them.
DType division_type(DType d) {
  switch (d) {
    case DType::kUInt8: case DType::kInt8: case DType::kUInt16: case DType::kInt16:
      return DType::kFloat;
    case DType::kUInt32: case DType::kInt32: case DType::kUInt64: case DType::kInt64:
      return DType::kDouble;
    default: return d;
  }
}

PyObject* true_divide(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    const DType d = either_dtype(a, b);
    if (!is_integer(d)) return binary(div_op.op(), a, b);
    Tensor in[2];
    if (!operand(a, d, &in[0]) || !operand(b, d, &in[1])) Py_RETURN_NOTIMPLEMENTED;
    if (in[0].dtype() == in[1].dtype()) {
      for (Tensor& t : in) t = ops::cast(std::move(t), division_type(d));
    }
    return wrap(execute1(div_op.op(), in, 2));
  });
}

template <const ops::Caller& logical, const ops::Caller& bitwise>
PyObject* bit_slot(PyObject* a, PyObject* b) {
  return guarded([&] {
    return binary((either_dtype(a, b) == DType::kBool ? logical : bitwise).op(), a, b);
  });
}

PyObject* power(PyObject* a, PyObject* b, PyObject* modulo) {
  return guarded([&]() -> PyObject* {
    if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return binary(pow_op.op(), a, b);
  });
}

PyObject* matmul(PyObject* a, PyObject* b) {
  return guarded([&]() -> PyObject* {
    Tensor in[2];
    const DType d = either_dtype(a, b);
    if (!operand(a, d, &in[0]) || !operand(b, d, &in[1])) Py_RETURN_NOTIMPLEMENTED;
    const bool matrices = in[0].rank() == 2 && in[1].rank() == 2;
    return wrap(execute1((matrices ? matmul_op : batch_matmul_op).op(), in, 2));
  });
}

Tensor value_of(PyObject* o) { return is_tensor(o) ? tensor_of(o) : read_variable(o); }

PyObject* unary(const ops::Caller& op, PyObject* self) {
  const Tensor in = value_of(self);
  return wrap(execute1(op.op(), &in, 1));
}
PyObject* negative(PyObject* self) {
  return guarded([&] { return unary(neg_op, self); });
}
PyObject* positive(PyObject* self) { return Py_NewRef(self); }
PyObject* absolute(PyObject* self) {
  return guarded([&] {
    return unary(is_complex(dtype_of_operand(self)) ? complex_abs_op : abs_op, self);
  });
}
PyObject* invert(PyObject* self) {
  return guarded([&] {
    return unary(dtype_of_operand(self) == DType::kBool ? not_op : invert_op, self);
  });
}

struct EqualAttrs {
  bool incompatible_shape_error = false;
};

// Tensors of unlike shapes are not equal, rather than an error.
PyObject* equality(const char* op_name, PyObject* a, PyObject* b) {
  static const EqualAttrs attrs;
  Tensor in[2];
  operand(a, DType::kInvalid, &in[0]);
  if (!operand(b, in[0].dtype(), &in[1])) return Py_NewRef(op_name[0] == 'N' ? Py_True : Py_False);
  return wrap(execute1(find_op(op_name), in, 2, &attrs));
}

PyObject* compare(PyObject* a, PyObject* b, int how) {
  return guarded([&]() -> PyObject* {
    switch (how) {
      case Py_LT: return binary(less_op.op(), a, b);
      case Py_LE: return binary(less_equal_op.op(), a, b);
      case Py_GT: return binary(greater_op.op(), a, b);
      case Py_GE: return binary(greater_equal_op.op(), a, b);
      case Py_EQ: return equality("Equal", a, b);
      default: return equality("NotEqual", a, b);
    }
  });
}

// ---- as a number

int is_true(PyObject* self) {
  return guarded([&] {
    const Tensor t = value_of(self);
    if (t.num_elements() != 1) {
      fail(ErrorCode::kValueError, "the truth value of a tensor with ", t.num_elements(),
           " elements is ambiguous (shape ", t.shape(), "); use agog.reduce_any or agog.reduce_all");
    }
    PyRef value(checked(item(t, "bool")));
    return PyObject_IsTrue(value.get());
  });
}

PyObject* as_float(PyObject* self) {
  return guarded([&] {
    PyRef value(checked(item(value_of(self), "float")));
    return PyNumber_Float(value.get());
  });
}
PyObject* as_int(PyObject* self) {
  return guarded([&] {
    PyRef value(checked(item(value_of(self), "int")));
    return PyNumber_Long(value.get());
  });
}
PyObject* as_index(PyObject* self) {
  return guarded([&] {
    const Tensor t = value_of(self);
    if (!is_integer(t.dtype())) {
      fail(ErrorCode::kTypeError, "only an integer tensor can be an index, this one has dtype ",
           t.dtype());
    }
    return item(t, "index");
  });
}
PyObject* as_complex(PyObject* self, PyObject*) {
  return guarded([&] {
    PyRef value(checked(item(value_of(self), "complex")));
    return PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PyComplex_Type), value.get(),
                                        nullptr);
  });
}

// ---- as a sequence

Py_ssize_t length(PyObject* self) {
  return guarded([&] {
    const Tensor t = value_of(self);
    if (t.rank() == 0) fail(ErrorCode::kTypeError, "a scalar tensor has no len()");
    return static_cast<Py_ssize_t>(t.dim(0));
  });
}

PyObject* subscript(PyObject* self, PyObject* key);

// ---- properties

PyObject* get_dtype(PyObject* self, void*) {
  return Py_NewRef(dtype_to_python(tensor_of(self).dtype()));
}
PyObject* get_shape(PyObject* self, void*) {
  return guarded([&] { return shape_to_python(tensor_of(self).shape()); });
}
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(tensor_of(self).rank()); }
PyObject* get_id(PyObject* self, void*) { return PyLong_FromLongLong(tensor_of(self).id()); }

PyObject* numpy_method(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(self, true); });
}
PyObject* numpy_view(PyObject* self, PyObject*) {
  return guarded([&] { return to_numpy(self, false); });
}
PyObject* item_method(PyObject* self, PyObject*) {
  return guarded([&] { return item(tensor_of(self), "scalar"); });
}

Py_hash_t no_hash(PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Tensor is unhashable: == compares elements. Use tensor.ref() as the key");
  return -1;
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
  static const char* const formats[] = {"?", "B", "H", "I", "Q", "b", "h", "i", "q",
                                        "e", nullptr, "f", "d", "Zf", "Zd"};
  const Tensor& t = tensor_of(self);
  const char* format = code(t.dtype()) < 15 ? formats[code(t.dtype())] : nullptr;
  if (flags & PyBUF_WRITABLE) {
    PyErr_SetString(PyExc_BufferError, "tensors are immutable: ask for a read-only buffer");
    return -1;
  }
  if (format == nullptr) {
    PyErr_Format(PyExc_BufferError, "dtype %s has no buffer format", name(t.dtype()));
    return -1;
  }
  auto* sizes = static_cast<Py_ssize_t*>(PyMem_Malloc(sizeof(Py_ssize_t) * 2 * (kMaxRank + 1)));
  if (sizes == nullptr) return PyErr_NoMemory(), -1;
  Py_ssize_t stride = size_of(t.dtype());
  for (int d = t.rank() - 1; d >= 0; --d) {
    sizes[d] = t.dim(d);
    sizes[kMaxRank + d] = stride;
    stride *= t.dim(d);
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

PyGetSetDef getset[] = {
    {"dtype", get_dtype, nullptr, "The type of the elements.", nullptr},
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

template <class F>
void* slot(F* f) { return reinterpret_cast<void*>(f); }

}  // namespace

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

const std::vector<PyType_Slot>& operator_slots() {
  static const std::vector<PyType_Slot> slots = {
      {Py_tp_hash, slot(no_hash)},
      {Py_tp_richcompare, slot(compare)},
      {Py_nb_add, slot(binary_slot<add_op>)},
      {Py_nb_subtract, slot(binary_slot<sub_op>)},
      {Py_nb_multiply, slot(binary_slot<mul_op>)},
      {Py_nb_true_divide, slot(true_divide)},
      {Py_nb_floor_divide, slot(binary_slot<floordiv_op>)},
      {Py_nb_remainder, slot(binary_slot<mod_op>)},
      {Py_nb_power, slot(power)},
      {Py_nb_matrix_multiply, slot(matmul)},
      {Py_nb_and, slot(bit_slot<and_op, bit_and_op>)},
      {Py_nb_or, slot(bit_slot<or_op, bit_or_op>)},
      {Py_nb_xor, slot(bit_slot<xor_op, bit_xor_op>)},
      {Py_nb_negative, slot(negative)},
      {Py_nb_positive, slot(positive)},
      {Py_nb_absolute, slot(absolute)},
      {Py_nb_invert, slot(invert)},
      {Py_nb_bool, slot(is_true)},
      {Py_nb_float, slot(as_float)},
      {Py_nb_int, slot(as_int)},
      {Py_nb_index, slot(as_index)},
      {Py_mp_length, slot(length)},
      {Py_mp_subscript, slot(subscript)},
  };
  return slots;
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

namespace {

// ---- indexing

struct StridedSliceAttrs {
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};

struct SliceSpec {
  std::vector<int64_t> begin, end, strides;
  StridedSliceAttrs masks;

  void add(int64_t b, int64_t e, int64_t s) {
    begin.push_back(b);
    end.push_back(e);
    strides.push_back(s);
  }
};

bool slice_bound(PyObject* o, bool* present, int64_t* value) {
  *present = o != Py_None;
  if (!*present) return true;
  if (!PyIndex_Check(o)) return false;
  *value = PyLong_AsLongLong(owned(PyNumber_Index(o)).get());
  if (*value == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    return false;
  }
  return true;
}

// One entry of the index into the spec; false for what only the Python side understands.
bool add_entry(PyObject* key, SliceSpec& spec) {
  const int64_t bit = int64_t{1} << spec.begin.size();
  if (PyLong_Check(key) && !PyBool_Check(key)) {
    int overflow = 0;
    const int64_t i = PyLong_AsLongLongAndOverflow(key, &overflow);
    if (overflow || i == std::numeric_limits<int64_t>::max()) return false;
    spec.masks.shrink_axis_mask |= bit;
    // One past -1 is the end, which a number cannot say.
    if (i == -1) spec.masks.end_mask |= bit;
    spec.add(i, i + 1, 1);
    return true;
  }
  if (key == Py_None) {
    spec.masks.new_axis_mask |= bit;
    spec.add(0, 0, 1);
    return true;
  }
  if (key == Py_Ellipsis) {
    spec.masks.ellipsis_mask |= bit;
    spec.add(0, 0, 1);
    return true;
  }
  if (!PySlice_Check(key)) return false;
  auto* s = reinterpret_cast<PySliceObject*>(key);
  int64_t b = 0, e = 0, step = 1;
  bool has_b = false, has_e = false, has_step = false;
  if (!slice_bound(s->start, &has_b, &b) || !slice_bound(s->stop, &has_e, &e) ||
      !slice_bound(s->step, &has_step, &step)) {
    return false;
  }
  if (!has_b) spec.masks.begin_mask |= bit;
  if (!has_e) spec.masks.end_mask |= bit;
  spec.add(b, e, has_step ? step : 1);
  return true;
}

PyObject* subscript(PyObject* self, PyObject* key) {
  return guarded([&]() -> PyObject* {
    SliceSpec spec;
    bool plain = true;
    if (PyTuple_Check(key)) {
      for (Py_ssize_t i = 0; plain && i < PyTuple_GET_SIZE(key); ++i) {
        plain = i < 60 && add_entry(PyTuple_GET_ITEM(key, i), spec);
      }
    } else {
      plain = add_entry(key, spec);
    }
    if (!plain) {
      if (python_side.getitem == nullptr) fail(ErrorCode::kTypeError, "not an index");
      return PyObject_CallFunctionObjArgs(python_side.getitem, self, key, nullptr);
    }
    static const ops::Caller strided_slice{"StridedSlice"};
    const Tensor in[4] = {value_of(self), ops::int_vector(spec.begin), ops::int_vector(spec.end),
                          ops::int_vector(spec.strides)};
    return wrap(execute1(strided_slice.op(), in, 4, &spec.masks));
  });
}

}  // namespace
}  // namespace agog::py
