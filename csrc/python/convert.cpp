// From Python values to tensors and back.
#include <cmath>
#include <cstring>
#include <limits>

#include "op/call.h"
#include "python/py.h"

namespace agog::py {
namespace {

// What a Python number would be if nothing else decides.
enum class Kind { kNone, kBool, kInt, kFloat, kComplex, kString, kTensor, kOther };

Kind kind_of(PyObject* o) {
  if (PyBool_Check(o)) return Kind::kBool;
  if (PyLong_CheckExact(o)) return Kind::kInt;
  if (PyFloat_CheckExact(o)) return Kind::kFloat;
  if (PyComplex_CheckExact(o)) return Kind::kComplex;
  if (PyUnicode_CheckExact(o) || PyBytes_CheckExact(o)) return Kind::kString;
  if (is_tensor(o) || is_variable(o)) return Kind::kTensor;
  return Kind::kOther;
}

bool fits(Kind k, DType d) {
  switch (k) {
    case Kind::kBool: return d == DType::kBool;
    case Kind::kInt: return contains(kNumeric, d);
    case Kind::kFloat: return contains(kInexact, d);
    case Kind::kComplex: return is_complex(d);
    case Kind::kString: return d == DType::kString;
    default: return false;
  }
}

const char* kind_name(Kind k) {
  switch (k) {
    case Kind::kBool: return "bool";
    case Kind::kInt: return "int";
    case Kind::kFloat: return "float";
    case Kind::kComplex: return "complex";
    default: return "str";
  }
}

// A short text for a value, however big, deep or ill-behaved it is.
std::string shown(PyObject* o) {
  PyRef module(PyImport_ImportModule("reprlib"));
  PyRef text(module ? PyObject_CallMethod(module.get(), "repr", "O", o) : nullptr);
  const char* s = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  const std::string result = s ? s : "the value";
  PyErr_Clear();
  return result;
}

[[noreturn]] void fail_conversion(PyObject* o, DType d) {
  fail(ErrorCode::kTypeError, "cannot convert ", shown(o), " to a tensor of dtype ", d);
}

[[noreturn]] void fail_range(PyObject* o, DType d) {
  fail(ErrorCode::kValueError, "the number ", shown(o), " is out of range for dtype ", d);
}

template <class T>
void store_int(PyObject* o, void* to) {
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (overflow > 0) {
      const unsigned long long u = PyLong_AsUnsignedLongLong(o);
      if (PyErr_Occurred()) {
        PyErr_Clear();
        fail_range(o, dtype_of<T>);
      }
      *static_cast<T*>(to) = u;
      return;
    }
    if (overflow || v < 0) fail_range(o, dtype_of<T>);
    *static_cast<T*>(to) = static_cast<T>(v);
  } else {
    if (overflow || v < std::numeric_limits<T>::min() || v > std::numeric_limits<T>::max()) {
      fail_range(o, dtype_of<T>);
    }
    *static_cast<T*>(to) = static_cast<T>(v);
  }
}

double double_in_range(PyObject* o, DType d) {
  const double v = PyFloat_AsDouble(o);
  if (v == -1.0 && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw PythonError{};
    PyErr_Clear();
    fail_range(o, d);
  }
  return v;
}

// Writes one Python number as dtype d; `o` fits it.
void store_number(PyObject* o, DType d, void* to) {
  switch (d) {
    case DType::kBool: *static_cast<bool*>(to) = o == Py_True; return;
    case DType::kUInt8: store_int<uint8_t>(o, to); return;
    case DType::kUInt16: store_int<uint16_t>(o, to); return;
    case DType::kUInt32: store_int<uint32_t>(o, to); return;
    case DType::kUInt64: store_int<uint64_t>(o, to); return;
    case DType::kInt8: store_int<int8_t>(o, to); return;
    case DType::kInt16: store_int<int16_t>(o, to); return;
    case DType::kInt32: store_int<int32_t>(o, to); return;
    case DType::kInt64: store_int<int64_t>(o, to); return;
    default: break;
  }
  if (is_complex(d)) {
    const Py_complex c = PyComplex_AsCComplex(o);
    if (PyErr_Occurred()) {
      if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw PythonError{};
      PyErr_Clear();
      fail_range(o, d);
    }
    if (d == DType::kComplex64) {
      *static_cast<complex64*>(to) = {static_cast<float>(c.real), static_cast<float>(c.imag)};
    } else {
      *static_cast<complex128*>(to) = {c.real, c.imag};
    }
    return;
  }
  const double v = double_in_range(o, d);
  switch (d) {
    case DType::kHalf: *static_cast<Half*>(to) = Half(static_cast<float>(v)); return;
    case DType::kBFloat16: *static_cast<BFloat16*>(to) = BFloat16(static_cast<float>(v)); return;
    case DType::kFloat: *static_cast<float*>(to) = static_cast<float>(v); return;
    default: *static_cast<double*>(to) = v; return;
  }
}

DType default_dtype(Kind k) {
  switch (k) {
    case Kind::kBool: return DType::kBool;
    case Kind::kInt: return DType::kInt32;
    case Kind::kFloat: return DType::kFloat;
    case Kind::kComplex: return DType::kComplex128;
    default: return DType::kString;
  }
}

DType choose(Kind k, PyObject* value, DType wanted, DType hint) {
  if (wanted != DType::kInvalid) {
    const bool truth = k == Kind::kBool && contains(kNumeric, wanted);
    if (!truth && !fits(k, wanted)) fail_conversion(value, wanted);
    return wanted;
  }
  if (hint != DType::kInvalid &&
      (fits(k, hint) || (k == Kind::kBool && contains(kNumeric, hint)))) {
    return hint;
  }
  return default_dtype(k);
}

// ---- nested lists

bool is_number(Kind k) { return k == Kind::kInt || k == Kind::kFloat || k == Kind::kComplex; }
bool is_sequence(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

struct Nest {
  Shape shape;
  Kind kind = Kind::kNone;
  bool needs_int64 = false;  // some integer does not fit into 32 bits
};

[[noreturn]] void fail_depth() {
  fail(ErrorCode::kUnimplemented, "the value is nested deeper than ", kMaxRank, " levels");
}

[[noreturn]] void fail_ragged(const Shape& shape, int depth, int64_t got) {
  fail(ErrorCode::kValueError, "cannot convert a ragged sequence to a tensor: at depth ", depth,
       " a length of ", shape[depth], " was needed, got ", got);
}

// Finds shape and kind; false when some leaf is a tensor or an object, which go another way.
bool scan(PyObject* o, int depth, Nest& nest) {
  if (!is_sequence(o)) {
    const Kind k = kind_of(o);
    if (k == Kind::kTensor || k == Kind::kOther) return false;
    if (depth != nest.shape.rank()) fail_ragged(nest.shape, depth, 0);
    if (k == Kind::kInt) {
      int overflow = 0;
      const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
      nest.needs_int64 |= overflow || v != static_cast<int32_t>(v);
    }
    // As in TensorFlow, a truth value may follow numbers, but numbers may not follow a truth value.
    const bool numbers = is_number(nest.kind) && (is_number(k) || k == Kind::kBool);
    if (nest.kind != Kind::kNone && k != nest.kind && !numbers) {
      fail(ErrorCode::kValueError, "cannot convert a sequence that mixes ", kind_name(nest.kind),
           " and ", kind_name(k), " to a tensor");
    }
    if (k > nest.kind) nest.kind = k;
    return true;
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  if (nest.kind == Kind::kNone && depth == nest.shape.rank()) {
    if (nest.shape.full()) {
      fail_depth();
    }
    nest.shape.push_back(n);
  } else if (depth >= nest.shape.rank() || nest.shape[depth] != n) {
    if (depth >= nest.shape.rank()) {
      fail(ErrorCode::kValueError,
           "cannot convert a ragged sequence to a tensor: a sequence at depth ", depth,
           " where others have numbers");
    }
    fail_ragged(nest.shape, depth, n);
  }
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < n; ++i) {
    if (!scan(items[i], depth + 1, nest)) return false;
  }
  return true;
}

// String bytes go into one block that the tensor keeps alive.
struct StringSink {
  std::vector<std::string> values;
};

void fill(PyObject* o, DType d, char*& to, StringSink& strings) {
  if (!is_sequence(o)) {
    if (d == DType::kString) {
      strings.values.push_back(utf8(o));
    } else {
      store_number(o, d, to);
      to += size_of(d);
    }
    return;
  }
  const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
  PyObject** items = PySequence_Fast_ITEMS(o);
  for (Py_ssize_t i = 0; i < n; ++i) fill(items[i], d, to, strings);
}

void place_strings(const Tensor& t, const std::vector<std::string>& values) {
  size_t total = 0;
  for (const std::string& s : values) total += s.size();
  Ref<Buffer> bytes = Buffer::allocate(total);
  char* at = static_cast<char*>(bytes->data());
  auto* refs = t.mutable_data<StringRef>();
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(at, values[i].data(), values[i].size());
    refs[i] = StringRef(at, values[i].size());
    at += values[i].size();
  }
  t.buffer()->keep_alive(std::move(bytes));
}

// The dtype of the first tensor found in a nested list.
DType dtype_inside(PyObject* o, int depth = 0) {
  if (is_tensor(o)) return tensor_of(o).dtype();
  if (is_variable(o)) return variable_dtype(o);
  if (!is_sequence(o)) return DType::kInvalid;
  if (depth > kMaxRank) fail_depth();
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    const DType d = dtype_inside(PySequence_Fast_ITEMS(o)[i], depth + 1);
    if (d != DType::kInvalid) return d;
  }
  return DType::kInvalid;
}

