#include "runtime/forward.h"

#include <algorithm>

#include "op/call.h"

namespace agog {
namespace {

// An accumulator on the stack of a thread, which owns it, as a thread's stack owns its tapes.
struct Level {
  Ref<Accumulator> accumulator;
  int64_t session;  // tapes of earlier ones see the ops that make its tangents
  bool ended() const { return !accumulator || accumulator->session() != session; }
};
using Levels = std::vector<Level>;  // innermost last

// Null once the thread ends: tensors may die later.
constinit thread_local Levels* t_levels = nullptr;

Levels& levels() {
  struct Owner {
    Levels levels;
    Owner() { t_levels = &levels; }
    ~Owner() { t_levels = nullptr; }
  };
  static thread_local Owner owner;
  return owner.levels;
}

void update_flag() {
  uint32_t& flags = t_context.flags;
  flags = levels().empty() ? (flags & ~kAccumulatorsActive) : (flags | kAccumulatorsActive);
}

// Takes levels from `first` on off the stack; all of them, or only those that were stopped.
Levels take_levels(size_t first, bool only_ended) {
  Levels& all = levels();
  Levels taken, left;
  for (size_t i = 0; i < all.size(); ++i) {
    const bool take = i >= first && (!only_ended || all[i].ended());
    (take ? taken : left).push_back(std::move(all[i]));
  }
  all.swap(left);
  update_flag();
  return taken;  // which may be the last to hold them, so the stack is whole first
}

// While alive, only what was there before this level sees the ops.
class BeforeLevel {
 public:
  explicit BeforeLevel(size_t level)
      : tapes_(take_tapes_after(levels()[level].session)), levels_(take_levels(level, false)) {}
  ~BeforeLevel() {
    put_tapes_back(std::move(tapes_));
    for (Level& level : levels_) levels().push_back(std::move(level));
    update_flag();
  }
  BeforeLevel(const BeforeLevel&) = delete;
  BeforeLevel& operator=(const BeforeLevel&) = delete;

