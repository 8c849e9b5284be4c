// The base of GradientTape, with the hot paths of its methods; src/agog/gradient_tape.py holds the
// rest.
#include <nanobind/nanobind.h>

#include "op/call.h"
#include "python/module.h"
#include "python/py.h"
#include "runtime/forward.h"
#include "runtime/tape.h"
#include "runtime/variable.h"

namespace nb = nanobind;

namespace agog::py {
namespace {

struct TapeObject {
  PyObject_HEAD
  PyObject* weakrefs;
  Ref<Tape> tape;
  bool persistent, watch_accessed, recording, used;
};

PyTypeObject* tape_type = nullptr;

TapeObject& tape_object(PyObject* o) { return *reinterpret_cast<TapeObject*>(o); }

void renew(TapeObject& t) {
  t.tape = Ref<Tape>(new Tape(t.persistent, t.watch_accessed));
  t.used = false;
}
void start(TapeObject& t) {
  if (!t.recording) push_tape(t.tape.get());
  t.recording = true;
}
void stop(TapeObject& t) {
  if (t.recording) pop_tape(t.tape.get());
  t.recording = false;
}
Tape& tape_of(PyObject* o) {
  TapeObject& t = tape_object(o);
  if (!t.tape) renew(t);
  return *t.tape;
}

// The identity that tapes know an object by.
const Tensor& watchable(PyObject* o) {
  if (is_tensor(o)) return tensor_of(o);
  if (is_variable(o)) return handle_of(o);
  fail(ErrorCode::kTypeError, "tapes know tensors and variables, got ", Py_TYPE(o)->tp_name);
}
bool is_watchable(PyObject* o) { return is_tensor(o) || is_variable(o); }

Tensors tensors_from(nb::handle list) {
  Tensors t;
  for (nb::handle o : list) {
    if (o.is_none()) {
      t.emplace_back();
    } else {
      t.push_back(is_watchable(o.ptr()) ? watchable(o.ptr()) : convert(o.ptr()));
    }
  }
  return t;
}

PyObject* to_python(const Tensor& t) { return t ? wrap(t) : Py_NewRef(Py_None); }

// ---- the type

PyObject* make_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  new (&tape_object(self).tape) Ref<Tape>();
  tape_object(self).watch_accessed = true;
  return self;
}

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  TapeObject& t = tape_object(self);
  if (t.weakrefs) PyObject_ClearWeakRefs(self);
  stop(t);
  t.tape.~Ref<Tape>();
  type->tp_free(self);
  Py_DECREF(type);
}

// ---- fast paths

// The functions can be called with anything for self: GradientTape.watch(5, x).
bool is_tape(PyObject* const* args, Py_ssize_t n) {
  return n > 0 && PyObject_TypeCheck(args[0], tape_type);
}
PyObject* fail_no_tape(const char* method) {
  return PyErr_Format(PyExc_TypeError, "%s is a method of tapes: the first argument must be one",
                      method);
}

// __init__(self, persistent, watch_accessed_variables)
PyObject* init(PyObject* const* args, Py_ssize_t n) {
  if (!is_tape(args, n)) return fail_no_tape("__init__");
  TapeObject& t = tape_object(args[0]);
  t.persistent = n > 1 && args[1] == Py_True;
  t.watch_accessed = n < 3 || args[2] == Py_True;
  if ((n > 1 && !PyBool_Check(args[1])) || (n > 2 && !PyBool_Check(args[2])) || n > 3) {
    return nullptr;
  }
  return Py_NewRef(Py_None);
}

PyObject* enter(PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (!is_tape(args, n)) return fail_no_tape("__enter__");
    TapeObject& t = tape_object(args[0]);
    if (t.recording) fail(ErrorCode::kValueError, "the tape is recording already");
    if (!t.tape || (!t.persistent && t.used)) renew(t);
    start(t);
    return Py_NewRef(args[0]);
  });
}

PyObject* exit(PyObject* const* args, Py_ssize_t n) {
  if (!is_tape(args, n)) return fail_no_tape("__exit__");
  stop(tape_object(args[0]));
  return Py_NewRef(Py_None);
}

// watch(self, tensor): one floating tensor or variable; anything else is for Python.
PyObject* watch(PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (!is_tape(args, n)) return fail_no_tape("watch");
    if (n != 2) return nullptr;
    PyObject* o = args[1];
    if (is_tensor(o) && is_differentiable(tensor_of(o).dtype())) {
      tape_of(args[0]).watch(tensor_of(o));
      return Py_NewRef(Py_None);
    }
    return nullptr;
  });
}