// A list with tensors in it is stacked, so that gradients flow. `cast` says that the dtype was
// asked for: tensors of another one are converted then, as TensorFlow does inside lists only.
Tensor stack_nested(PyObject* o, DType dtype, bool cast, int depth = 0) {
  if (is_tensor(o) || is_variable(o)) {
    Tensor t = convert(o);
    return cast ? ops::cast(std::move(t), dtype) : convert(o, dtype);
  }
  if (!is_sequence(o)) return convert(o, dtype);
  if (depth > kMaxRank) fail_depth();
  static const ops::Caller pack{"Pack"};
  Tensors parts;
  // Converting an object may run Python code that shortens the list.
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); ++i) {
    const PyRef item = PyRef::borrow(PySequence_Fast_ITEMS(o)[i]);
    parts.push_back(stack_nested(item.get(), dtype, cast, depth + 1));
  }
  if (parts.empty()) return Tensor::empty(dtype, Shape{0});
  return execute1(pack.op(), parts.data(), static_cast<int>(parts.size()));
}

Tensor cast_if_lossless(Tensor t, DType wanted, DType hint);

// Lists that hold arrays, NumPy numbers or objects of other types: the Python side makes one array
// of them.
Tensor convert_mixed(PyObject* o, DType wanted, DType hint) {
  if (python_side.convert_nested == nullptr) fail_conversion(o, wanted);
  PyRef result = owned(PyObject_CallFunctionObjArgs(
      python_side.convert_nested, o, dtype_to_python(wanted), dtype_to_python(hint), nullptr));
  return cast_if_lossless(tensor_from_numpy(result.get()), wanted, hint);
}

