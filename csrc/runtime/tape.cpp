#include "runtime/tape.h"

#include <algorithm>
#include <span>

#include "runtime/variable.h"

namespace agog {
namespace {

bool carries_gradient(const Tensor& t) {
  return is_differentiable(t.dtype()) || t.dtype() == DType::kResource;
}

std::vector<Tape*>& tape_stack() {
  // Tensors that die after their thread's stack must not look at it.
  struct Stack {
    std::vector<Tape*> tapes;
    Stack() { t_context.tapes = &tapes; }
    ~Stack() { t_context.tapes = nullptr; }
  };
  static thread_local Stack stack;
  return stack.tapes;
}

// The tapes that are not paused.
std::span<Tape* const> recording_tapes() {
  return std::span<Tape* const>(tape_stack()).subspan(t_context.first_tape);
}

void announce_death(int64_t id) {
  if (t_context.tapes == nullptr) return;
  for (Tape* tape : *t_context.tapes) tape->on_tensor_death(id);
}

// The flat inputs [first, last) that belong to one argument of the row.
std::pair<int, int> span_of(const Op& op, int arg, int n) {
  if (op.num_lists == 0) return {arg, arg + 1};
  int first = 0;
  while (op.arg_of(first, n) < arg) ++first;
  int last = first;
  while (last < n && op.arg_of(last, n) == arg) ++last;
  return {first, last};
}

// Keeps what the row's gradient reads, and nothing else.
void save_for_gradient(Record& r, const Op& op, const Tensor* in, int n, const Tensor* out,
                       int n_out) {
  for (const Save& s : op.def.saves) {
    const bool input = s.kind == Save::kInput || s.kind == Save::kInputShape;
    std::pair<int, int> span;
    if (input) {
      span = span_of(op, s.index, n);
    } else if (op.list_output) {
      span = {0, n_out};
    } else {
      span = {s.index, s.index + 1};
    }
    for (int i = span.first; i < span.second; ++i) {
      const Tensor& t = input ? in[i] : out[i];
      if (s.kind == Save::kInput || s.kind == Save::kOutput) {
        r.saved.push_back(t);
      } else {
        r.metas.push_back({t.dtype(), CompactShape(t.shape())});
      }
    }
  }
  if (!op.def.broadcasts) return;
  for (int i = 0; i < n; ++i) {
    if (!(in[i].shape() == out[0].shape())) {
      r.unbroadcast.emplace_back(i, CompactShape(in[i].shape()));
    }
  }
}

}  // namespace

void push_tape(Tape* tape) {
  hooks::on_traced_tensor_death = announce_death;
  tape_stack().push_back(tape);
  update_tape_flag();
}

void pop_tape(Tape* tape) {
  auto& stack = tape_stack();
  auto it = std::find(stack.begin(), stack.end(), tape);
  if (it == stack.end()) return;
  if (static_cast<size_t>(it - stack.begin()) < t_context.first_tape) --t_context.first_tape;
  stack.erase(it);
  update_tape_flag();
}

void record_on_tapes(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                     int n_out) {
  if (!op.def.differentiable) return;
  bool any = false;
  for (int i = 0; i < n; ++i) any |= in[i].traced() && carries_gradient(in[i]);
  if (!any) return;
  any = false;
  for (int i = 0; i < n_out; ++i) any |= is_differentiable(out[i].dtype());
  if (!any) return;
  for (Tape* tape : recording_tapes()) {
    for (int i = 0; i < n; ++i) {
      if (carries_gradient(in[i]) && tape->wants(in[i])) {
        tape->record(op, in, n, attrs, out, n_out);
        break;
      }
    }
  }
}

bool any_watched(const Tensors& tensors) {
  if (!(t_context.flags & kTapesActive)) return false;
  for (Tape* tape : recording_tapes()) {
    for (const Tensor& t : tensors) {
      if (tape->wants(t)) return true;
    }
  }
  return false;
}

void record_custom_on_tapes(const Ref<CustomBackward>& backward, const Tensors& in,
                            const Tensors& out) {
  if (!(t_context.flags & kTapesActive)) return;
  for (Tape* tape : recording_tapes()) {
    if (std::any_of(in.begin(), in.end(), [&](const Tensor& t) { return tape->wants(t); })) {
      tape->record_custom(backward, in, out);
    }
  }
}

void watch_variable(const Tensor& handle) {
  if (!(t_context.flags & kTapesActive) || !variable_of(handle).trainable()) return;
  for (Tape* tape : recording_tapes()) {
    if (tape->watches_accessed_variables()) tape->watch_variable(handle);
  }
}

void Tape::watch(const Tensor& t) {
  if (is_watching(t)) return;
  t.mark_traced();
  entries_.set(t.id(), {-1, 0});
}

void Tape::watch_variable(const Tensor& handle) {
  if (is_watching(handle)) return;
  watch(handle);
  variables_.push_back(handle);
}

Record& Tape::add_record(const Tensor* in, int n, const Tensor* out, int n_out) {
  const auto index = static_cast<int64_t>(records_.size());
  records_.push_back(std::make_unique<Record>());
  Record& r = *records_.back();
  for (int i = 0; i < n; ++i) {
    const Entry* e = wants(in[i]) ? entries_.find(in[i].id()) : nullptr;
    const bool differentiable = e != nullptr && carries_gradient(in[i]);
    r.inputs.push_back({e ? in[i].id() : 0, e ? e->record : -1, e ? e->output : 0, differentiable});
    if (e && e->record >= 0) ++get(e->record)->users;
  }
  for (int i = 0; i < n_out; ++i) {
    if (!is_differentiable(out[i].dtype())) {
      r.output_ids.push_back(0);
      continue;
    }
    const int64_t id = out[i].id();
    out[i].mark_traced();
    r.output_ids.push_back(id);
    entries_.set(id, {index, i});
    ++r.live_outputs;
  }
  return r;
}

void Tape::record(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                  int n_out) {
  Record& r = add_record(in, n, out, n_out);
  r.op = &op;
  if (attrs != op.def.attrs.defaults) r.attrs = Ref<AttrsBox>(new AttrsBox(op.def.attrs, attrs));
  save_for_gradient(r, op, in, n, out, n_out);
}

void Tape::record_custom(Ref<CustomBackward> backward, const Tensors& in, const Tensors& out) {
  Record& r =
      add_record(in.data(), static_cast<int>(in.size()), out.data(), static_cast<int>(out.size()));
  r.custom = std::move(backward);
  for (const Tensor& t : out) r.metas.push_back({t.dtype(), CompactShape(t.shape())});
}

void Tape::on_tensor_death(int64_t id) {
  if (walking_) return;
  const Entry* found = entries_.find(id);
  if (found == nullptr) return;
  const Entry e = *found;
  entries_.erase(id);
  if (e.record < 0) return;
  Record* r = get(e.record);
  if (r && --r->live_outputs == 0 && r->users == 0) drop(e.record);
}

// Forgets a record that nothing can reach any more, and then those that only it reached; by a list,
// not by recursion.
void Tape::drop(int64_t index) {
  to_drop_.push_back(index);
  if (dropping_) return;
  dropping_ = true;
  while (!to_drop_.empty()) {
    const int64_t i = to_drop_.back();
    to_drop_.pop_back();
    std::unique_ptr<Record> r = std::move(records_[static_cast<size_t>(i)]);
    if (!r) continue;
    for (const Record::Input& in : r->inputs) {
      Record* p = in.producer >= 0 ? get(in.producer) : nullptr;
      if (p && --p->users == 0 && p->live_outputs == 0) to_drop_.push_back(in.producer);
    }
  }
  dropping_ = false;
  while (!records_.empty() && !records_.back()) records_.pop_back();
}

void Tape::clear() {
  walking_ = true;
  records_.clear();
  entries_.clear();
  variables_.clear();
  walking_ = false;
}

int64_t Tape::num_records() const {
  return std::count_if(records_.begin(), records_.end(),
                       [](const auto& r) { return r != nullptr; });
}

std::vector<std::pair<std::string, Tensors>> Tape::saved() const {
  std::vector<std::pair<std::string, Tensors>> all;
  for (const auto& r : records_) {
    if (!r) continue;
    all.emplace_back(r->op ? r->op->def.name : "custom", Tensors(r->saved.begin(), r->saved.end()));
  }
  return all;
}

}  // namespace agog
