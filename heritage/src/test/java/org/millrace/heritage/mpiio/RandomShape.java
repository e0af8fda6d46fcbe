package org.millrace.heritage.mpiio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.millrace.access.Order;
import org.millrace.heritage.mpiio.ProgramModel.Representation;

/**
 * A random datatype, and the same as plain lists: as it lies in memory, and as it lies in a file.
 *
 * @param type built by the constructors
 * @param memory by the standard's definition
 * @param inFile the same with the widths of the file
 */
record RandomShape(Datatype type, TypeMap memory, TypeMap inFile) {

  /** What etypes there are. */
  private static final List<Datatype> BASIC =
      List.of(
          Datatype.BYTE,
          Datatype.SHORT,
          Datatype.INT,
          Datatype.DOUBLE,
          Datatype.FLOAT_COMPLEX,
          Datatype.DOUBLE_COMPLEX);

  static RandomShape basic(Random random, Representation representation) {
    Datatype type = BASIC.get(random.nextInt(BASIC.size()));
    int width = (int) type.getSize();
    boolean complex = type == Datatype.FLOAT_COMPLEX || type == Datatype.DOUBLE_COMPLEX;
    int unit = complex ? width / 2 : width;
    int inFile = representation.width(width);
    return new RandomShape(
        type,
        TypeMap.basic(width, unit),
        inFile == width ? TypeMap.basic(width, unit) : TypeMap.basic(inFile, 1));
  }

  /**
   * A type over this one, of nested constructors.
   *
   * @param ascending whether it must do as a filetype, where displacements never go back
   * @param portable whether no constructor may count bytes
   */
  RandomShape derived(Random random, int depth, boolean ascending, boolean portable) {
    if (depth == 0) {
      return this;
    }
    RandomShape below = derived(random, depth - 1, ascending, portable);
    return switch (random.nextInt(portable ? 5 : 6)) {
      case 0 -> below.contiguous(1 + random.nextInt(3));
      case 1 -> {
        int block = 1 + random.nextInt(2);
        yield below.vector(1 + random.nextInt(3), block, block + random.nextInt(3));
      }
      case 2 -> below.indexed(random, ascending);
      case 3 -> below.subarray(random);
      case 4 -> below;
      default -> {
        long extent = below.memory.extent() + random.nextInt(3) * memory.extent();
        yield new RandomShape(
            Datatype.createResized(below.type, 0, extent),
            below.memory.resized(0, extent),
            below.inFile.resized(0, extent));
      }
    };
  }

  private RandomShape contiguous(long count) {
    return new RandomShape(
        Datatype.createContiguous(count, type), memory.contiguous(count), inFile.contiguous(count));
  }

  private RandomShape vector(long count, long block, long stride) {
    return new RandomShape(
        Datatype.createVector(count, block, stride, type),
        memory.hvector(count, block, stride * memory.extent()),
        inFile.hvector(count, block, stride * inFile.extent()));
  }

  private RandomShape indexed(Random random, boolean ascending) {
    int blocks = 1 + random.nextInt(3);
    long[] lengths = new long[blocks];
    long[] at = new long[blocks];
    long end = 0;
    for (int b = 0; b < blocks; b++) {
      lengths[b] = 1L + random.nextInt(2);
      at[b] = end + random.nextInt(3);
      end = at[b] + lengths[b];
    }
    if (!ascending && random.nextBoolean()) { // the last block first
      long length = lengths[0];
      long first = at[0];
      lengths[0] = lengths[blocks - 1];
      at[0] = at[blocks - 1];
      lengths[blocks - 1] = length;
      at[blocks - 1] = first;
    }
    return new RandomShape(
        Datatype.createIndexed(lengths, at, type),
        memory.hindexed(lengths, scaled(at, memory)),
        inFile.hindexed(lengths, scaled(at, inFile)));
  }

  private static long[] scaled(long[] at, TypeMap of) {
    return Arrays.stream(at).map(one -> one * of.extent()).toArray();
  }

  private RandomShape subarray(Random random) {
    int size = 1 + random.nextInt(4);
    int from = random.nextInt(size);
    int count = 1 + random.nextInt(size - from);
    List<Long> chosen = new ArrayList<>();
    for (long k = from; k < from + count; k++) {
      chosen.add(k);
    }
    return new RandomShape(
        Datatype.createSubarray(
            new long[] {size}, new long[] {count}, new long[] {from}, Order.ROW_MAJOR, type),
        memory.array(size, chosen),
        inFile.array(size, chosen));
  }

  /** The view of a file from {@code disp} on that is tiled with this. */
  FileModel.Seen seen(long disp) {
    return new FileModel.Seen(disp, inFile.bytes(), inFile.extent());
  }
}
