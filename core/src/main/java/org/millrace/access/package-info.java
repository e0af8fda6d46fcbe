/**
 * Which bytes, in which order.
 *
 * <p>A {@link org.millrace.access.Pattern} is a family of byte runs: nested loops over runs, or a
 * list of them. A {@link org.millrace.access.View} repeats a pattern through a file, so that a rank
 * sees only its own bytes, one behind the other. Patterns are never flattened: one of a billion
 * runs takes as much memory as one of ten.
 *
 * <p>Arrays become patterns. A {@link org.millrace.access.Shape} has the sizes of the dimensions
 * and says which index runs fastest; a {@link org.millrace.access.Section} selects {@code
 * lower:upper:stride} of each dimension; a {@link org.millrace.access.Distribution} deals the
 * elements out to ranks, by rows, columns, blocks or cyclically.
 *
 * {@snippet :
 * import org.millrace.access.Distribution;
 * import org.millrace.access.Section;
 * import org.millrace.access.Shape;
 * import org.millrace.access.View;
 *
 * public final class Columns {
 *   public static void main(String[] args) {
 *     Shape shape = Shape.rowMajor(4, 6);
 *     Distribution columns = Distribution.columns(shape, 3); // two columns for each of three ranks
 *     View second = columns.view(1, 8); // what rank 1 sees of a file with elements of 8 bytes
 *     System.out.println(second.offsetOf(0)); // prints 16
 *     System.out.println(second.offsetOf(16)); // prints 64
 *     System.out.println(columns.owner(3, 5)); // prints 2
 *     System.out.println(Section.parse("0:3:2,1:4").in(shape, 8).size()); // prints 64
 *   }
 * }
 * }
 *
 * <p>Everything here is an immutable value and does no I/O. {@link
 * org.millrace.client.SharedFile#setView} and {@link org.millrace.client.SharedFile#through} put
 * views to use; {@link org.millrace.array} takes sections and distributions.
 */
@NullMarked
package org.millrace.access;

import org.jspecify.annotations.NullMarked;