Tensor convert_sequence(PyObject* o, DType wanted, DType hint) {
  Nest nest;
  if (!scan(o, 0, nest)) {
    const DType inside = dtype_inside(o);
    if (inside != DType::kInvalid) {
      const bool asked = wanted != DType::kInvalid;
      return stack_nested(o, asked ? wanted : inside, asked);
    }
    return convert_mixed(o, wanted, hint);
  }
  DType d;
  if (nest.kind == Kind::kNone) {  // no element at all
    d = wanted != DType::kInvalid ? wanted : hint != DType::kInvalid ? hint : DType::kFloat;
  } else {
    d = choose(nest.kind, o, wanted, hint);
  }
  if (wanted == DType::kInvalid && hint == DType::kInvalid && d == DType::kInt32 &&
      nest.needs_int64) {
    d = DType::kInt64;
  }
  Tensor t = Tensor::empty(d, nest.shape);
  char* to = t.mutable_data<char>();
  StringSink strings;
  fill(o, d, to, strings);
  if (d == DType::kString) place_strings(t, strings.values);
  return t;
}

Tensor convert_number(PyObject* o, Kind k, DType wanted, DType hint) {
  DType d = choose(k, o, wanted, hint);
  if (k == Kind::kInt && d == DType::kInt32 && wanted != d && hint != d) {
    int overflow = 0;
    const long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow || v != static_cast<int32_t>(v)) d = DType::kInt64;
  }
  Tensor t = Tensor::empty(d, Shape{});
  if (d == DType::kString) {
    place_strings(t, {utf8(o)});
  } else {
    store_number(o, d, t.mutable_raw());
  }
  return t;
}

