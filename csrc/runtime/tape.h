// The tape: records what ops do to watched tensors, and walks back through it calling gradient
// rules. The rules are ops again, so outer tapes see them and any order of derivative follows.
// Knows no op but sums: those that undo broadcasting, and of rows.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/small_vector.h"
#include "core/tensor.h"
#include "op/contexts.h"
#include "runtime/dispatch.h"
#include "runtime/id_map.h"

namespace agog {

// A backward pass written by the user.
class AGOG_API CustomBackward : public Object {
 public:
  explicit CustomBackward(std::string name) : name_(std::move(name)) {}
  virtual Tensors run(const Tensors& dy) = 0;
  // What the user's function is called, for reports.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// One recorded op. A blocked record passes no gradient and keeps no tensor: it is there so that
// a report can say where a path ends.
struct Record {
  struct Input {
    int64_t id;        // the tensor's identity
    int64_t producer;  // the record that made it, -1 for none on this tape
    int output;        // which of its outputs
    bool differentiable;
  };
  struct Meta {
    DType dtype;
    CompactShape shape;
  };
  const Op* op = nullptr;  // null for a custom backward
  Ref<AttrsBox> attrs;     // null for the defaults
  Ref<CustomBackward> custom;
  SmallVector<Input, 2> inputs;
  SmallVector<int64_t, 1> output_ids;
  SmallVector<Tensor, 2> saved;  // in the order of the row's saves, lists flattened
  std::vector<Meta> metas;       // shapes the row saves; for custom, of all outputs
  std::vector<std::pair<int, CompactShape>>
      unbroadcast;       // inputs that were smaller than the output
  int live_outputs = 0;  // output tensors still alive
  int users = 0;         // inputs of later records that come from here
  bool blocked = false;
  int place = 0;  // the user's line, while lines are recorded

  const char* name() const { return op ? op->def.name : custom->name().c_str(); }
};

class AGOG_API Tape final : public Object {
 public:
  Tape(bool persistent, bool watch_accessed)
      : persistent_(persistent), watch_accessed_(watch_accessed) {}

  bool persistent() const { return persistent_; }
  bool watches_accessed_variables() const { return watch_accessed_; }
  bool is_watching(const Tensor& t) const {
    const Entry* e = entries_.find(t.id());
    return e != nullptr && e->live;
  }
  void watch(const Tensor& t);
  void watch_variable(const Tensor& handle);
  // The handles of the variables watched, in order of first use.
  const Tensors& watched_variables() const { return variables_; }
  bool wants(const Tensor& t) const { return t.traced() && is_watching(t); }
  // Whether it came from a watched tensor, even where no gradient flows.
  bool knows(const Tensor& t) const { return t.traced() && entries_.find(t.id()) != nullptr; }

  void record(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
              int n_out);
  void record_custom(Ref<CustomBackward> backward, const Tensors& in, const Tensors& out);
  // Notes where outputs came from that carry no gradient.
  void record_blocked(const Op& op, const Tensor* in, int n, const Tensor* out, int n_out);
  void record_python_read(const Tensor& t);

  // A place where a gradient that was wanted did not come: input `input` of a record.
  struct Cut {
    int64_t record;
    int input;
  };
  // Gradients of the targets' sum, weighted by `output_gradients` (empty or null for ones). An
  // empty tensor stands for "not connected". Frees records as it goes unless the tape is persistent
  // or `keep` says otherwise. Fills `cuts`, if given.
  Tensors gradient(const Tensors& targets, const Tensors& sources, const Tensors& output_gradients,
                   bool keep = false, std::vector<Cut>* cuts = nullptr);

  // The same, but the gradient of a variable of which only rows were read comes as rows.
  struct Gradient {
    Tensor dense;  // empty where there are rows, or where nothing is connected
    RowsGradient rows;
  };
  std::vector<Gradient> gradients(const Tensors& targets, const Tensors& sources,
                                  const Tensors& output_gradients, bool keep = false,
                                  std::vector<Cut>* cuts = nullptr);

  void on_tensor_death(int64_t id);
  int64_t num_records() const;
  // (op name, kept tensors) of each record, for tests.
  std::vector<std::pair<std::string, Tensors>> saved() const;

  // Changes with every start, so that a thread can tell that another one stopped the tape.
  int64_t session() const { return session_.load(std::memory_order_relaxed); }
  int64_t start_session();
  void end_session() { session_.store(0, std::memory_order_relaxed); }

  // ---- for reports

