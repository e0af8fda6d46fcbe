/**
 * Arrays larger than memory, in shared files.
 *
 * <p>A {@link org.millrace.array.GlobalArray} is an array in one file that all ranks share. The
 * file is a {@code .npy} file, which NumPy reads. A rank reads and writes {@linkplain
 * org.millrace.access.Section sections} of it, or all ranks together the whole of it, dealt out by
 * a {@linkplain org.millrace.access.Distribution distribution}. A {@link org.millrace.array.Local}
 * is the memory on the other side: an array or a segment, with a shape.
 *
 * {@snippet :
 * import java.io.IOException;
 * import java.util.Arrays;
 * import org.millrace.Millrace;
 * import org.millrace.access.Distribution;
 * import org.millrace.access.Section;
 * import org.millrace.access.Shape;
 * import org.millrace.array.ElementType;
 * import org.millrace.array.GlobalArray;
 * import org.millrace.array.Local;
 * import org.millrace.client.OpenOptions;
 *
 * public final class RowsAndColumns {
 *   public static void main(String[] args) throws IOException {
 *     Shape shape = Shape.rowMajor(4, 4);
 *     Millrace.run(rank -> {
 *       var rows = Distribution.rows(shape, rank.size());
 *       Shape mine = rows.localShape(rank.number());
 *       double[] values = new double[(int) mine.elements()];
 *       Arrays.fill(values, rank.number());
 *       var options = OpenOptions.create();
 *       try (var array = GlobalArray.create(rank, "a.npy", shape, ElementType.FLOAT64, options)) {
 *         array.writeDistributed(rows, Local.of(values, mine));
 *         double[] column = new double[4];
 *         array.readSection(Section.parse("0:3,2:2"), Local.of(column, Shape.rowMajor(4, 1)));
 *         if (rank.number() == 0) {
 *           System.out.println(Arrays.toString(column)); // prints [0.0, 1.0, 2.0, 3.0]
 *         }
 *       }
 *     });
 *   }
 * }
 * }
 *
 * <p>{@link org.millrace.array.Partitions} goes through an array that does not fit into the memory
 * of all ranks together, {@link org.millrace.array.InCoreArray} through one that does not fit into
 * that of a single rank: the next part is read while the program works on this one. {@link
 * org.millrace.array.LocalArrays} are arrays of one rank each. These are the three models of
 * PASSION, a library of the 1990s.
 */
@NullMarked
package org.millrace.array;

import org.jspecify.annotations.NullMarked;
