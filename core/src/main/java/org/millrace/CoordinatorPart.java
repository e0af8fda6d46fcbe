package org.millrace;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.disk.SecretFile;
import org.millrace.env.Env;
import org.millrace.message.Door;
import org.millrace.wire.Secret;

/**
 * The coordinator as part of a process: its directory and the coordinator itself.
 *
 * <p>Made and closed by one thread. Closing fails all who wait; whoever owns the door closes that
 * first.
 */
final class CoordinatorPart implements AutoCloseable {

  // constant after construction
  private final ClusterDirectory.Part part;
  private final Coordinator coordinator;
  private final Secret secret;

  private CoordinatorPart(ClusterDirectory.Part part, Coordinator coordinator, Secret secret) {
    this.part = part;
    this.coordinator = coordinator;
    this.secret = secret;
  }

  /**
   * Opens the coordinator's part of {@code directory}.
   *
   * @param nodes how many nodes the cluster has at least; {@link ClusterDirectory#KEEP} for those
   *     that it has
   */
  static CoordinatorPart open(
      Env env, Path directory, int nodes, ServerOptions options, Runnable onShutdown)
      throws IOException {
    ClusterDirectory.Part part = ClusterDirectory.openCoordinator(env, directory, nodes);
    try (var disks = new NodeDisks(directory, part.nodes())) {
      Secret secret =
          new Secret(SecretFile.readOrMake(directory, () -> env.secretBytes(Secret.BYTES)));
      var how =
          CoordinatorOptions.of(part.nodes(), System.getProperty("user.name", "unknown"))
              .withStripeUnitBytes(options.stripeUnitBytes())
              .withCluster(part.cluster())
              .withSettings(StoredCosts.asSettings(StoredCosts.of(env, part.disk(), part.disk())))
              .withSecret(secret)
              .withCapabilityMillis(options.capabilityMillis())
              .withOnShutdown(onShutdown);
      StoredStrands strands = new StoredStrands(disks.all());
      Coordinator coordinator = new Coordinator(env, part.disk(), how, strands::areAllThere);
      try {
        strands.checkJournal(coordinator, part.disk().name());
      } catch (IOException | RuntimeException e) {
        coordinator.close();
        throw e;
      }
      return new CoordinatorPart(part, coordinator, secret);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(List.of(part), e);
      throw e;
    }
  }

  /** Lets others reach it. */
  void serve(Door door, Dialer dialer) {
    door.serve(Dialer.COORDINATOR, coordinator);
    dialer.add(Dialer.COORDINATOR, coordinator);
  }

  String cluster() {
    return part.cluster();
  }

  Secret secret() {
    return secret;
  }

  @Override
  public void close() throws IOException {
    Closing.closeAll(List.of(coordinator, part));
  }

  /**
   * What can be seen of the nodes' directories from here, to be looked at and left alone: nodes may
   * be running.
   */
  private static final class NodeDisks implements AutoCloseable {

    private final Map<Integer, Disk> disks = new HashMap<>();

    NodeDisks(Path directory, int count) throws IOException {
      for (int i = 0; i < count; i++) {
        Path place = directory.resolve("node-" + i);
        if (FileDisk.isThere(place)) {
          disks.put(i, FileDisk.open(place));
        }
      }
    }

    Map<Integer, Disk> all() {
      return disks;
    }

    @Override
    public void close() throws IOException {
      Closing.closeAll(List.copyOf(disks.values()));
    }
  }
}