// A tensor, IndexedSlices, or None.
PyObject* gradient_to_python(const Tape::Gradient& g) {
  if (!g.rows.values) return to_python(g.dense);
  PyRef module = owned(PyImport_ImportModule("agog.indexed_slices"));
  PyRef type = owned(PyObject_GetAttrString(module.get(), "IndexedSlices"));
  PyRef values = owned(to_python(g.rows.values));
  PyRef indices = owned(to_python(g.rows.indices));
  PyRef shape = owned(to_python(ops::shape_tensor(g.rows.shape)));
  return owned(PyObject_CallFunctionObjArgs(type.get(), values.get(), indices.get(), shape.get(),
                                            nullptr))
      .leak();
}

PyRef list_of_gradients(const std::vector<Tape::Gradient>& dx) {
  PyRef list = owned(PyList_New(static_cast<Py_ssize_t>(dx.size())));
  for (size_t i = 0; i < dx.size(); ++i) {
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), gradient_to_python(dx[i]));
  }
  return list;
}

PyObject* pack_gradients(PyObject* sources, const std::vector<Tape::Gradient>& dx) {
  if (!PyList_CheckExact(sources)) return gradient_to_python(dx[0]);
  return list_of_gradients(dx).leak();
}

// gradient(self, target, sources) of one floating tensor with respect to a tensor, a variable or a
// list of them.
PyObject* gradient(PyObject* const* args, Py_ssize_t n) {
  return guarded([&]() -> PyObject* {
    if (!is_tape(args, n)) return fail_no_tape("gradient");
    TapeObject& t = tape_object(args[0]);
    if (n != 3 || !t.tape || t.used || !is_tensor(args[1])) return nullptr;
    const Tensor& target = tensor_of(args[1]);
    if (!is_differentiable(target.dtype())) return nullptr;
    Tensors sources;
    if (PyList_CheckExact(args[2])) {
      for (Py_ssize_t i = 0; i < PyList_GET_SIZE(args[2]); ++i) {
        PyObject* o = PyList_GET_ITEM(args[2], i);
        if (!is_watchable(o)) return nullptr;
        sources.push_back(watchable(o));
      }
    } else if (is_watchable(args[2])) {
      sources.push_back(watchable(args[2]));
    } else {
      return nullptr;
    }
    if (!t.persistent) {
      t.used = true;
      stop(t);
    }
    return pack_gradients(args[2], t.tape->gradients({target}, sources, {}));
  });
}

// ---- methods for the Python side

PyObject* gradient_of(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *targets, *sources, *weights;
    int keep = 0;
    if (!PyArg_ParseTuple(args, "OOOp", &targets, &sources, &weights, &keep)) throw PythonError{};
    const auto dx = tape_of(self).gradients(tensors_from(targets), tensors_from(sources),
                                            tensors_from(weights), keep != 0);
    return list_of_gradients(dx).leak();
  });
}
PyObject* start_method(PyObject* self, PyObject*) {
  return guarded([&] {
    tape_of(self);
    start(tape_object(self));
    return Py_NewRef(Py_None);
  });
}
PyObject* stop_method(PyObject* self, PyObject*) {
  stop(tape_object(self));
  return Py_NewRef(Py_None);
}
PyObject* renew_method(PyObject* self, PyObject*) {
  return guarded([&] {
    TapeObject& t = tape_object(self);
    const bool recording = t.recording;
    stop(t);
    renew(t);
    if (recording) start(t);
    return Py_NewRef(Py_None);
  });
}
PyObject* watch_method(PyObject* self, PyObject* o) {
  return guarded([&] {
    if (is_variable(o)) {
      tape_of(self).watch_variable(watchable(o));
    } else {
      tape_of(self).watch(watchable(o));
    }
    return Py_NewRef(Py_None);
  });
}
PyObject* is_watching(PyObject* self, PyObject* o) {
  return guarded([&] { return PyBool_FromLong(tape_of(self).is_watching(watchable(o))); });
}
PyObject* watched_handles(PyObject* self, PyObject*) {
  return guarded([&] { return wrap_list(tape_of(self).watched_variables()); });
}
PyObject* num_records(PyObject* self, PyObject*) {
  return guarded([&] { return PyLong_FromLongLong(tape_of(self).num_records()); });
}
PyObject* saved(PyObject* self, PyObject*) {
  return guarded([&] {
    nb::list out;
    for (auto& [name, kept] : tape_of(self).saved()) {
      out.append(nb::make_tuple(name.c_str(), nb::steal(wrap_list(kept))));
    }
    return out.release().ptr();
  });
}

// ---- for reports: what the tape holds, as plain data

nb::object place(int number) {
  return number == 0 ? nb::none() : nb::object(nb::str(place_text(number).c_str()));
}

