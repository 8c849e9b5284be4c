// The callable behind every op: inputs, attrs and name, positionally in row order or by keyword.
#include <cstring>

#include "python/py.h"

namespace agog::py {
namespace {

constexpr int kMostArguments = 40;

struct HandleObject {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const Op* op;  // null for an op that has no row yet
  int num_inputs, num_attrs;
  PyObject* name;
};

PyTypeObject* handle_type = nullptr;

const char* argument_name(const HandleObject& h, int i) {
  if (i < h.num_inputs) return h.op->def.inputs[static_cast<size_t>(i)].name;
  i -= h.num_inputs;
  if (i < h.num_attrs) return h.op->def.attrs.fields[static_cast<size_t>(i)].name;
  return "name";
}

// Sorts positional and keyword arguments into one array.
void collect(const HandleObject& h, PyObject* const* args, Py_ssize_t n, PyObject* keywords,
             PyObject** values) {
  const int most = h.num_inputs + h.num_attrs + 1;
  if (n > most) {
    fail(ErrorCode::kTypeError, h.op->def.name, "() takes at most ", most, " arguments, got ", n);
  }
  for (int i = 0; i < most; ++i) values[i] = i < n ? args[i] : nullptr;
  const Py_ssize_t num_keywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
  for (Py_ssize_t k = 0; k < num_keywords; ++k) {
    PyObject* key = PyTuple_GET_ITEM(keywords, k);
    int at = 0;
    while (at < most && PyUnicode_CompareWithASCIIString(key, argument_name(h, at)) != 0) ++at;
    if (at == most) {
      fail(ErrorCode::kTypeError, h.op->def.name, "() has no argument called '", utf8(key), "'");
    }
    if (values[at]) {
      fail(ErrorCode::kTypeError, h.op->def.name, "() got argument '", argument_name(h, at),
           "' twice");
    }
    values[at] = args[n + k];
  }
  for (int i = 0; i < h.num_inputs; ++i) {
    if (values[i] == nullptr) {
      fail(ErrorCode::kTypeError, h.op->def.name, "() needs argument '", argument_name(h, i), "'");
    }
  }
}

// ---- attrs

void set_ints(PyObject* o, std::vector<int64_t>& out) {
  if (PyIndex_Check(o)) {
    out = {int64_of(o)};
  } else {
    PyRef list = owned(PySequence_List(o));
    out.clear();
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
      out.push_back(int64_of(PyList_GET_ITEM(list.get(), i)));
    }
  }
  if (PyErr_Occurred()) throw PythonError{};
}

void set_floats(PyObject* o, std::vector<float>& out) {
  PyRef list = owned(PySequence_List(o));
  out.clear();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    out.push_back(static_cast<float>(double_of(PyList_GET_ITEM(list.get(), i))));
  }
  if (PyErr_Occurred()) throw PythonError{};
}

void set_dtypes(PyObject* o, std::vector<DType>& out) {
  PyRef list = owned(PySequence_List(o));
  out.clear();
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i) {
    out.push_back(dtype_from_python(PyList_GET_ITEM(list.get(), i)));
  }
}

void set_field(const AttrField& f, char* at, PyObject* o) {
  switch (f.type) {
    case AttrType::kBool: {
      const int v = PyObject_IsTrue(o);
      if (v < 0) throw PythonError{};
      *reinterpret_cast<bool*>(at) = v != 0;
      return;
    }
    case AttrType::kInt: *reinterpret_cast<int64_t*>(at) = int64_of(o); return;
    case AttrType::kFloat: {
      *reinterpret_cast<float*>(at) = static_cast<float>(double_of(o));
      return;
    }
    case AttrType::kString:
      if (!PyUnicode_Check(o) && !PyBytes_Check(o)) {
        fail(ErrorCode::kTypeError, "attr ", f.name, " must be a string, got ",
             Py_TYPE(o)->tp_name);
      }
      *reinterpret_cast<std::string*>(at) = utf8(o);
      return;
    case AttrType::kDType: *reinterpret_cast<DType*>(at) = dtype_from_python(o); return;
    case AttrType::kShape: *reinterpret_cast<Shape*>(at) = shape_from_python(o, true); return;
    case AttrType::kInts: set_ints(o, *reinterpret_cast<std::vector<int64_t>*>(at)); return;
    case AttrType::kFloats: set_floats(o, *reinterpret_cast<std::vector<float>*>(at)); return;
    case AttrType::kDTypes: set_dtypes(o, *reinterpret_cast<std::vector<DType>*>(at)); return;
  }
}

