// tensor[...]: integers, slices, None and ... become one StridedSlice here; src/agog/indexing.py
// has the rest.
#include <limits>

#include "op/call.h"
#include "python/py.h"

namespace agog::py {
namespace {

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

}  // namespace

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

}  // namespace agog::py