// Arrays follow the other operand where no kind of number is lost; a dtype that was asked for is
// always given.
bool castable(DType from, DType to) {
  if (from == to) return true;
  if (from == DType::kBool || to == DType::kBool) return false;
  if (is_integer(from)) return contains(kNumeric, to);
  if (is_floating(from)) return contains(kInexact, to);
  return is_complex(from) && is_complex(to);
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::memcmp(a.raw(), b.raw(), static_cast<size_t>(a.num_bytes())) == 0;
}

Tensor cast_if_lossless(Tensor t, DType wanted, DType hint) {
  if (wanted != DType::kInvalid) {
    const bool text = t.dtype() == DType::kString || wanted == DType::kString;
    if (text && t.dtype() != wanted) {
      fail(ErrorCode::kTypeError, "cannot convert an array of dtype ", t.dtype(),
           " to a tensor of dtype ", wanted);
    }
    return ops::cast(std::move(t), wanted);
  }
  if (hint == DType::kInvalid || hint == t.dtype() || !castable(t.dtype(), hint)) return t;
  Tensor result = ops::cast(t, hint);
  if (is_integer(hint) && !same_bytes(t, ops::cast(result, t.dtype()))) {
    fail(ErrorCode::kValueError, "an array of dtype ", t.dtype(),
         " holds numbers that are out of range for dtype ", hint);
  }
  return result;
}

Tensor convert_other(PyObject* o, DType wanted, DType hint) {
  if (is_ndarray_like(o)) return cast_if_lossless(tensor_from_numpy(o), wanted, hint);
  if (PyLong_Check(o)) return convert_number(o, Kind::kInt, wanted, hint);
  if (PyFloat_Check(o)) return convert_number(o, Kind::kFloat, wanted, hint);
  if (PyUnicode_Check(o) || PyBytes_Check(o)) return convert_number(o, Kind::kString, wanted, hint);
  if (python_side.convert_other) {
    PyObject* dtype = wanted == DType::kInvalid ? Py_None : dtype_to_python(wanted);
    PyRef result =
        owned(PyObject_CallFunctionObjArgs(python_side.convert_other, o, dtype, nullptr));
    if (is_tensor(result.get())) return tensor_of(result.get());
    if (is_sequence(result.get())) return convert_sequence(result.get(), wanted, hint);
    if (is_ndarray_like(result.get())) {
      return cast_if_lossless(tensor_from_numpy(result.get()), wanted, hint);
    }
  }
  fail(ErrorCode::kTypeError, "cannot convert a value of type ", Py_TYPE(o)->tp_name,
       " to a tensor");
}

}  // namespace