 private:
  std::vector<ActiveTape> tapes_;
  Levels levels_;
};

class Recording {
 public:
  explicit Recording(Tape& tape) : tape_(tape) { push_tape(&tape_); }
  ~Recording() { pop_tape(&tape_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  Tape& tape_;
};

// What a rule needs for dy, whose value does not matter: the rule is linear in it.
std::vector<Tensor> placeholders(Tape& tape, const Tensor* out, int n_out) {
  std::vector<Tensor> dy;
  for (int i = 0; i < n_out; ++i) {
    const bool known = is_differentiable(out[i].dtype());
    dy.push_back(known ? Tensor::zeros(out[i].dtype(), out[i].shape()) : Tensor());
    if (known) tape.watch(dy.back());
  }
  return dy;
}

// The tangents of the outputs: the gradient with respect to dy of the sum of dx times the tangents.
Tensors transposed(Tape& tape, const char* name, const Tensors& dx, const Tensors& tangents,
                   const std::vector<Tensor>& dy) {
  Tensors targets, weights, sources;
  for (size_t i = 0; i < dx.size() && i < tangents.size(); ++i) {
    if (!dx[i] || !tangents[i]) continue;
    const Tape::Entry* e = dx[i].traced() ? tape.entry(dx[i]) : nullptr;
    if (e && !e->live) {
      fail(ErrorCode::kUnimplemented, "forward mode needs the gradient of the gradient of ", name,
           ", which does not exist");
    }
    targets.push_back(dx[i]);
    weights.push_back(tangents[i]);
  }
  for (const Tensor& t : dy) {
    if (t) sources.push_back(t);
  }
  const Tensors found = tape.gradient(targets, sources, weights);
  Tensors result(dy.size());
  for (size_t i = 0, k = 0; i < dy.size(); ++i) {
    if (dy[i]) result[i] = found[k++];
  }
  return result;
}

// What the row's rule gives for dy, in the shapes of the inputs.
Tensors run_rule(const Record& r, std::vector<Tensor>& dy, const std::vector<bool>& needs) {
  GradCtx ctx(r, dy, needs);
  r.op->def.grad(ctx);
  Tensors dx = std::move(ctx.results());
  for (const auto& [i, shape] : r.unbroadcast) {
    Tensor& t = dx[static_cast<size_t>(i)];
    if (t) t = ops::sum_to(std::move(t), shape.get());
  }
  return dx;
}

}  // namespace

void Accumulator::set(const Tensor& t, Tensor tangent) {
  t.mark_traced();
  std::swap(tangents_[t.id()], tangent);
}

Tensor Accumulator::tangent(const Tensor& t) const {
  const auto it = t.traced() ? tangents_.find(t.id()) : tangents_.end();
  return it == tangents_.end() ? Tensor() : it->second;
}

bool Accumulator::knows_any(const Tensor* t, int n) const {
  return std::any_of(t, t + n,
                     [&](const Tensor& x) { return x.traced() && tangents_.contains(x.id()); });
}

void Accumulator::forget(int64_t id) {
  // What dies with the tangent may come back here: the map must be done with it by then.
  const auto dying = tangents_.extract(id);
}

void Accumulator::push(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                       int n_out) {
  Tensors tangents;
  std::vector<bool> needs;
  Ref<Tape> primal(new Tape(true, false)), linear(new Tape(false, false));
  for (int i = 0; i < n; ++i) {
    tangents.push_back(tangent(in[i]));
    needs.push_back(static_cast<bool>(tangents.back()));
    if (needs.back()) primal->watch(in[i]);
  }
  primal->record(op, in, n, attrs, out, n_out);
  std::vector<Tensor> dy = placeholders(*linear, out, n_out);
  const std::vector<Tensor> sources = dy;
  Tensors dx;
  {
    const Recording recording(*linear);
    dx = run_rule(*primal->records().back(), dy, needs);
  }
  Tensors result = transposed(*linear, op.def.name, dx, tangents, sources);
  for (int i = 0; i < n_out; ++i) {
    Tensor& t = result[static_cast<size_t>(i)];
    if (t) set(out[i], std::move(t));
  }
}

void Accumulator::push_custom(CustomBackward& backward, const Tensors& in, const Tensors& out) {
  const bool known =
      std::all_of(out.begin(), out.end(), [&](const Tensor& t) { return knows_any(&t, 1); });
  if (known) return;
  Ref<Tape> linear(new Tape(false, false));
  Tensors tangents;
  for (const Tensor& t : in) tangents.push_back(tangent(t));
  std::vector<Tensor> dy = placeholders(*linear, out.data(), static_cast<int>(out.size()));
  std::vector<Tensor> given = dy;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) given[i] = Tensor::zeros(DType::kFloat, out[i].shape());
  }
  Tensors dx;
  {
    const Recording recording(*linear);
    dx = backward.run(given);
  }
  Tensors result = transposed(*linear, backward.name().c_str(), dx, tangents, dy);
  for (size_t i = 0; i < out.size(); ++i) {
    if (result[i] && !knows_any(&out[i], 1)) set(out[i], std::move(result[i]));
  }
}

void push_accumulator(Accumulator* accumulator) {
  take_levels(0, true);
  accumulator->set_session(next_session());
  levels().push_back({Ref<Accumulator>(accumulator), accumulator->session()});
  watch_for_deaths();
  update_flag();
}

void pop_accumulator(Accumulator* accumulator) {
  accumulator->set_session(0);
  take_levels(0, true);
}

namespace {

// Calls f with each accumulator that knows an input, while later ones and later tapes are away.
template <class F>
void for_each_level(const Tensor* in, int n, F f) {
  for (size_t i = 0; i < levels().size(); ++i) {
    const Level level = levels()[i];
    if (level.ended() || !level.accumulator->knows_any(in, n)) continue;
    const BeforeLevel scope(i);
    f(*level.accumulator);
  }
}

}  // namespace

// The outermost first: what an inner one computes may read outputs that the outer ones follow.
void push_tangents(const Op& op, const Tensor* in, int n, const void* attrs, const Tensor* out,
                   int n_out) {
  if (!op.def.differentiable) return;
  const bool any =
      std::any_of(out, out + n_out, [](const Tensor& t) { return is_differentiable(t.dtype()); });
  if (!any) return;
  for_each_level(in, n, [&](Accumulator& a) { a.push(op, in, n, attrs, out, n_out); });
}

void push_custom_tangents(CustomBackward& backward, const Tensors& in, const Tensors& out) {
  for_each_level(in.data(), static_cast<int>(in.size()),
                 [&](Accumulator& a) { a.push_custom(backward, in, out); });
}

void forget_tangents(int64_t id) {
  if (t_levels == nullptr) return;
  for (size_t i = 0; t_levels && i < t_levels->size(); ++i) {
    const Ref<Accumulator> alive = (*t_levels)[i].accumulator;
    alive->forget(id);
  }
}

}  // namespace agog
