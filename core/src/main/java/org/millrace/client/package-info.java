/**
 * What a rank can do.
 *
 * <p>A {@link org.millrace.client.Rank} is one of a group. It knows its number and the group's
 * size, meets the others ({@code barrier}, {@code broadcast}, {@code allReduceLong} and others),
 * sends messages, takes locks, begins transactions and opens files.
 *
 * <p>A {@link org.millrace.client.SharedFile} is one that the whole group has open. An access of it
 * says where it goes: {@code file.at(position)}, {@code file.shared()}, {@code file.through(view)};
 * {@code all()} makes it one of all ranks together. Each access has {@code read} and {@code write},
 * their asynchronous twins, and {@code readFully} ({@link org.millrace.client.DataAccess}). The
 * bytes on the rank's side are a {@link org.millrace.client.Memory}.
 *
 * {@snippet :
 * import java.io.IOException;
 * import java.util.Arrays;
 * import org.millrace.Millrace;
 * import org.millrace.access.Pattern;
 * import org.millrace.access.View;
 * import org.millrace.client.Memory;
 * import org.millrace.client.OpenOptions;
 *
 * public final class Interleaved {
 *   public static void main(String[] args) throws IOException {
 *     Millrace.run(rank -> {
 *       try (var file = rank.open("numbers", OpenOptions.create())) {
 *         // each rank sees every fourth number
 *         file.setView(new View(4L * rank.number(), Pattern.run(4), 4L * rank.size()));
 *         int[] mine = {rank.number(), 10 + rank.number()};
 *         file.at(0).all().write(Memory.of(mine));
 *         file.setView(View.WHOLE);
 *         int[] numbers = new int[2 * rank.size()];
 *         file.at(0).all().readFully(Memory.of(numbers));
 *         long sum = rank.allReduceLong(mine[0] + mine[1], Long::sum);
 *         if (rank.number() == 0) {
 *           System.out.println(Arrays.toString(numbers)); // prints [0, 1, 2, 3, 10, 11, 12, 13]
 *           System.out.println(sum); // prints 52
 *         }
 *       }
 *     });
 *   }
 * }
 * }
 *
 * <p>Options are values that begin at a usual one and change by {@code withX}: {@link
 * org.millrace.client.OpenOptions} of a file, {@link org.millrace.client.ClusterOptions} of a
 * cluster. {@link org.millrace.client.Mode} has the six ways of sharing a file's pointer. Errors
 * are in {@link org.millrace.error}.
 */
@NullMarked
package org.millrace.client;

import org.jspecify.annotations.NullMarked;