std::string utf8(PyObject* o) {
  if (PyBytes_Check(o)) {
    return {PyBytes_AS_STRING(o), static_cast<size_t>(PyBytes_GET_SIZE(o))};
  }
  Py_ssize_t n = 0;
  const char* s = PyUnicode_AsUTF8AndSize(o, &n);
  if (s == nullptr) throw PythonError{};
  return {s, static_cast<size_t>(n)};
}

Tensor convert(PyObject* o, DType wanted, DType hint) {
  if (is_tensor(o) || is_variable(o)) {
    Tensor t = is_tensor(o) ? tensor_of(o) : read_variable(o);
    if (wanted != DType::kInvalid && t.dtype() != wanted) {
      fail(ErrorCode::kInvalidType, "a tensor of dtype ", wanted,
           " was asked for, got one of dtype ", t.dtype(), "; agog.cast converts it");
    }
    return t;
  }
  const Kind k = kind_of(o);
  if (k != Kind::kOther) return convert_number(o, k, wanted, hint);
  if (is_sequence(o)) return convert_sequence(o, wanted, hint);
  return convert_other(o, wanted, hint);
}

double double_of(PyObject* o) { return double_in_range(o, DType::kDouble); }

int64_t int64_of(PyObject* o) {
  const PyRef index = owned(PyNumber_Index(o));
  int overflow = 0;
  const long long v = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  if (overflow) fail_range(o, DType::kInt64);
  if (v == -1 && PyErr_Occurred()) throw PythonError{};
  return v;
}

Tensor convert_preferring(PyObject* o, DType preferred) {
  try {
    return convert(o, DType::kInvalid, preferred);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kValueError || preferred != DType::kInt32) throw;
    return convert(o, DType::kInvalid, DType::kInt64);
  }
}

DType dtype_from_python(PyObject* o) {
  static PyObject* code_name = PyUnicode_InternFromString("_code");
  PyRef c(PyObject_GetAttr(o, code_name));
  if (!c) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError{};
    PyErr_Clear();
    PyRef d = owned(PyObject_CallOneArg(python_side.as_dtype, o));
    c = owned(PyObject_GetAttr(d.get(), code_name));
  }
  const long v = PyLong_Check(c.get()) ? PyLong_AsLong(c.get()) : -1;
  PyErr_Clear();
  if (v < 0 || v >= kNumDTypes) fail(ErrorCode::kTypeError, "agog has no such dtype");
  return static_cast<DType>(v);
}

PyObject* dtype_to_python(DType d) {
  return d == DType::kInvalid || python_side.dtypes == nullptr
             ? Py_None
             : PyTuple_GET_ITEM(python_side.dtypes, code(d));
}

PyObject* shape_tuple(const Shape& s) {
  PyRef dims = owned(PyTuple_New(s.rank()));
  for (int i = 0; i < s.rank(); ++i) {
    PyObject* d = s[i] < 0 ? Py_NewRef(Py_None) : checked(PyLong_FromLongLong(s[i]));
    PyTuple_SET_ITEM(dims.get(), i, d);
  }
  return dims.leak();
}

PyObject* shape_to_python(const Shape& s) {
  PyRef dims = s.has_rank() ? PyRef(shape_tuple(s)) : PyRef::borrow(Py_None);
  return PyObject_CallOneArg(python_side.make_shape, dims.get());
}

Shape shape_from_python(PyObject* o, bool allow_unknown) {
  if (o == Py_None) return Shape::unknown_rank();
  PyRef as_list = owned(PySequence_List(o));
  const Py_ssize_t n = PyList_GET_SIZE(as_list.get());
  if (n > kMaxRank) fail(ErrorCode::kUnimplemented, "rank ", n, " is above ", kMaxRank);
  Shape s;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* d = PyList_GET_ITEM(as_list.get(), i);
    int64_t v = -1;
    if (d != Py_None) v = int64_of(d);
    if (v < 0 && !(allow_unknown && v == -1)) {
      fail(ErrorCode::kValueError, "dimension ", i, " of a shape is ", v);
    }
    s.push_back(v);
  }
  return s;
}

}  // namespace agog::py
