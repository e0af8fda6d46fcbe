package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.client.ClusterOptions;
import org.millrace.cluster.ClusterLocation;
import org.millrace.cluster.RunningCluster;
import org.millrace.plan.Strategy;
import org.millrace.protocol.NodeFact;
import org.millrace.scenario.ServerHost.Role;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.FaultProxy;
import org.millrace.testing.FaultProxy.Faults;
import org.millrace.testing.Seeds;
import org.millrace.wire.Address;

/** Whole clusters of processes, to which all connections are bad. */
final class BadConnectionsWorldTest {

  private static final ServerHosts HOSTS = new ServerHosts();

  @TempDir private Path directory;

  @AfterAll
  static void end() throws IOException {
    HOSTS.close();
  }

  @ParameterizedTest
  @EnumSource(names = {"AUTO", "TWO_PHASE", "DISK_DIRECTED"})
  void collectiveCallsDoWhatTheModelDoes(Strategy strategy) throws Exception {
    check(strategy);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "SIEVED", "EXTENDED_TWO_PHASE"})
  void collectiveCallsOfOtherStrategiesDoWhatTheModelDoes(Strategy strategy) throws Exception {
    check(strategy);
  }

  private void check(Strategy strategy) throws Exception {
    long resets = 0;
    for (long seed : Seeds.of(1)) {
      Worlds.Build build = new Worlds.Build(3, 100);
      Path place = Files.createTempDirectory(directory, "w");
      Talk talk = strategy.word().length() % 2 == 0 ? Talk.SOCKETS : Talk.SHARED_MEMORY;
      // of shared memory the proxy sees handshakes and doorbells only, which are few bytes
      Faults faults = new Faults(talk == Talk.SHARED_MEMORY ? 600 : 6_000, 0, true, 200, 5);
      Role role = new Role(-1, 3, 100, 4 << 20, talk, 120_000, place);
      HOSTS.serve(role);
      List<FaultProxy> proxies = new ArrayList<>();
      try {
        insert(proxies, place, role, seed);
        ClusterOptions options = CollectiveModelTest.options(strategy, build, seed);
        try (var world =
            new ClusterWorld(
                () ->
                    RunningCluster.connect(
                        new ClusterLocation.In(place), options, role.transport()),
                List::of)) {
          proxies.forEach(one -> one.set(faults));
          CollectiveModelTest.run(world, seed);
          proxies.forEach(one -> one.set(Faults.NONE));
        }
      } catch (Exception | Error e) {
        throw new AssertionError(strategy + ", " + Seeds.replay(seed) + ": " + e, e);
      } finally {
        for (FaultProxy one : proxies) {
          resets += one.resets();
          one.close();
        }
      }
    }
    assertThat(resets).isPositive();
  }

  /** Puts proxies where the servers' sockets are. */
  private static void insert(List<FaultProxy> proxies, Path place, Role role, long seed)
      throws IOException {
    List<String> addresses = new ArrayList<>();
    try (RunningCluster cluster =
        RunningCluster.connect(
            new ClusterLocation.In(place), ClusterOptions.DEFAULT, role.transport())) {
      addresses.add(new ClusterLocation.In(place).coordinator().toString());
      for (NodeFact fact : cluster.nodeFacts()) {
        addresses.add(fact.address());
      }
    }
    for (String address : addresses) {
      Path socket = Path.of(((Address.Unix) Address.parse(address)).path());
      Path behind = socket.resolveSibling(socket.getFileName() + "-");
      Files.move(socket, behind);
      proxies.add(
          FaultProxy.at(
              socket, new Address.Unix(behind.toString()), Faults.NONE, seed + proxies.size()));
    }
  }
}