// (index, op, place, blocked, [(id, producer, differentiable)], [output ids]) of each record.
PyObject* lineage(PyObject* self, PyObject*) {
  return guarded([&] {
    nb::list out;
    const TapeHold held(tape_of(self));  // the lists made here may start a collection
    const auto& records = tape_of(self).records();
    for (size_t i = 0; i < records.size(); ++i) {
      const Record* r = records[i].get();
      if (r == nullptr) continue;
      nb::list inputs, outputs;
      for (const Record::Input& in : r->inputs) {
        inputs.append(nb::make_tuple(in.id, in.producer, in.differentiable));
      }
      for (const int64_t id : r->output_ids) outputs.append(id);
      out.append(nb::make_tuple(i, r->name(), place(r->place), r->blocked, inputs, outputs));
    }
    return out.release().ptr();
  });
}

// (record, whether gradients flow back from it) of a tensor or variable, None if it is not known.
PyObject* entry(PyObject* self, PyObject* o) {
  return guarded([&] {
    const Tape::Entry* e = tape_of(self).entry(watchable(o));
    nb::object found = e ? nb::object(nb::make_tuple(e->record, e->live)) : nb::none();
    return found.release().ptr();
  });
}

// {handle: (producer, place)} of values that went into variables, and [(op, place)] of values that
// Python took.
PyObject* leaks(PyObject* self, PyObject*) {
  return guarded([&] {
    // Copies: the objects made here may start a collection, and finalizers may use the tape.
    const auto assignments = tape_of(self).assignments();
    const auto python_reads = tape_of(self).python_reads();
    nb::dict assigned;
    for (const auto& [handle, a] : assignments) {
      assigned[nb::int_(handle)] = nb::make_tuple(a.producer, a.value, place(a.place));
    }
    nb::list reads;
    for (const Tape::PythonRead& r : python_reads) {
      reads.append(nb::make_tuple(r.op.c_str(), place(r.place)));
    }
    return nb::make_tuple(assigned, reads).release().ptr();
  });
}

// _cuts(target, source): the gradient, and the (record, input) where one that was wanted is
// missing; leaves the tape as it was.
PyObject* cuts(PyObject* self, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject *target, *source;
    if (!PyArg_ParseTuple(args, "OO", &target, &source)) throw PythonError{};
    std::vector<Tape::Cut> found;
    const Tensors dx =
        tape_of(self).gradient({watchable(target)}, {watchable(source)}, {}, true, &found);
    nb::list places;
    for (const Tape::Cut& c : found) places.append(nb::make_tuple(c.record, c.input));
    return nb::make_tuple(nb::steal(to_python(dx[0])), places).release().ptr();
  });
}

template <bool TapeObject::* flag>
PyObject* get_flag(PyObject* self, void*) {
  return PyBool_FromLong(tape_object(self).*flag);
}
template <bool TapeObject::* flag>
int set_flag(PyObject* self, PyObject* value, void*) {
  if (value == nullptr) {
    PyErr_SetString(PyExc_TypeError, "a tape cannot be without this attribute");
    return -1;
  }
  const int v = PyObject_IsTrue(value);
  if (v < 0) return -1;
  tape_object(self).*flag = v != 0;
  return 0;
}

