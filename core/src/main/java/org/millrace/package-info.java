/**
 * Where a program starts.
 *
 * <p>A parallel program is a piece of code that several <em>ranks</em> run at the same time, each
 * with a number of its own. {@link org.millrace.Millrace#run(org.millrace.client.Program)} runs it
 * in the way in which the process was started: alone, the ranks are threads of this JVM; under
 * {@code millrace run --procs}, {@code mpirun} or {@code srun}, each rank is a process. All of them
 * share the files of one <em>cluster</em>, whose nodes keep the bytes on their disks and in their
 * memory.
 *
 * <p>In this program each rank writes the square of its number into one shared file. Then each rank
 * reads all of them.
 *
 * {@snippet :
 * import java.io.IOException;
 * import java.util.Arrays;
 * import org.millrace.Millrace;
 * import org.millrace.client.Memory;
 * import org.millrace.client.OpenOptions;
 *
 * public final class Squares {
 *   public static void main(String[] args) throws IOException {
 *     Millrace.run(rank -> {
 *       try (var file = rank.open("squares", OpenOptions.create())) {
 *         long[] mine = {rank.number() * rank.number()};
 *         file.at(8L * rank.number()).write(Memory.of(mine));
 *         rank.barrier();
 *         long[] all = new long[rank.size()];
 *         file.at(0).readFully(Memory.of(all));
 *         if (rank.number() == 0) {
 *           System.out.println(Arrays.toString(all)); // prints [0, 1, 4, 9]
 *         }
 *       }
 *     });
 *   }
 * }
 * }
 *
 * <p>{@link org.millrace.Cluster} is for programs that open clusters themselves: several of them,
 * or one for several runs. What ranks can do is in {@link org.millrace.client}; arrays are in
 * {@link org.millrace.array}.
 */
@NullMarked
package org.millrace;

import org.jspecify.annotations.NullMarked;
