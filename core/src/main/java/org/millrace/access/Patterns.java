package org.millrace.access;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Builds patterns in normal form. Holds no state. */
final class Patterns {

  private Patterns() {}

  static Pattern run(long length) {
    if (length < 0) {
      throw new IllegalArgumentException("run length " + length + " is negative");
    }
    return length == 0 ? Pattern.EMPTY : new Run(length);
  }

  static Pattern loop(long count, long stride, Pattern body) {
    if (count < 0) {
      throw new IllegalArgumentException("loop count " + count + " is negative");
    }
    PatternNode node = (PatternNode) body;
    if (count == 0 || node.size == 0) {
      return Pattern.EMPTY;
    }
    if (count == 1) {
      return body;
    }
    try {
      return repeat(count, stride, node);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "loop of "
              + count
              + " with stride "
              + stride
              + " over "
              + describe(node)
              + " exceeds 2^63-1 bytes",
          e);
    }
  }

  private static Pattern repeat(long count, long stride, PatternNode body) {
    return switch (body) {
      case Run run when run.size == stride -> new Run(Math.multiplyExact(count, stride));
      // The inner loop goes on where the next turn of the outer one starts.
      case Loop inner when isProduct(stride, inner.count, inner.stride) ->
          new Loop(Math.multiplyExact(count, inner.count), inner.stride, inner.body);
      // A displaced child: displace the loop instead.
      case Sequence one when one.nodes.length == 1 ->
          loop(count, stride, one.nodes[0]).shifted(one.displacements[0]);
      default -> new Loop(count, stride, body);
    };
  }

  private static boolean isProduct(long product, long a, long b) {
    return Math.multiplyHigh(a, b) == (a * b) >> 63 && a * b == product;
  }

  static Pattern sequence(List<Placed> children) {
    List<Placed> normal = new ArrayList<>(children.size());
    try {
      for (Placed child : children) {
        append(normal, child);
      }
      if (normal.isEmpty()) {
        return Pattern.EMPTY;
      }
      if (normal.size() == 1 && normal.getFirst().displacement() == 0) {
        return normal.getFirst().pattern();
      }
      return new Sequence(normal);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "sequence of " + children.size() + " patterns exceeds 2^63-1 bytes", e);
    }
  }

  private static void append(List<Placed> list, Placed child) {
    PatternNode node = (PatternNode) child.pattern();
    long displacement = child.displacement();
    if (node.size == 0) {
      return;
    }
    if (node instanceof Sequence one && one.nodes.length == 1) {
      displacement = Math.addExact(displacement, one.displacements[0]);
      node = one.nodes[0];
    }
    if (node instanceof Run && !list.isEmpty()) {
      Placed last = list.getLast();
      if (last.pattern() instanceof Run run
          && Math.addExact(last.displacement(), run.size) == displacement) {
        Run joined = new Run(Math.addExact(run.size, node.size));
        list.set(list.size() - 1, new Placed(last.displacement(), joined));
        return;
      }
    }
    list.add(new Placed(displacement, node));
  }

  static Pattern indexed(long[] offsets, long[] lengths) {
    Objects.requireNonNull(offsets, "offsets");
    Objects.requireNonNull(lengths, "lengths");
    if (offsets.length != lengths.length) {
      throw new IllegalArgumentException(
          "index list has " + offsets.length + " offsets but " + lengths.length + " lengths");
    }
    long[] at = new long[offsets.length];
    long[] starts = new long[offsets.length + 1];
    int n = 0;
    for (int i = 0; i < offsets.length; i++) {
      long offset = offsets[i];
      long length = lengths[i];
      if (length < 0) {
        throw new IllegalArgumentException("length " + length + " of entry " + i + " is negative");
      }
      long total = starts[n] + length;
      if (total < 0 || (offset > 0 && offset + length < 0)) {
        throw new IllegalArgumentException(
            "entry " + i + " of " + length + " bytes at " + offset + " exceeds 2^63-1 bytes");
      }
      if (length == 0) {
        continue;
      }
      if (n > 0 && at[n - 1] + (starts[n] - starts[n - 1]) == offset) {
        starts[n] = total;
      } else {
        at[n++] = offset;
        starts[n] = total;
      }
    }
    return ofEntries(Arrays.copyOf(at, n), Arrays.copyOf(starts, n + 1));
  }

  private static Pattern ofEntries(long[] offsets, long[] starts) {
    if (offsets.length == 0) {
      return Pattern.EMPTY;
    }
    if (offsets.length == 1) {
      return new Run(starts[1]).shifted(offsets[0]);
    }
    try {
      return new Indexed(offsets, starts);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("index list spans more than 2^63-1 bytes", e);
    }
  }

  private static String describe(PatternNode node) {
    return node.size + " bytes in [" + node.first + "," + node.end + ")";
  }
}
