package org.millrace.sim.history;

import java.util.Optional;
import java.util.TreeMap;

/**
 * Names, sizes and pointers as one client alone would see them: for each key its value, 0 if it has
 * none. Files have ids from 1 on. Immutable.
 */
record NamesState(TreeMap<String, Long> values) {

  static final NamesState EMPTY = new NamesState(new TreeMap<>());

  private static final long NONE = -1;
  private static final long TAKEN = -2;
  private static final long DONE = 1;

  /** What a call makes of a state, and how it is answered. */
  private record Step(NamesState after, long answer) {}

  /** The state after an operation; empty if it could not have been answered like this. */
  Optional<NamesState> after(Operation operation) {
    Step step = step(operation.call());
    return operation.isUnknown() || step.answer == operation.answer()
        ? Optional.of(step.after)
        : Optional.empty();
  }

  /** What a call is answered here. */
  long answer(Call call) {
    return step(call).answer;
  }

  private Step step(Call call) {
    String key = call.keys().getFirst();
    long value = values.getOrDefault(key, 0L);
    return switch (call) {
      case Call.Create create ->
          value == 0 ? new Step(with(key, create.id()), create.id()) : new Step(this, NONE);
      case Call.Remove _ -> value == 0 ? new Step(this, NONE) : new Step(with(key, 0), DONE);
      case Call.Rename rename -> {
        boolean itself = rename.from().equals(rename.to());
        yield value == 0
            ? new Step(this, NONE)
            : new Step(itself ? this : with(key, 0).with(call.keys().getLast(), value), DONE);
      }
      case Call.Move _ -> {
        String to = call.keys().getLast();
        yield value == 0
            ? new Step(this, NONE)
            : values.containsKey(to)
                ? new Step(this, TAKEN)
                : new Step(with(key, 0).with(to, value), DONE);
      }
      case Call.Stat _ -> new Step(this, value == 0 ? NONE : value);
      case Call.Resize resize -> new Step(with(key, resize.size()), resize.size());
      case Call.Size _, Call.At _ -> new Step(this, value);
      case Call.Take take -> new Step(with(key, value + take.delta()), value);
      case Call.Seek seek -> new Step(with(key, seek.value()), seek.value());
    };
  }

  private NamesState with(String key, long value) {
    TreeMap<String, Long> changed = new TreeMap<>(values);
    if (value == 0) {
      changed.remove(key);
    } else {
      changed.put(key, value);
    }
    return new NamesState(changed);
  }
}