// The attrs struct of one call, on the stack; the row's own defaults when the call gives none.
class CallAttrs {
 public:
  CallAttrs(const Op& op, PyObject* const* values) : def_(op.def.attrs) {
    bool given = false;
    for (size_t i = 0; i < def_.fields.size(); ++i) {
      const bool has = values[i] != nullptr && values[i] != Py_None;
      given |= has;
      if (!has && def_.fields[i].required) {
        fail(ErrorCode::kTypeError, op.def.name, "() needs attr '", def_.fields[i].name, "'");
      }
    }
    if (!given) return;
    if (def_.size > sizeof memory_)
      fail(ErrorCode::kInternal, "attrs of ", op.def.name, " are big");
    def_.construct(memory_);
    built_ = true;
    try {
      for (size_t i = 0; i < def_.fields.size(); ++i) {
        if (values[i] == nullptr || values[i] == Py_None) continue;
        set_field(def_.fields[i], memory_ + def_.fields[i].offset, values[i]);
      }
    } catch (...) {
      def_.destroy(memory_);
      throw;
    }
  }
  ~CallAttrs() {
    if (built_) def_.destroy(memory_);
  }
  CallAttrs(const CallAttrs&) = delete;
  CallAttrs& operator=(const CallAttrs&) = delete;
  const void* get() const { return built_ ? memory_ : nullptr; }

 private:
  const AttrsDef& def_;
  bool built_ = false;
  alignas(16) char memory_[512];
};

// ---- inputs

bool has_dtype(PyObject* o) { return is_tensor(o) || is_variable(o); }
DType known_dtype(PyObject* o) { return is_tensor(o) ? tensor_of(o).dtype() : variable_dtype(o); }

class InputConverter {
 public:
  InputConverter(const Op& op, PyObject* const* values) : op_(op), values_(values) {
    for (size_t v = 0; v < op.def.types.size(); ++v) bound_[v] = DType::kInvalid;
    lists_.resize(op.num_lists > 0 ? static_cast<size_t>(op.num_args) : 0);
    for (int i = 0; i < op.num_args; ++i) bind_from_tensors(i);
  }

  Tensors run() {
    Tensors flat;
    for (int i = 0; i < op_.num_args; ++i) {
      if (op_.def.inputs[static_cast<size_t>(i)].count == nullptr) {
        flat.push_back(one(i, values_[i]));
        continue;
      }
      PyObject* list = lists_[static_cast<size_t>(i)].get();
      for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); ++k) {
        flat.push_back(one(i, PyList_GET_ITEM(list, k)));
      }
    }
    return flat;
  }

 private:
  PyRef items(int i) const {
    if (has_dtype(values_[i]) || PyUnicode_Check(values_[i])) {
      fail(ErrorCode::kTypeError, op_.def.inputs[static_cast<size_t>(i)].name,
           " must be a list of tensors, got one ", Py_TYPE(values_[i])->tp_name);
    }
    return owned(PySequence_List(values_[i]));
  }

  void bind(int var, PyObject* o) {
    if (bound_[var] == DType::kInvalid && has_dtype(o)) bound_[var] = known_dtype(o);
  }
  // Tensors decide first: numbers and arrays follow them.
  void bind_from_tensors(int i) {
    const bool is_list = op_.def.inputs[static_cast<size_t>(i)].count != nullptr;
    if (is_list) lists_[static_cast<size_t>(i)] = items(i);
    const TypeSource& t = op_.in_types[static_cast<size_t>(i)];
    if (t.how != TypeSource::kVar) return;
    if (!is_list) {
      bind(t.var, values_[i]);
      return;
    }
    PyObject* list = lists_[static_cast<size_t>(i)].get();
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); ++k) {
      bind(t.var, PyList_GET_ITEM(list, k));
    }
  }

  Tensor one(int i, PyObject* o) {
    const TypeSource& t = op_.in_types[static_cast<size_t>(i)];
    if (t.how == TypeSource::kLiteral && t.literal == DType::kResource && is_variable(o)) {
      return handle_of(o);
    }
    if (is_tensor(o)) return tensor_of(o);
    if (is_variable(o)) return read_variable(o);
    if (o == Py_None) {
      fail(ErrorCode::kValueError, op_.def.inputs[static_cast<size_t>(i)].name,
           " must be a tensor or convertible to one, got None");
    }
    if (t.how == TypeSource::kLiteral) return convert(o, t.literal);
    if (t.how != TypeSource::kVar) return convert(o);
    DType& bound = bound_[t.var];
    if (bound != DType::kInvalid) return convert(o, DType::kInvalid, bound);
    Tensor made = convert_preferring(o, op_.def.types[static_cast<size_t>(t.var)].preferred);
    bound = made.dtype();
    return made;
  }

  const Op& op_;
  PyObject* const* values_;
  std::vector<PyRef> lists_;  // the items of list inputs: an iterator gives them only once
  DType bound_[8];
};

