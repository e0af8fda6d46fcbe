package org.millrace.heritage.kotz;

import java.util.Objects;
import java.util.function.LongBinaryOperator;
import org.millrace.access.Distribution;
import org.millrace.access.Pattern;
import org.millrace.access.View;

/**
 * A mapping function: where in the file a file pointer points. Pointers and places are numbers of
 * records (of bytes in a byte file). Mappings that the library knows are views and are never
 * listed; one's own is called for each record.
 *
 * <p>Immutable, as far as one's own function is.
 */
public sealed interface Mapping {

  /** The pointer is the place. */
  static Mapping plain() {
    return new Interleaved(1, 0, 1);
  }

  /**
   * The built-in round robin: {@code size} records for process 0, as many for process 1, and so on,
   * then process 0 again. Process p's pointer x is at place {@code ((x / size) * P + p) * size + x
   * % size}. In a byte file {@code size} is the record size that Kotz's function has as its
   * parameter.
   */
  static Mapping interleaved(long size) {
    return new Interleaved(size, -1, 0);
  }

  /** As {@link #interleaved(long)}, as process {@code which} of {@code of}. */
  static Mapping interleaved(long size, int which, int of) {
    if (which < 0 || which >= of) {
      throw new IllegalArgumentException("process " + which + " of " + of);
    }
    return new Interleaved(size, which, of);
  }

  /**
   * This process's part of an array of records that is dealt out; behind it comes the next array.
   */
  static Mapping part(Distribution distribution) {
    return new Part(distribution);
  }

  /**
   * One's own.
   *
   * @param name by which the processes that share a global pointer tell that they mean the same
   * @param parameter the additional parameter
   * @param function of pointer and parameter; gives the place, not negative; must give the same
   *     each time
   */
  static Mapping of(String name, long parameter, LongBinaryOperator function) {
    return new Own(name, parameter, function);
  }

  /**
   * Round robin.
   *
   * @param size records of one process before the next one's turn
   * @param which process this is; -1 stands for the one that asks
   * @param of how many processes; used if {@code which} is given
   */
  record Interleaved(long size, int which, int of) implements Mapping {
    /** Checks the size. */
    public Interleaved {
      if (size < 1) {
        throw new IllegalArgumentException("interleaved by " + size + " records");
      }
    }

    View view(int process, int processes, int recordBytes) {
      int mine = which < 0 ? process : which;
      int all = which < 0 ? processes : of;
      long bytes = Math.multiplyExact(size, recordBytes);
      return new View(
          Math.multiplyExact(mine, bytes), Pattern.run(bytes), Math.multiplyExact(all, bytes));
    }
  }

  /**
   * A part of an array.
   *
   * @param distribution of it
   */
  record Part(Distribution distribution) implements Mapping {
    View view(int process, int processes, int recordBytes) {
      if (distribution.grid().ranks() != processes) {
        throw new IllegalArgumentException(
            "a grid of %s for %s processes".formatted(distribution.grid().ranks(), processes));
      }
      return new View(
          0, distribution.part(process, recordBytes), distribution.shape().bytes(recordBytes));
    }
  }

  /**
   * One's own.
   *
   * @param name of it
   * @param parameter the additional parameter
   * @param function of pointer and parameter
   */
  record Own(String name, long parameter, LongBinaryOperator function) implements Mapping {
    /** Checks that there are both. */
    public Own {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(function, "function");
    }

    /** The place of a pointer. */
    long place(long pointer) {
      long place = function.applyAsLong(pointer, parameter);
      if (place < 0) {
        throw new IndexOutOfBoundsException(
            "mapping %s of pointer %s is the negative place %s".formatted(name, pointer, place));
      }
      return place;
    }
  }

  /** What is compared where all processes must give the same. */
  default String word() {
    return switch (this) {
      case Own own -> "own " + own.name + " of " + own.parameter;
      case Interleaved one -> one.toString();
      case Part one -> one.toString();
    };
  }
}
