package org.millrace.daemon;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.SharedPointers;
import org.millrace.cluster.StoredCosts;
import org.millrace.cluster.StoredPlaces;
import org.millrace.cluster.StoredStrands;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.disk.SecretFile;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.wire.Secret;
import org.millrace.wire.SharedMemory;

/**
 * The coordinator as part of a process: its directory and the coordinator itself.
 *
 * <p>Made and closed by one thread. Closing fails all waiting requests; the owner of the acceptor
 * closes that first.
 */
public final class CoordinatorPart implements AutoCloseable {

  // constant after construction
  private final ClusterDirectory.Part part;
  private final Coordinator coordinator;
  private final Secret secret;
  private final Optional<SharedMemory> pointers;

  private CoordinatorPart(
      ClusterDirectory.Part part,
      Coordinator coordinator,
      Secret secret,
      Optional<SharedMemory> pointers) {
    this.part = part;
    this.coordinator = coordinator;
    this.secret = secret;
    this.pointers = pointers;
  }

  /**
   * Opens the coordinator's part of {@code directory}.
   *
   * @param nodes how many nodes the cluster has at least; {@link ClusterDirectory#KEEP} for those
   *     that it has
   * @param graceNanos how long sessions may come back after a restart; 0 if they do not
   */
  public static CoordinatorPart open(
      Env env,
      Path directory,
      int nodes,
      ServerOptions options,
      long graceNanos,
      Runnable onShutdown)
      throws IOException {
    ClusterDirectory.Part part = ClusterDirectory.openCoordinator(env, directory, nodes);
    try (var disks = new NodeDisks(directory, part.nodes())) {
      Secret secret =
          new Secret(SecretFile.readOrMake(directory, () -> env.secretBytes(Secret.BYTES)));
      Optional<SharedMemory> pointers =
          options.transport().sharedMemory() ? SharedPointers.make(env) : Optional.empty();
      Map<String, String> settings =
          new TreeMap<>(
              StoredCosts.asSettings(
                  StoredCosts.of(env, part.disk(), part.disk()).acrossProcesses()));
      pointers.ifPresent(memory -> settings.putAll(SharedPointers.asSettings(memory)));
      var coordinatorOptions =
          CoordinatorOptions.of(part.nodes(), System.getProperty("user.name", "unknown"))
              .withStripeUnitBytes(options.stripeUnitBytes())
              .withCluster(part.cluster())
              .withSettings(settings)
              .withPointerCells(pointers.map(SharedMemory::segment).orElse(MemorySegment.NULL))
              .withSecret(secret)
              .withGraceNanos(graceNanos)
              .withCapabilityMillis(options.capabilityMillis())
              .withOnShutdown(onShutdown)
              .withPlaces(new StoredPlaces(directory, part.disk(), part.cluster(), part.places()));
      StoredStrands strands = new StoredStrands(disks.all());
      Coordinator coordinator =
          new Coordinator(env, part.disk(), coordinatorOptions, strands::look);
      try {
        strands.checkJournal(coordinator, part.disk().name());
      } catch (IOException | RuntimeException e) {
        coordinator.close();
        throw e;
      }
      return new CoordinatorPart(part, coordinator, secret, pointers);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(List.of(part), e);
      throw e;
    }
  }

  /** Lets others reach it. */
  public void serve(Acceptor acceptor, Dialer dialer) {
    acceptor.serve(Dialer.COORDINATOR, coordinator, coordinator.returning(secret));
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
    List<AutoCloseable> all = new ArrayList<>(List.of(coordinator, part));
    pointers.ifPresent(all::add);
    Closing.closeAll(all);
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