PyObject* run(const Op& op, const Tensor* in, int n, const void* attrs) {
  if (op.num_outputs == 1 && !op.list_output) return wrap(execute1(op, in, n, attrs));
  Tensors out = execute(op, in, n, attrs);
  if (op.list_output) return wrap_list(out);
  if (out.empty()) return Py_NewRef(Py_None);
  PyRef tuple = owned(PyTuple_New(static_cast<Py_ssize_t>(out.size())));
  for (size_t i = 0; i < out.size(); ++i) {
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap(std::move(out[i])));
  }
  return tuple.leak();
}

constexpr int kMostBorrowed = 6;

// The common case: every input a tensor, nothing by keyword. No reference is taken for the length
// of the call.
bool borrow(const HandleObject& h, PyObject* const* args, Py_ssize_t n,
            Borrowed<kMostBorrowed>& out) {
  if (h.op->num_lists > 0 || h.num_inputs > kMostBorrowed || n < h.num_inputs ||
      n > h.num_inputs + h.num_attrs + 1) {
    return false;
  }
  for (int i = 0; i < h.num_inputs; ++i) {
    if (!is_tensor(args[i])) return false;
    out.set(i, tensor_of(args[i]).impl());
  }
  return true;
}

PyObject* call(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const auto& h = *reinterpret_cast<HandleObject*>(self);
    if (AGOG_UNLIKELY(h.op == nullptr)) {
      fail(ErrorCode::kUnimplemented, "agog has no op ", utf8(h.name), " yet");
    }
    const Op& op = *h.op;
    const Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    Borrowed<kMostBorrowed> borrowed;
    if (keywords == nullptr && borrow(h, args, n, borrowed)) {
      PyObject* given[kMostArguments];
      for (int i = 0; i < h.num_attrs; ++i) {
        const Py_ssize_t at = h.num_inputs + i;
        given[i] = at < n ? args[at] : nullptr;
      }
      const CallAttrs attrs(op, given);
      return run(op, borrowed.get(), op.num_args, attrs.get());
    }
    PyObject* values[kMostArguments];
    collect(h, args, n, keywords, values);
    CallAttrs attrs(op, values + h.num_inputs);
    const Tensors in = InputConverter(op, values).run();
    return run(op, in.data(), static_cast<int>(in.size()), attrs.get());
  });
}

PyObject* repr(PyObject* self) {
  return PyUnicode_FromFormat("<op %U>", reinterpret_cast<HandleObject*>(self)->name);
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  Py_DECREF(reinterpret_cast<HandleObject*>(self)->name);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* make_handle(PyObject*, PyObject* arg) {
  return guarded([&]() -> PyObject* {
    const Op* op = lookup_op(utf8(arg));
    auto* h = PyObject_New(HandleObject, handle_type);
    if (h == nullptr) throw PythonError{};
    h->vectorcall = call;
    h->op = op;
    h->name = Py_NewRef(arg);
    h->num_inputs = op ? op->num_args : 0;
    h->num_attrs = op ? static_cast<int>(op->def.attrs.fields.size()) : 0;
    if (h->num_inputs + h->num_attrs + 1 > kMostArguments) {
      fail(ErrorCode::kInternal, "row ", utf8(arg), " has too many arguments");
    }
    return reinterpret_cast<PyObject*>(h);
  });
}

PyObject* get_name(PyObject* self, void*) {
  return Py_NewRef(reinterpret_cast<HandleObject*>(self)->name);
}

}  // namespace

bool is_handle(PyObject* o) { return Py_TYPE(o) == handle_type; }

bool takes_as_they_are(PyObject* handle, PyObject* const* args, size_t nargsf) {
  const auto& h = *reinterpret_cast<HandleObject*>(handle);
  if (PyVectorcall_NARGS(nargsf) != h.num_inputs || h.op == nullptr || h.op->num_lists > 0) {
    return false;
  }
  for (int i = 0; i < h.num_inputs; ++i) {
    if (!is_tensor(args[i])) return false;
  }
  return true;
}

PyObject* call_handle(PyObject* handle, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  return call(handle, args, nargsf, keywords);
}

PyObject* run_op(const Op& op, const Tensor* in, int n, const void* attrs) {
  return run(op, in, n, attrs);
}

void init_op_handle_type(PyObject* module) {
  static PyMemberDef members[] = {{"__vectorcalloffset__", Py_T_PYSSIZET,
                                   offsetof(HandleObject, vectorcall), Py_READONLY, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {{"__name__", get_name, nullptr, nullptr, nullptr},
                                 {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                                {Py_tp_repr, reinterpret_cast<void*>(repr)},
                                {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                {Py_tp_members, members},
                                {Py_tp_getset, getset},
                                {0, nullptr}};
  static PyType_Spec spec = {
      "agog.OpHandle", sizeof(HandleObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  handle_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  static PyMethodDef functions[] = {
      {"handle", make_handle, METH_O, "The callable of the op with this name."},
      {nullptr, nullptr, 0, nullptr}};
  if (PyModule_AddFunctions(module, functions) < 0) throw PythonError{};
}

}  // namespace agog::py
