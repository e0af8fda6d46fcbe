package org.millrace;

import java.io.IOException;
import java.util.Optional;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Program;
import org.millrace.cluster.RunningCluster;
import org.millrace.launch.Launch;
import org.millrace.launch.process.ProcessRank;

/**
 * Runs a parallel program, however its process was started. One {@code main} serves all cases:
 *
 * <pre>{@code
 * public static void main(String[] args) throws IOException {
 *   Millrace.run(rank -> System.out.println("rank " + rank.number() + " of " + rank.size()));
 * }
 * }</pre>
 *
 * <p>If this process is one rank of several, because {@code millrace run --procs}, {@code mpirun}
 * or {@code srun} has started it ({@link Launch}), it joins the others. Otherwise the ranks are
 * threads of this JVM. In both cases the cluster is the one at {@code millrace.address}: if daemons
 * run there, the program uses them; if not, the processes of the program are the cluster for as
 * long as they run, and its files stay in the directory.
 *
 * <p>These system properties say more. For each of them, except {@code millrace.ranks}, there is an
 * environment variable of the same name in capitals, such as {@code MILLRACE_ADDRESS}; the property
 * goes first. {@code millrace run} sets the properties from its options.
 *
 * <table>
 * <caption>What a program may be told from outside</caption>
 * <tr><th>property</th><th>meaning</th><th>default</th></tr>
 * <tr><td>millrace.address</td><td>the cluster's directory, or the address of its daemons</td>
 *     <td>.millrace/data</td></tr>
 * <tr><td>millrace.ranks</td><td>ranks, if they are threads of this JVM</td><td>4</td></tr>
 * <tr><td>millrace.nodes</td><td>nodes, if there are no daemons</td><td>as many as the cluster has;
 *     in a new one 4, or one for each rank process</td></tr>
 * <tr><td>millrace.keys</td><td>the folder with the keys for a tls: address</td><td>none</td></tr>
 * <tr><td>millrace.listen</td><td>where a rank process listens</td><td>chosen</td></tr>
 * <tr><td>millrace.start.timeout</td><td>seconds to wait for the other rank processes</td>
 *     <td>60</td></tr>
 * <tr><td>millrace.timeout</td><td>seconds that synchronizing calls wait for other ranks</td>
 *     <td>as the program says, else 600</td></tr>
 * <tr><td>millrace.silence</td><td>seconds without a sign of life after which a process is
 *     gone</td><td>20</td></tr>
 * <tr><td>millrace.grace</td><td>seconds in which a lost connection may come back</td>
 *     <td>5</td></tr>
 * </table>
 *
 * <p>Programs that need several clusters, or several runs on one, use {@link Cluster}. Stateless.
 */
public final class Millrace {

  private Millrace() {}

  /**
   * Runs the program as this process's ranks, and returns when they have ended. If a rank that is a
   * thread throws, this throws the same.
   */
  public static void run(Program program) throws IOException {
    run(ClusterOptions.DEFAULT, program);
  }

  /** As {@link #run(Program)}, with options. All processes must give the same. */
  public static void run(ClusterOptions options, Program program) throws IOException {
    RunSettings settings = RunSettings.ofThisProcess();
    Optional<Launch> launch = Launch.recognize();
    if (launch.isPresent()) {
      try (ProcessRank launched = settings.join(launch.get(), options)) {
        launched.run(program);
      }
    } else {
      try (RunningCluster cluster = settings.open(options)) {
        cluster.run(settings.ranks(), program);
      }
    }
  }
}