// What the Python side calls.
PyMethodDef methods[] = {{"_gradient", gradient_of, METH_VARARGS, nullptr},
                         {"_start", start_method, METH_NOARGS, nullptr},
                         {"_stop", stop_method, METH_NOARGS, nullptr},
                         {"_renew", renew_method, METH_NOARGS, nullptr},
                         {"_watch", watch_method, METH_O, nullptr},
                         {"_is_watching", is_watching, METH_O, nullptr},
                         {"_watched_handles", watched_handles, METH_NOARGS, nullptr},
                         {"_num_records", num_records, METH_NOARGS, nullptr},
                         {"_saved", saved, METH_NOARGS, nullptr},
                         {"_lineage", lineage, METH_NOARGS, nullptr},
                         {"_entry", entry, METH_O, nullptr},
                         {"_leaks", leaks, METH_NOARGS, nullptr},
                         {"_cuts", cuts, METH_VARARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

// ---- custom backward passes, and recording nothing

// A backward function written in Python: list of dy -> list of dx or None.
class PythonBackward final : public CustomBackward {
 public:
  PythonBackward(std::string name, nb::object function)
      : CustomBackward(std::move(name)), function_(std::move(function)) {}
  ~PythonBackward() override {
    nb::gil_scoped_acquire gil;
    function_.reset();
  }
  Tensors run(const Tensors& dy) override {
    PyRef list(wrap_list(dy));
    PyRef result = owned(PyObject_CallOneArg(function_.ptr(), list.get()));
    Tensors dx;
    for (nb::handle o : nb::borrow(result.get())) {
      dx.push_back(o.is_none() ? Tensor() : convert(o.ptr()));
    }
    return dx;
  }

 private:
  nb::object function_;
};

// record_custom(name, outputs, inputs, backward): what every tape that watches an input will call.
void record_custom(nb::str name, nb::list outputs, nb::list inputs, nb::object backward) {
  bridge([&] {
    Ref<CustomBackward> b(new PythonBackward(name.c_str(), std::move(backward)));
    record_custom_on_tapes(b, tensors_from(inputs), tensors_from(outputs));
  });
}

// A with-block in which the tapes of this thread that record now do not.
struct StopRecording {
  int entered = 0;
};

nb::list ids(const std::vector<int64_t>& from) {
  nb::list out;
  for (const int64_t id : from) out.append(id);
  return out;
}

// [(op, place, input ids, output ids)] of ops that ran on known tensors while no tape recorded.
nb::list unrecorded() {
  nb::list out;
  for (const Unrecorded& u : unrecorded_ops()) {
    out.append(nb::make_tuple(u.op.c_str(), place(u.place), ids(u.inputs), ids(u.outputs)));
  }
  return out;
}

// Tangents on their way forward; src/agog/autodiff.py holds the rest.
class ForwardMode {
 public:
  ForwardMode() : accumulator_(new Accumulator) {}
  ~ForwardMode() { stop(); }
  void watch(nb::handle primal, nb::handle tangent) {
    bridge([&] { accumulator_->set(watchable(primal.ptr()), convert(tangent.ptr())); });
  }
  nb::object tangent(nb::handle o) const {
    return nb::steal(to_python(accumulator_->tangent(watchable(o.ptr()))));
  }
  bool start() {
    if (recording_) return false;
    push_accumulator(accumulator_.get());
    return recording_ = true;
  }
  void stop() {
    if (recording_) pop_accumulator(accumulator_.get());
    recording_ = false;
  }

 private:
  Ref<Accumulator> accumulator_;
  bool recording_ = false;
};

}  // namespace

void init_tape_type(PyObject* module) {
  static PyMemberDef members[] = {
      {"__weaklistoffset__", Py_T_PYSSIZET, offsetof(TapeObject, weakrefs), Py_READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  static PyGetSetDef getset[] = {
      {"_persistent", get_flag<&TapeObject::persistent>, set_flag<&TapeObject::persistent>, nullptr,
       nullptr},
      {"_watch_accessed", get_flag<&TapeObject::watch_accessed>,
       set_flag<&TapeObject::watch_accessed>, nullptr, nullptr},
      {"_used", get_flag<&TapeObject::used>, set_flag<&TapeObject::used>, nullptr, nullptr},
      {"_recording", get_flag<&TapeObject::recording>, nullptr, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make_new)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                                {Py_tp_members, members},
                                {Py_tp_methods, methods},
                                {Py_tp_getset, getset},
                                {0, nullptr}};
  static PyType_Spec spec = {"agog.TapeBase", sizeof(TapeObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  tape_type = reinterpret_cast<PyTypeObject*>(checked(PyType_FromSpec(&spec)));
  if (PyModule_AddObjectRef(module, "TapeBase", reinterpret_cast<PyObject*>(tape_type)) < 0) {
    throw PythonError{};
  }
  add_fast_path("GradientTape.__init__", init);
  add_fast_path("GradientTape.__enter__", enter);
  add_fast_path("GradientTape.__exit__", exit);
  add_fast_path("GradientTape.watch", watch);
  add_fast_path("GradientTape.gradient", gradient);
}

void bind_tape(nb::module_& m) {
  hooks::user_line = user_line;
  m.def("set_record_lines", &set_record_lines);
  m.def("records_lines", &records_lines);
  m.def("unrecorded_ops", unrecorded);
  nb::class_<ForwardMode>(m, "ForwardMode")
      .def(nb::init<>())
      .def("watch", &ForwardMode::watch)
      .def("tangent", &ForwardMode::tangent)
      .def("start", &ForwardMode::start)
      .def("stop", &ForwardMode::stop);
  nb::class_<StopRecording>(m, "StopRecording")
      .def(nb::init<>())
      .def("__enter__",
           [](StopRecording& self) {
             ++self.entered;
             pause_tapes();
           })
      .def("__exit__", [](StopRecording& self, nb::args) {
        if (self.entered > 0) {
          --self.entered;
          resume_tapes();
        }
      });
  m.def("stop_recording", [] { return StopRecording(); });
  m.def("record_custom", record_custom);
  m.def("any_watched", [](nb::list tensors) {
    return bridge([&] { return any_watched(tensors_from(tensors)); });
  });
  m.def("tape_depth", &tape_depth);
}

}  // namespace agog::py
