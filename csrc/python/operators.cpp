// The operators of tensors and variables: number slots that go straight to dispatch.
#include "op/call.h"
#include "python/py.h"
#include "runtime/variable.h"

namespace agog::py {
namespace {

// One operand of an operator beside a tensor of dtype `hint`. False, with no error set, when it is
// nothing that converts: Python then asks the other side.
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
  try {
    *out = convert(o, DType::kInvalid, hint);
    return true;
  } catch (const PythonError&) {
    // An object of a class that may know what to do with a tensor is asked next.
    const bool asked = PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE);
    const bool refused =
        PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError);
    if (!asked || !refused) throw;
    PyErr_Clear();
    return false;
  }
}

DType dtype_of_operand(PyObject* o) {
  if (is_tensor(o)) return tensor_of(o).dtype();
  return is_variable(o) ? variable_dtype(o) : DType::kInvalid;
}

// A Python float beside a float tensor, while nobody records: a scalar on the stack, which the loop
// reads and forgets.
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

bool holds_strings(PyObject* o) {
  if (is_tensor(o)) return tensor_of(o).dtype() == DType::kString;
  if (!is_variable(o)) return false;
  const Tensor& handle = reinterpret_cast<VariableObject*>(o)->handle;
  return handle && variable_of(handle).dtype() == DType::kString;
}

// Strings are joined element by element, and broadcast as numbers are.
PyObject* add(PyObject* a, PyObject* b) {
  static const ops::Caller join{"StringJoin"}, broadcast{"BroadcastTo"};
  return guarded([&]() -> PyObject* {
    if (AGOG_LIKELY(!holds_strings(a) && !holds_strings(b))) return binary(add_op.op(), a, b);
    Tensor in[2];
    if (!operand(a, DType::kString, &in[0]) || !operand(b, DType::kString, &in[1])) {
      Py_RETURN_NOTIMPLEMENTED;
    }
    const Shape shape = broadcast_shapes(in[0].shape(), in[1].shape());
    for (Tensor& t : in) {
      if (t.dtype() == DType::kString && t.rank() > 0 && !(t.shape() == shape)) {
        t = broadcast(t, ops::shape_tensor(shape));
      }
    }
    return wrap(execute1(join.op(), in, 2));
  });
}

DType either_dtype(PyObject* a, PyObject* b) {
  const DType d = dtype_of_operand(a);
  return d == DType::kInvalid ? dtype_of_operand(b) : d;
}

// True division of integers is done in floats, as wide as TensorFlow makes them.
DType division_type(DType d) {
  switch (d) {
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kUInt16:
    case DType::kInt16: return DType::kFloat;
    case DType::kUInt32:
    case DType::kInt32:
    case DType::kUInt64:
    case DType::kInt64: return DType::kDouble;
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
  return guarded(
      [&] { return binary((either_dtype(a, b) == DType::kBool ? logical : bitwise).op(), a, b); });
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

PyObject* unary(const ops::Caller& op, PyObject* self) {
  const Tensor in = value_of(self);
  return wrap(execute1(op.op(), &in, 1));
}
PyObject* negative(PyObject* self) {
  return guarded([&] { return unary(neg_op, self); });
}
PyObject* positive(PyObject* self) { return Py_NewRef(self); }
struct ComplexAbsAttrs {
  DType Tout = DType::kFloat;
};

PyObject* absolute(PyObject* self) {
  return guarded([&] {
    const Tensor in = value_of(self);
    if (!is_complex(in.dtype())) return wrap(execute1(abs_op.op(), &in, 1));
    const bool narrow = in.dtype() == DType::kComplex64;
    const ComplexAbsAttrs attrs{narrow ? DType::kFloat : DType::kDouble};
    return wrap(execute1(complex_abs_op.op(), &in, 1, &attrs));
  });
}
PyObject* invert(PyObject* self) {
  return guarded(
      [&] { return unary(dtype_of_operand(self) == DType::kBool ? not_op : invert_op, self); });
}

struct EqualAttrs {
  bool incompatible_shape_error = false;
};

// Tensors of unlike shapes are not equal, rather than an error.
PyObject* equality(const char* op_name, PyObject* a, PyObject* b) {
  static const EqualAttrs attrs;
  Tensor in[2];
  operand(a, DType::kInvalid, &in[0]);
  if (!operand(b, in[0].dtype(), &in[1])) {
    if (b != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return Py_NewRef(op_name[0] == 'N' ? Py_True : Py_False);
  }
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
           " elements is ambiguous (shape ", t.shape(),
           "); use agog.reduce_any or agog.reduce_all");
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
    if (t.rank() > 0) {
      fail(ErrorCode::kTypeError, "only a scalar tensor can be an index, this one has shape ",
           t.shape());
    }
    return item(t, "index");
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

Py_hash_t no_hash(PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "Tensor is unhashable: == compares elements. Use tensor.ref() as the key");
  return -1;
}

}  // namespace

const std::vector<PyType_Slot>& operator_slots() {
  static const std::vector<PyType_Slot> slots = {
      {Py_tp_hash, slot(no_hash)},
      {Py_tp_richcompare, slot(compare)},
      {Py_nb_add, slot(add)},
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

}  // namespace agog::py
