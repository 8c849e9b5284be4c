// The tape: records what ops do to watched tensors, and walks back through it calling gradient
// rules. The rules are ops again, so outer tapes see them and any order of derivative follows.
// Knows no op but the sum that undoes broadcasting.
#pragma once

#include <functional>
#include <memory>
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
  virtual Tensors run(const Tensors& dy) = 0;
};

// One recorded op.
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
};

class AGOG_API Tape final : public Object {
 public:
  Tape(bool persistent, bool watch_accessed)
      : persistent_(persistent), watch_accessed_(watch_accessed) {}

  bool persistent() const { return persistent_; }
  bool watches_accessed_variables() const { return watch_accessed_; }
  bool is_watching(const Tensor& t) const { return entries_.find(t.id()) != nullptr; }
  void watch(const Tensor& t);
  void watch_variable(const Tensor& handle);
  // The handles of the variables watched, in order of first use.
  const Tensors& watched_variables() const { return variables_; }
  bool wants(const Tensor& t) const { return t.traced() && is_watching(t); }

  void record(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
              int n_out);
  void record_custom(Ref<CustomBackward> backward, const Tensors& in, const Tensors& out);

  // Gradients of the targets' sum, weighted by `output_gradients` (empty or null for ones). An
  // empty tensor stands for "not connected". Frees records as it goes unless the tape is persistent
  // or `keep` says otherwise.
  Tensors gradient(const Tensors& targets, const Tensors& sources, const Tensors& output_gradients,
                   bool keep = false);

  void on_tensor_death(int64_t id);
  void clear();
  int64_t num_records() const;
  // (op name, kept tensors) of each record, for tests.
  std::vector<std::pair<std::string, Tensors>> saved() const;

 private:
  friend class BackwardPass;
  struct Entry {
    int64_t record;  // -1: watched from outside
    int output;
  };

  Record& add_record(const Tensor* in, int n, const Tensor* out, int n_out);
  Record* get(int64_t i) const { return records_[static_cast<size_t>(i)].get(); }
  void drop(int64_t index);

  bool persistent_;
  bool watch_accessed_;
  bool walking_ = false;
  bool dropping_ = false;
  std::vector<int64_t> to_drop_;
  std::vector<std::unique_ptr<Record>> records_;  // in order of execution; null once dropped
  IdMap<Entry> entries_;
  Tensors variables_;
};

// Start and stop recording on this thread.
AGOG_API void push_tape(Tape* tape);
AGOG_API void pop_tape(Tape* tape);

// For dispatch: records on every tape of this thread that watches an input.
AGOG_API void record_on_tapes(const Op& op, const Tensor* in, int n, const void* attrs,
                              const Tensor* out, int n_out);
AGOG_API void watch_variable(const Tensor& handle);
AGOG_API void record_custom_on_tapes(const Ref<CustomBackward>& backward, const Tensors& in,
                                     const Tensors& out);
// Whether a tape of this thread records and watches any of these.
AGOG_API bool any_watched(const Tensors& tensors);

}  // namespace agog
