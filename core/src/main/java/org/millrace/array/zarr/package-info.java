/**
 * Zarr version 3: arrays in chunks that Python, JavaScript and others read and write.
 *
 * <p>{@link org.millrace.array.zarr.SharedZarr} makes and opens arrays that all ranks write
 * together into one file; they are {@link org.millrace.array.GlobalArray}s. {@link
 * org.millrace.array.zarr.ZarrArray} reads and writes arrays of any codecs, each chunk a file, for
 * one rank or program by itself. {@link org.millrace.array.zarr.ZarrGroup} is a directory of them.
 *
 * {@snippet :
 * import java.io.IOException;
 * import java.util.Arrays;
 * import org.millrace.Millrace;
 * import org.millrace.access.Distribution;
 * import org.millrace.access.Section;
 * import org.millrace.access.Shape;
 * import org.millrace.array.ElementType;
 * import org.millrace.array.Local;
 * import org.millrace.array.zarr.SharedZarr;
 * import org.millrace.array.zarr.ZarrArray;
 * import org.millrace.array.zarr.ZarrMetadata;
 * import org.millrace.array.zarr.ZarrStore;
 * import org.millrace.client.OpenOptions;
 *
 * public final class Shared {
 *   public static void main(String[] args) throws IOException {
 *     Shape shape = Shape.rowMajor(4, 4);
 *     var metadata = ZarrMetadata.shared(shape, ElementType.FLOAT64, 2, 3); // chunks of 2 x 3
 *     Millrace.run(rank -> {
 *       var rows = Distribution.rows(shape, rank.size());
 *       Shape mine = rows.localShape(rank.number());
 *       double[] values = new double[(int) mine.elements()];
 *       Arrays.fill(values, rank.number());
 *       try (var array = SharedZarr.create(rank, "a.zarr", metadata, OpenOptions.create())) {
 *         array.writeDistributed(rows, Local.of(values, mine));
 *       }
 *       if (rank.number() == 0) {
 *         try (var store = ZarrStore.of(rank, "a.zarr")) {
 *           double[] column = new double[4];
 *           ZarrArray.open(store)
 *               .readSection(Section.parse("0:3,2:2"), Local.of(column, Shape.rowMajor(4, 1)));
 *           System.out.println(Arrays.toString(column)); // prints [0.0, 1.0, 2.0, 3.0]
 *         }
 *       }
 *     });
 *   }
 * }
 * }
 */
@NullMarked
package org.millrace.array.zarr;

import org.jspecify.annotations.NullMarked;
