/**
 * A process that was started as one rank of a parallel program.
 *
 * <p>Most programs need nothing of this package: {@link
 * org.millrace.Millrace#run(org.millrace.client.Program)} finds out by itself how its process was
 * started. {@link org.millrace.launch.Launch} is what it finds: who started the process, which rank
 * it is and of how many. {@link org.millrace.launch.Launched} takes part with it in another way
 * than {@code Millrace.run} does, such as at a given cluster.
 *
 * {@snippet :
 * import java.io.IOException;
 * import java.nio.file.Path;
 * import org.millrace.launch.Launch;
 * import org.millrace.launch.Launched;
 * import org.millrace.launch.LaunchedOptions;
 *
 * public final class Alone {
 *   public static void main(String[] args) throws IOException {
 *     // under mpirun, srun, torchrun, ..., else as the only rank of a job
 *     Launch launch = Launch.recognize().orElse(new Launch("by hand", "job-1", 0, 1));
 *     Path directory = Path.of(args[0], "cluster");
 *     try (var launched = Launched.asPeer(launch, directory, 2, LaunchedOptions.DEFAULT)) {
 *       launched.run(rank -> {
 *         System.out.println(rank.number() + " of " + rank.size()); // prints 0 of 1
 *       });
 *     }
 *   }
 * }
 * }
 */
@NullMarked
package org.millrace.launch;

import org.jspecify.annotations.NullMarked;
