// NumPy arrays in (copied) and out (a writable copy, or a read-only view). NumPy itself is imported
// on first use, so that importing agog does not wait for it.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <cstring>
#include <mutex>

#include "python/py.h"
#include "runtime/tape.h"
// After Python.h.
#include <numpy/arrayobject.h>

namespace agog::py {
namespace {

struct NumpyTypes {
  PyObject* bfloat16 = nullptr;  // the dtype of ml_dtypes
  int bfloat16_num = -1;
};
NumpyTypes numpy_types;

void load_numpy() {
  if (PyArray_API != nullptr) return;
  if (_import_array() < 0) throw PythonError{};
}

bool numpy_is_loaded() {
  if (PyArray_API != nullptr) return true;
  PyObject* modules = PyImport_GetModuleDict();
  if (PyDict_GetItemString(modules, "numpy") == nullptr) return false;
  load_numpy();
  return true;
}

int bfloat16_num() {
  if (numpy_types.bfloat16_num < 0) {
    PyRef module = owned(PyImport_ImportModule("ml_dtypes"));
    PyRef type = owned(PyObject_GetAttrString(module.get(), "bfloat16"));
    PyArray_Descr* descr = nullptr;
    if (!PyArray_DescrConverter(type.get(), &descr)) throw PythonError{};
    numpy_types.bfloat16 = reinterpret_cast<PyObject*>(descr);
    numpy_types.bfloat16_num = descr->type_num;
  }
  return numpy_types.bfloat16_num;
}

DType dtype_of_array(PyArrayObject* a) {
  const int num = PyArray_TYPE(a);
  switch (num) {
    case NPY_BOOL: return DType::kBool;
    case NPY_HALF: return DType::kHalf;
    case NPY_FLOAT: return DType::kFloat;
    case NPY_DOUBLE: return DType::kDouble;
    case NPY_CFLOAT: return DType::kComplex64;
    case NPY_CDOUBLE: return DType::kComplex128;
    case NPY_OBJECT:
    case NPY_STRING:
    case NPY_UNICODE: return DType::kString;
    default: break;
  }
  const int64_t size = PyArray_ITEMSIZE(a);
  const int log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  if (PyTypeNum_ISUNSIGNED(num)) return static_cast<DType>(code(DType::kUInt8) + log);
  if (PyTypeNum_ISINTEGER(num)) return static_cast<DType>(code(DType::kInt8) + log);
  if (num >= NPY_USERDEF && num == bfloat16_num()) return DType::kBFloat16;
  PyRef text(PyObject_Str(reinterpret_cast<PyObject*>(PyArray_DESCR(a))));
  fail(ErrorCode::kValueError, "cannot convert a NumPy array of dtype ",
       text ? PyUnicode_AsUTF8(text.get()) : "?", " to a tensor");
}

int numpy_type_num(DType d) {
  static const int nums[] = {NPY_BOOL,   NPY_UINT8,  NPY_UINT16,  NPY_UINT32, NPY_UINT64, NPY_INT8,
                             NPY_INT16,  NPY_INT32,  NPY_INT64,   NPY_HALF,   -1,         NPY_FLOAT,
                             NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE, NPY_OBJECT};
  if (d == DType::kBFloat16) return bfloat16_num();
  if (code(d) > code(DType::kString)) {
    fail(ErrorCode::kTypeError, "a tensor of dtype ", d, " has no NumPy form");
  }
  return nums[code(d)];
}

Shape shape_of_array(PyArrayObject* a) {
  if (PyArray_NDIM(a) > kMaxRank) {
    fail(ErrorCode::kUnimplemented, "an array of rank ", PyArray_NDIM(a), ": the largest rank is ",
         kMaxRank);
  }
  Shape s;
  for (int i = 0; i < PyArray_NDIM(a); ++i) s.push_back(PyArray_DIM(a, i));
  return s;
}

Tensor strings_from_array(PyArrayObject* a) {
  PyRef flat = owned(PyArray_Ravel(a, NPY_CORDER));
  PyRef list = owned(PyObject_CallMethod(flat.get(), "tolist", nullptr));
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    PyObject* item = PyList_GET_ITEM(list.get(), i);
    if (PyUnicode_Check(item) || PyBytes_Check(item)) continue;
    fail(ErrorCode::kValueError, "an array of objects must hold strings only, element ", i,
         " is of type ", Py_TYPE(item)->tp_name);
  }
  return convert(list.get(), DType::kString).with_shape(shape_of_array(a));
}

PyObject* array_of_strings(const Tensor& t, npy_intp* dims) {
  PyRef array = owned(PyArray_SimpleNew(t.rank(), dims, NPY_OBJECT));
  auto** items =
      static_cast<PyObject**>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.get())));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    Py_XDECREF(items[i]);
    items[i] = checked(string_element(t, i));
  }
  return array.leak();
}

}  // namespace

