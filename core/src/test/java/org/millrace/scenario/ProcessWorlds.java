package org.millrace.scenario;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.UnaryOperator;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/**
 * Worlds whose coordinator and nodes are processes of their own; the ranks are in this one, with
 * connections of their own.
 *
 * @param hosts the processes, one world's at a time
 * @param directory below which each world has a directory
 * @param talk how processes talk
 * @param builds for scenarios that run in each
 * @param tuning of the ranks' options
 */
record ProcessWorlds(
    ServerHosts hosts,
    Path directory,
    Talk talk,
    List<Worlds.Build> builds,
    UnaryOperator<ClusterOptions> tuning)
    implements Worlds {

  private static final long TIMEOUT_MILLIS = 20_000;

  ProcessWorlds(ServerHosts hosts, Path directory, Talk talk) {
    this(hosts, directory, talk, Build.ALL, UnaryOperator.identity());
  }

  @Override
  public void in(Build build, Scenario scenario) throws Exception {
    Path place = Files.createTempDirectory(directory, "w");
    ClusterOptions options = tuning.apply(ClusterWorld.options(build));
    Role role =
        new Role(
            ServerHost.COORDINATOR,
            build.nodes(),
            build.stripeUnitBytes(),
            options.cacheBytesPerNode(),
            talk,
            TIMEOUT_MILLIS,
            place);
    try (var world =
        new ClusterWorld(
            () -> {
              hosts.serve(role);
              return RunningCluster.connect(
                  new ClusterLocation.In(place), options, role.transport());
            },
            () -> {
              hosts.end(build.nodes());
              return ServerHosts.strandSizes(place, build.nodes());
            })) {
      scenario.run(world);
    } catch (Exception | Error e) {
      hosts.close(); // whatever state they are in
      throw e;
    }
    hosts.end(build.nodes());
  }

  @Override
  public void under(long seed, Build build, Scenario scenario) throws Exception {
    try {
      in(build, scenario);
    } catch (Exception | Error e) {
      throw new AssertionError(talk + ", " + build + ", " + Seeds.replay(seed) + ": " + e, e);
    }
  }

  @Override
  public void inEach(Scenario scenario) throws Exception {
    for (Build build : builds) {
      in(build, scenario);
    }
  }
}