  struct Entry {
    int64_t record;  // -1: watched from outside
    int output;
    bool live = true;  // false: known, but no gradient flows back from it
  };
  // A value that went into a variable.
  struct Assignment {
    int64_t producer;
    int64_t value;  // its tensor's id
    int place;
  };
  // A tensor whose values Python or NumPy took.
  struct PythonRead {
    int64_t id;
    std::string op;  // empty: watched from outside
    int place;
  };
  const Entry* entry(const Tensor& t) const { return entries_.find(t.id()); }
  const std::vector<std::unique_ptr<Record>>& records() const { return records_; }
  const std::unordered_map<int64_t, Assignment>& assignments() const { return assignments_; }
  const std::vector<PythonRead>& python_reads() const { return python_reads_; }

 private:
  friend class BackwardPass;
  friend class TapeHold;

  Record& add_record(const Tensor* in, int n, const Tensor* out, int n_out, bool live);
  void record_assignment(const Tensor* in, int n);
  void unpin(int64_t record);
  Record* get(int64_t i) const { return records_[static_cast<size_t>(i)].get(); }
  void drop(int64_t index);

  bool persistent_;
  bool watch_accessed_;
  int holds_ = 0;
  std::atomic<int64_t> session_{0};
  bool dropping_ = false;
  std::vector<int64_t> to_drop_;
  std::vector<std::unique_ptr<Record>> records_;  // in order of execution; null once dropped
  IdMap<Entry> entries_;
  Tensors variables_;
  std::unordered_map<int64_t, Assignment> assignments_;  // by handle; only the last of each
  std::vector<PythonRead> python_reads_;
};

// While alive, the tape lives and keeps its records, whatever backward functions, finalizers and
// other threads do to it meanwhile.
class TapeHold {
 public:
  explicit TapeHold(Tape& tape) : tape_(&tape) { ++tape_->holds_; }
  ~TapeHold() { --tape_->holds_; }
  TapeHold(const TapeHold&) = delete;
  TapeHold& operator=(const TapeHold&) = delete;

 private:
  Ref<Tape> tape_;
};

// A number greater than that of every session that started before, on any thread.
int64_t next_session();

// A tape on the stack of a thread. The stack owns its tapes: one that is stopped on another thread,
// or forgotten, stays until this thread looks at its stack again.
struct ActiveTape {
  Ref<Tape> tape;
  int64_t session;
  int depth;  // of the pauses when it was started: deeper ones silence it
  bool ended() const { return tape->session() != session; }
};

// Start recording on this thread; stop, whatever thread the tape records on.
AGOG_API void push_tape(Tape* tape);
AGOG_API void pop_tape(Tape* tape);
// The number of tapes that were started on this thread and not stopped.
AGOG_API int64_t tape_depth();

// Pauses the tapes of this thread that record now; one that starts later records. Pauses nest.
AGOG_API void pause_tapes();
AGOG_API void resume_tapes();

// Takes the tapes that were started after a session off the stack of this thread, for a while.
std::vector<ActiveTape> take_tapes_after(int64_t session);
void put_tapes_back(std::vector<ActiveTape> tapes);

// From now on this process tells tapes and accumulators of the death of tensors they know.
void watch_for_deaths();

// For dispatch: records on every tape of this thread that watches an input, and pushes tangents
// through every accumulator.
AGOG_API void record_on_tapes(const Op& op, const Tensor* in, int n, const void* attrs,
                              const Tensor* out, int n_out);
AGOG_API void watch_variable(const Tensor& handle);
AGOG_API void record_custom_on_tapes(const Ref<CustomBackward>& backward, const Tensors& in,
                                     const Tensors& out);
// Whether a tape of this thread records and watches any of these.
AGOG_API bool any_watched(const Tensors& tensors);

// ---- where the user's code is, off unless asked for: it costs a walk up the stack for each record

inline constexpr uint32_t kLinesActive = 2;  // of Context::flags

namespace hooks {
// Set by the Python extension: the number of the user's line that runs now.
extern AGOG_API int (*user_line)();
}  // namespace hooks

AGOG_API void set_record_lines(bool on);
AGOG_API bool records_lines();

// An op on a tensor that a tape knew, while no tape recorded it; noted while lines are recorded.
struct Unrecorded {
  std::string op;
  int place;
  std::vector<int64_t> inputs, outputs;
};
AGOG_API const std::vector<Unrecorded>& unrecorded_ops();
AGOG_API void note_python_read(const Tensor& t);

}  // namespace agog