bool is_ndarray_like(PyObject* o) {
  if (!numpy_is_loaded()) return false;
  return PyArray_Check(o) || PyArray_IsScalar(o, Generic);
}

Tensor tensor_from_numpy(PyObject* o) {
  load_numpy();
  PyRef array = PyArray_Check(o) ? PyRef::borrow(o) : owned(PyArray_FromScalar(o, nullptr));
  auto* a = reinterpret_cast<PyArrayObject*>(array.get());
  const DType d = dtype_of_array(a);
  if (d == DType::kString) return strings_from_array(a);
  Tensor t = Tensor::empty(d, shape_of_array(a));
  const auto bytes = static_cast<size_t>(t.num_bytes());
  if (PyArray_IS_C_CONTIGUOUS(a) && PyArray_ISNOTSWAPPED(a)) {
    UnlockScope unlocked(t.num_bytes() / 4);
    std::memcpy(t.mutable_raw(), PyArray_DATA(a), bytes);
    return t;
  }
  PyArray_Descr* native = PyArray_DescrNewByteorder(PyArray_DESCR(a), NPY_NATIVE);
  PyRef plain = owned(PyArray_FromArray(a, native, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED));
  std::memcpy(t.mutable_raw(), PyArray_DATA(reinterpret_cast<PyArrayObject*>(plain.get())), bytes);
  return t;
}

PyObject* to_numpy(PyObject* self, bool copy) {
  load_numpy();
  const Tensor& t = tensor_of(self);
  note_python_read(t);
  npy_intp dims[kMaxRank];
  for (int i = 0; i < t.rank(); ++i) dims[i] = t.dim(i);
  if (t.dtype() == DType::kString) {
    if (t.rank() == 0) return string_element(t, 0);
    return array_of_strings(t, dims);
  }
  const int num = numpy_type_num(t.dtype());
  if (copy) {
    PyRef array = owned(PyArray_SimpleNew(t.rank(), dims, num));
    auto* a = reinterpret_cast<PyArrayObject*>(array.get());
    {
      UnlockScope unlocked(t.num_bytes() / 4);
      std::memcpy(PyArray_DATA(a), t.raw(), static_cast<size_t>(t.num_bytes()));
    }
    return PyArray_Return(reinterpret_cast<PyArrayObject*>(array.leak()));
  }
  PyArray_Descr* descr = PyArray_DescrFromType(num);
  PyRef array = owned(PyArray_NewFromDescr(&PyArray_Type, descr, t.rank(), dims, nullptr,
                                           t.mutable_raw(), NPY_ARRAY_CARRAY_RO, nullptr));
  auto* a = reinterpret_cast<PyArrayObject*>(array.get());
  if (PyArray_SetBaseObject(a, Py_NewRef(self)) < 0) throw PythonError{};
  return array.leak();
}

PyObject* string_element(const Tensor& t, int64_t i) {
  const StringRef s = t.data<StringRef>()[i];
  return PyBytes_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

}  // namespace agog::py
