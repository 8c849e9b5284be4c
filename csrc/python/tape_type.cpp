// The tape for Python: src/agog/gradient_tape.py builds GradientTape on it.
#include <nanobind/nanobind.h>

#include "python/module.h"
#include "python/py.h"
#include "runtime/tape.h"
#include "runtime/variable.h"

namespace nb = nanobind;

namespace agog::py {
namespace {

// Tensors of a Python list; None gives an empty one.
Tensors tensors_from(nb::handle list) {
  Tensors t;
  for (nb::handle o : list) {
    if (o.is_none()) {
      t.emplace_back();
    } else if (is_variable(o.ptr())) {
      t.push_back(reinterpret_cast<VariableObject*>(o.ptr())->handle);
    } else {
      t.push_back(convert(o.ptr()));
    }
  }
  return t;
}

nb::object to_python(const Tensor& t) {
  return t ? nb::steal(wrap(t)) : nb::none();
}

// A backward function written in Python: list of dy -> list of dx or None.
class PythonBackward final : public CustomBackward {
 public:
  PythonBackward(nb::object function, std::string name)
      : function_(std::move(function)), name_(std::move(name)) {}
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
  std::string name_;
};

class PyTape {
 public:
  PyTape(bool persistent, bool watch_accessed)
      : tape_(new Tape(persistent, watch_accessed)) {}
  ~PyTape() { stop(); }
  void start() {
    if (!recording_) push_tape(tape_.get());
    recording_ = true;
  }
  void stop() {
    if (recording_) pop_tape(tape_.get());
    recording_ = false;
  }
  Tape& get() { return *tape_; }
  bool recording() const { return recording_; }

 private:
  Ref<Tape> tape_;
  bool recording_ = false;
};

nb::list gradient(PyTape& self, nb::list targets, nb::list sources, nb::list output_gradients,
                  bool keep) {
  return bridge([&] {
    const Tensors dx = self.get().gradient(tensors_from(targets), tensors_from(sources),
                                           tensors_from(output_gradients), keep);
    nb::list out;
    for (const Tensor& t : dx) out.append(to_python(t));
    return out;
  });
}

// _record_custom(name, outputs, inputs, backward): what every tape that watches an input will call.
void record_custom(nb::str name, nb::list outputs, nb::list inputs, nb::object backward) {
  bridge([&] {
    Ref<CustomBackward> b(new PythonBackward(std::move(backward), name.c_str()));
    record_custom_on_tapes(b, tensors_from(inputs), tensors_from(outputs));
  });
}

// A with-block in which nothing on this thread is recorded.
class StopRecording {
 public:
  void enter() {
    ++t_context.paused;
    update_tape_flag();
  }
  void exit() {
    --t_context.paused;
    update_tape_flag();
  }
};

}  // namespace

void bind_tape(nb::module_& m) {
  nb::class_<PyTape>(m, "Tape", nb::is_weak_referenceable())
      .def(nb::init<bool, bool>())
      .def("start", &PyTape::start)
      .def("stop", &PyTape::stop)
      .def_prop_ro("recording", &PyTape::recording)
      .def("watch",
           [](PyTape& self, nb::handle o) {
             bridge([&] {
               if (is_variable(o.ptr())) {
                 self.get().watch_variable(reinterpret_cast<VariableObject*>(o.ptr())->handle);
               } else {
                 self.get().watch(tensor_of(o.ptr()));
               }
             });
           })
      .def("is_watching",
           [](PyTape& self, nb::handle o) {
             return bridge([&] {
               return self.get().is_watching(is_variable(o.ptr())
                                                 ? reinterpret_cast<VariableObject*>(o.ptr())->handle
                                                 : tensor_of(o.ptr()));
             });
           })
      .def("gradient", gradient)
      .def("clear", [](PyTape& self) { self.get().clear(); })
      .def("num_records", [](PyTape& self) { return self.get().num_records(); })
      .def("watched_handles",
           [](PyTape& self) {
             return bridge([&] { return nb::steal(wrap_list(self.get().watched_variables())); });
           })
      .def("saved", [](PyTape& self) {
        return bridge([&] {
          nb::list out;
          for (auto& [name, kept] : self.get().saved()) {
            out.append(nb::make_tuple(name.c_str(), nb::steal(wrap_list(kept))));
          }
          return out;
        });
      });
  nb::class_<StopRecording>(m, "StopRecording")
      .def(nb::init<>())
      .def("__enter__", [](StopRecording& self) { self.enter(); })
      .def("__exit__", [](StopRecording& self, nb::args) { self.exit(); });
  m.def("stop_recording", [] { return StopRecording(); });
  m.def("record_custom", record_custom);
  m.def("any_watched", [](nb::list tensors) {
    return bridge([&] { return any_watched(tensors_from(tensors)); });
  });
  m.def("tape_depth", [] { return t_context.tapes ? t_context.tapes->size() : 0; });
}

}  // namespace agog::py
