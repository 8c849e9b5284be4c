#include "runtime/tape.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include "runtime/forward.h"
#include "runtime/variable.h"

namespace agog {

// The tapes of one thread, innermost last.
struct TapeStack {
  std::vector<ActiveTape> entries;
  size_t first_recording = 0;  // entries before this one are paused
  int pauses = 0;

  TapeStack() { t_context.tapes = this; }
  // Tensors that die after their thread's stack must not look at it.
  ~TapeStack() {
    t_context.tapes = nullptr;
    t_context.flags &= ~kTapesActive;
  }

  // To be called after every change.
  void update() {
    first_recording = 0;
    while (first_recording < entries.size() && entries[first_recording].depth < pauses) {
      ++first_recording;
    }
    const bool active = first_recording < entries.size();
    uint32_t& flags = t_context.flags;
    flags = active ? (flags | kTapesActive) : (flags & ~kTapesActive);
  }

  // Tapes die here only when the stack is whole again: their closures may run any code.
  void forget_ended() {
    while (!entries.empty() && entries.back().ended()) {
      const ActiveTape last = std::move(entries.back());
      entries.pop_back();
      update();
    }
    std::vector<ActiveTape> ended;
    for (size_t i = 0; i < entries.size();) {
      if (!entries[i].ended()) {
        ++i;
        continue;
      }
      ended.push_back(std::move(entries[i]));
      entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (!ended.empty()) update();
  }
};

namespace {

bool carries_gradient(const Tensor& t) {
  return is_differentiable(t.dtype()) || t.dtype() == DType::kResource;
}

TapeStack& tape_stack() {
  static thread_local TapeStack stack;
  return stack;
}

// Calls f with each tape that is not paused. By number: a record that f lets go may take Python
// objects along, whose finalizers start and stop tapes.
template <class F>
void for_each_recording(F f) {
  TapeStack& stack = tape_stack();
  for (size_t i = stack.first_recording; i < stack.entries.size(); ++i) {
    if (AGOG_UNLIKELY(stack.entries[i].ended())) {
      stack.forget_ended();
      if (i >= stack.entries.size()) return;
    }
    f(*stack.entries[i].tape);
  }
}

void announce_death(int64_t id) {
  for (size_t i = 0; t_context.tapes && i < t_context.tapes->entries.size(); ++i) {
    t_context.tapes->entries[i].tape->on_tensor_death(id);
  }
  forget_tangents(id);
}

// Stands for a backward pass that nothing reaches, and lets go of what it holds.
class NameOnly final : public CustomBackward {
 public:
  using CustomBackward::CustomBackward;
  Tensors run(const Tensors&) override { return {}; }
};

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

// ---- lines

std::atomic<bool> g_record_lines{false};

std::vector<Unrecorded>& unrecorded() {
  static thread_local std::vector<Unrecorded> ops;
  return ops;
}

void note_unrecorded(const Op& op, const Tensor* in, int n, const Tensor* out, int n_out) {
  constexpr size_t kMost = 1 << 14;
  if (unrecorded().size() >= kMost) return;
  Unrecorded note{op.def.name, hooks::user_line(), {}, {}};
  for (int i = 0; i < n; ++i) {
    if (in[i].traced()) note.inputs.push_back(in[i].id());
  }
  for (int i = 0; i < n_out; ++i) {
    out[i].mark_traced();
    note.outputs.push_back(out[i].id());
  }
  unrecorded().push_back(std::move(note));
}

}  // namespace

namespace hooks {
int (*user_line)() = [] { return 0; };
}  // namespace hooks

void set_record_lines(bool on) {
  g_record_lines = on;
  t_context.flags = on ? (t_context.flags | kLinesActive) : (t_context.flags & ~kLinesActive);
  unrecorded().clear();
}
bool records_lines() { return g_record_lines; }

const std::vector<Unrecorded>& unrecorded_ops() { return unrecorded(); }

void note_python_read(const Tensor& t) {
  if (!t.traced() || !(t_context.flags & kTapesActive)) return;
  for_each_recording([&](Tape& tape) { tape.record_python_read(t); });
}

void watch_for_deaths() { hooks::on_traced_tensor_death = announce_death; }

int64_t next_session() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

void push_tape(Tape* tape) {
  watch_for_deaths();
  TapeStack& stack = tape_stack();
  stack.forget_ended();
  stack.entries.push_back({Ref<Tape>(tape), tape->start_session(), stack.pauses});
  if (records_lines()) t_context.flags |= kLinesActive;
  stack.update();
}

void pop_tape(Tape* tape) {
  tape->end_session();
  tape_stack().forget_ended();
}

int64_t tape_depth() {
  if (t_context.tapes == nullptr) return 0;
  t_context.tapes->forget_ended();
  return static_cast<int64_t>(t_context.tapes->entries.size());
}

void pause_tapes() {
  TapeStack& stack = tape_stack();
  ++stack.pauses;
  stack.update();
}

void resume_tapes() {
  TapeStack& stack = tape_stack();
  if (stack.pauses > 0) --stack.pauses;
  for (ActiveTape& e : stack.entries) e.depth = std::min(e.depth, stack.pauses);
  stack.update();
}

std::vector<ActiveTape> take_tapes_after(int64_t session) {
  std::vector<ActiveTape> taken;
  if (t_context.tapes == nullptr) return taken;
  auto& entries = t_context.tapes->entries;
  const auto first = std::find_if(entries.begin(), entries.end(),
                                  [&](const ActiveTape& e) { return e.session > session; });
  taken.assign(std::make_move_iterator(first), std::make_move_iterator(entries.end()));
  entries.erase(first, entries.end());
  t_context.tapes->update();
  return taken;
}

void put_tapes_back(std::vector<ActiveTape> tapes) {
  TapeStack& stack = tape_stack();
  for (ActiveTape& e : tapes) {
    e.depth = std::min(e.depth, stack.pauses);
    stack.entries.push_back(std::move(e));
  }
  stack.update();
}

namespace {

bool any_traced(const Tensor* t, int n) {
  return std::any_of(t, t + n, [](const Tensor& x) { return x.traced(); });
}

bool any_differentiable(const Tensor* t, int n) {
  return std::any_of(t, t + n, [](const Tensor& x) { return is_differentiable(x.dtype()); });
}

// Outputs that no gradient comes back from, beside others that it does.
void record_blocked_outputs(Tape& tape, const Op& op, const Tensor* in, int n, const Tensor* out,
                            int n_out) {
  Tensors blocked;
  for (int i = 0; i < n_out; ++i) {
    if (!is_differentiable(out[i].dtype())) blocked.push_back(out[i]);
  }
  if (blocked.empty()) return;
  tape.record_blocked(op, in, n, blocked.data(), static_cast<int>(blocked.size()));
}

void record_on(Tape& tape, bool differentiable, const Op& op, const Tensor* in, int n,
               const void* attrs, const Tensor* out, int n_out) {
  const auto wanted = [&](const Tensor& t) { return carries_gradient(t) && tape.wants(t); };
  const auto known = [&](const Tensor& t) { return tape.knows(t); };
  if (differentiable && std::any_of(in, in + n, wanted)) {
    tape.record(op, in, n, attrs, out, n_out);
    if (n_out > 1) record_blocked_outputs(tape, op, in, n, out, n_out);
  } else if (std::any_of(in, in + n, known)) {
    tape.record_blocked(op, in, n, out, n_out);
  }
}

}  // namespace

void record_on_tapes(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                     int n_out) {
  if (!any_traced(in, n)) return;
  if (t_context.flags & kTapesActive) {
    const bool differentiable = op.def.differentiable && any_differentiable(out, n_out);
    for_each_recording(
        [&](Tape& tape) { record_on(tape, differentiable, op, in, n, attrs, out, n_out); });
  } else if (t_context.flags & kLinesActive) {
    note_unrecorded(op, in, n, out, n_out);
  }
  if (t_context.flags & kAccumulatorsActive) push_tangents(op, in, n, attrs, out, n_out);
}

bool any_watched(const Tensors& tensors) {
  if (!(t_context.flags & kTapesActive)) return false;
  bool any = false;
  for_each_recording([&](Tape& tape) {
    any |= std::any_of(tensors.begin(), tensors.end(), [&](auto& t) { return tape.wants(t); });
  });
  return any;
}

void record_custom_on_tapes(const Ref<CustomBackward>& backward, const Tensors& in,
                            const Tensors& out) {
  if (t_context.flags & kTapesActive) {
    for_each_recording([&](Tape& tape) {
      const auto known = [&](const Tensor& t) { return tape.knows(t); };
      if (std::any_of(in.begin(), in.end(), known)) tape.record_custom(backward, in, out);
    });
  }
  if (t_context.flags & kAccumulatorsActive) push_custom_tangents(*backward, in, out);
}

void watch_variable(const Tensor& handle) {
  if (!(t_context.flags & kTapesActive) || !variable_of(handle).trainable()) return;
  for_each_recording([&](Tape& tape) {
    if (tape.watches_accessed_variables()) tape.watch_variable(handle);
  });
}

int64_t Tape::start_session() {
  const int64_t session = next_session();
  session_.store(session, std::memory_order_relaxed);
  return session;
}

void Tape::watch(const Tensor& t) {
  if (const Entry* e = entries_.find(t.id())) {
    entries_.set(t.id(), {e->record, e->output, true});
    return;
  }
  t.mark_traced();
  entries_.set(t.id(), {-1, 0});
}

void Tape::watch_variable(const Tensor& handle) {
  if (is_watching(handle)) return;
  watch(handle);
  variables_.push_back(handle);
}

Record& Tape::add_record(const Tensor* in, int n, const Tensor* out, int n_out, bool live) {
  const auto index = static_cast<int64_t>(records_.size());
  records_.push_back(std::make_unique<Record>());
  Record& r = *records_.back();
  r.blocked = !live;
  if (AGOG_UNLIKELY(t_context.flags & kLinesActive)) r.place = hooks::user_line();
  for (int i = 0; i < n; ++i) {
    const Entry* e = in[i].traced() ? entries_.find(in[i].id()) : nullptr;
    const bool differentiable = live && e != nullptr && e->live && carries_gradient(in[i]);
    r.inputs.push_back({e ? in[i].id() : 0, e ? e->record : -1, e ? e->output : 0, differentiable});
    if (e && e->record >= 0) ++get(e->record)->users;
  }
  for (int i = 0; i < n_out; ++i) {
    if (live && !is_differentiable(out[i].dtype())) {
      r.output_ids.push_back(0);
      continue;
    }
    const int64_t id = out[i].id();
    out[i].mark_traced();
    r.output_ids.push_back(id);
    entries_.set(id, {index, i, live});
    ++r.live_outputs;
  }
  return r;
}

void Tape::record(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                  int n_out) {
  Record& r = add_record(in, n, out, n_out, true);
  r.op = &op;
  if (attrs != op.def.attrs.defaults) r.attrs = Ref<AttrsBox>(new AttrsBox(op.def.attrs, attrs));
  save_for_gradient(r, op, in, n, out, n_out);
}

void Tape::record_custom(Ref<CustomBackward> backward, const Tensors& in, const Tensors& out) {
  const bool live = std::any_of(in.begin(), in.end(), [&](const Tensor& t) { return wants(t); });
  Record& r = add_record(in.data(), static_cast<int>(in.size()), out.data(),
                         static_cast<int>(out.size()), live);
  if (!live) {
    r.custom = Ref<CustomBackward>(new NameOnly(backward->name()));
    return;
  }
  r.custom = std::move(backward);
  for (const Tensor& t : out) r.metas.push_back({t.dtype(), CompactShape(t.shape())});
}

void Tape::record_blocked(const Op& op, const Tensor* in, int n, const Tensor* out, int n_out) {
  if (n_out == 0) return record_assignment(in, n);
  // An op may hand its input on, as alias kernels do: what has an entry keeps it.
  if (n_out == 1 && out[0].traced() && entries_.find(out[0].id())) return;
  add_record(in, n, out, n_out, false).op = &op;
}

// The last value that went into a variable, so that a report can follow it to what is read later.
void Tape::record_assignment(const Tensor* in, int n) {
  if (n < 2 || in[0].dtype() != DType::kResource) return;
  for (int i = 1; i < n; ++i) {
    const Entry* value = knows(in[i]) ? entries_.find(in[i].id()) : nullptr;
    if (value == nullptr) continue;
    const int place = t_context.flags & kLinesActive ? hooks::user_line() : 0;
    const Assignment now{value->record, in[i].id(), place};
    if (now.producer >= 0) ++get(now.producer)->users;
    const auto [at, is_new] = assignments_.try_emplace(in[0].id(), now);
    const Assignment old = std::exchange(at->second, now);
    if (!entries_.find(in[0].id())) {
      in[0].mark_traced();
      entries_.set(in[0].id(), {-1, 0, false});
    }
    // The last thing to do: finalizers of what goes may do anything.
    if (!is_new) unpin(old.producer);
    return;
  }
}

void Tape::unpin(int64_t record) {
  Record* r = record >= 0 ? get(record) : nullptr;
  if (r && --r->users == 0 && r->live_outputs == 0) drop(record);
}

void Tape::record_python_read(const Tensor& t) {
  constexpr size_t kMostReads = 64;
  const Entry* e = knows(t) ? entries_.find(t.id()) : nullptr;
  if (e == nullptr || python_reads_.size() >= kMostReads) return;
  const Record* r = e->record >= 0 ? get(e->record) : nullptr;
  const int place = t_context.flags & kLinesActive ? hooks::user_line() : 0;
  python_reads_.push_back({t.id(), r ? r->name() : "", place});
}

void Tape::on_tensor_death(int64_t id) {
  if (holds_ > 0) return;
  const Entry* found = entries_.find(id);
  if (found == nullptr) return;
  const Entry e = *found;
  entries_.erase(id);
  if (e.record < 0) {
    if (assignments_.empty()) return;
    if (const auto gone = assignments_.extract(id)) unpin(gone.mapped().producer);
    return;
  }
  Record* r = get(e.record);
  if (r && --r->live_outputs == 0 && r->users == 0) drop(e.record);
}

// Forgets a record that nothing can reach any more, and then those that only it reached; by a list,
// not by recursion.
void Tape::drop(int64_t index) {
  to_drop_.push_back(index);
  if (dropping_) return;
  dropping_ = true;
  const Ref<Tape> alive(this);  // whatever finalizers of what the records hold may do
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

int64_t Tape::num_records() const {
  return std::count_if(records_.begin(), records_.end(),
                       [](const auto& r) { return r != nullptr && !r->blocked; });
}

std::vector<std::pair<std::string, Tensors>> Tape::saved() const {
  std::vector<std::pair<std::string, Tensors>> all;
  for (const auto& r : records_) {
    if (!r || r->blocked) continue;
    all.emplace_back(r->op ? r->op->def.name : "custom", Tensors(r->saved.begin(), r->saved.end()));
  }
  return all;
}

}  // namespace agog
