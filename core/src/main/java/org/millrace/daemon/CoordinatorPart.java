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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.millrace.cluster.Closing;
import org.millrace.cluster.ClusterDirectory;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.SharedPointers;
import org.millrace.cluster.StoredCosts;
import org.millrace.cluster.StoredPlaces;
import org.millrace.cluster.StoredStrands;
import org.millrace.coordinator.Coordinator;
import org.millrace.coordinator.CoordinatorOptions;
import org.millrace.coordinator.Lease;
import org.millrace.coordinator.LeasedEndpoint;
import org.millrace.coordinator.NodePlaces;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.disk.SecretFile;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
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
  private final List<AutoCloseable> below;

  private CoordinatorPart(
      ClusterDirectory.Part part,
      Coordinator coordinator,
      Secret secret,
      Optional<SharedMemory> pointers,
      List<AutoCloseable> below) {
    this.below = List.copyOf(below);
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
   * @param log told what goes wrong, for people
   */
  public static CoordinatorPart open(
      Env env,
      Path directory,
      int nodes,
      ServerOptions options,
      long graceNanos,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    ClusterDirectory.Part part = ClusterDirectory.openCoordinator(env, directory, nodes);
    try {
      Secret secret = secret(env, directory);
      var place = new Place(env, directory, part, secret, costs(env, part), Map::of, log);
      return begin(
          place,
          options,
          graceNanos,
          onShutdown,
          List.of(part),
          (given, probe) -> new Coordinator(env, part.disk(), given, probe));
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(List.of(part), e);
      throw e;
    }
  }

  /**
   * Where a coordinator is at home.
   *
   * @param directory of the cluster
   * @param part its own part of it
   * @param secret of the cluster
   * @param settings what all ranks must agree on
   * @param now more settings, as they are when somebody asks
   * @param log told what goes wrong, for people
   */
  record Place(
      Env env,
      Path directory,
      ClusterDirectory.Part part,
      Secret secret,
      Map<String, String> settings,
      Supplier<Map<String, String>> now,
      Consumer<String> log) {}

  /** Where the nodes' directories are, told together with what else changes. */
  private record Told(NodePlaces places, Supplier<Map<String, String>> now) implements NodePlaces {

    @Override
    public void onRegistered(int node) throws MillraceException {
      places.onRegistered(node);
    }

    @Override
    public void onAdded(int node) throws MillraceException {
      places.onAdded(node);
    }

    @Override
    public void onRemoved(int node) throws MillraceException {
      places.onRemoved(node);
    }

    @Override
    public Map<String, String> asSettings() {
      Map<String, String> all = new TreeMap<>(places.asSettings());
      all.putAll(now.get());
      return all;
    }
  }

  /** Makes the coordinator itself. */
  interface Making {
    /** Makes it over its log. */
    Coordinator make(CoordinatorOptions options, Coordinator.StrandProbe probe) throws IOException;
  }

  static Secret secret(Env env, Path directory) throws IOException {
    return new Secret(SecretFile.readOrMake(directory, () -> env.secretBytes(Secret.BYTES)));
  }

  static Map<String, String> costs(Env env, ClusterDirectory.Part part) throws IOException {
    return StoredCosts.asSettings(StoredCosts.of(env, part.disk(), part.disk()).acrossProcesses());
  }

  /**
   * Begins a coordinator's life.
   *
   * @param below closed with it
   */
  static CoordinatorPart begin(
      Place place,
      ServerOptions options,
      long graceNanos,
      Runnable onShutdown,
      List<AutoCloseable> below,
      Making making)
      throws IOException {
    ClusterDirectory.Part part = place.part;
    Optional<SharedMemory> pointers =
        options.transport().sharedMemory() ? SharedPointers.make(place.env) : Optional.empty();
    try (var disks = new NodeDisks(place.directory, part.nodes())) {
      Map<String, String> settings = new TreeMap<>(place.settings);
      pointers.ifPresent(memory -> settings.putAll(SharedPointers.asSettings(memory)));
      var coordinatorOptions =
          CoordinatorOptions.of(part.nodes(), System.getProperty("user.name", "unknown"))
              .withStripeUnitBytes(options.stripeUnitBytes())
              .withCluster(part.cluster())
              .withSettings(settings)
              .withPointerCells(pointers.map(SharedMemory::segment).orElse(MemorySegment.NULL))
              .withSecret(place.secret)
              .withGraceNanos(graceNanos)
              .withCapabilityMillis(options.capabilityMillis())
              .withOnShutdown(onShutdown)
              .withPlaces(
                  new Told(
                      new StoredPlaces(place.directory, part.disk(), part.cluster(), part.places()),
                      place.now));
      StoredStrands strands = new StoredStrands(disks.all());
      Coordinator coordinator = making.make(coordinatorOptions, strands::look);
      try {
        strands.checkJournal(coordinator, part.disk().name());
      } catch (IOException | RuntimeException e) {
        coordinator.close();
        throw e;
      }
      coordinator.watch(part.disk(), place.log);
      return new CoordinatorPart(part, coordinator, place.secret, pointers, below);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(pointers.<List<AutoCloseable>>map(List::of).orElse(List.of()), e);
      throw e;
    }
  }

  /** Lets others reach it. */
  public void serve(Acceptor acceptor, Dialer dialer) {
    acceptor.serve(Dialer.COORDINATOR, coordinator, coordinator.returning(secret));
    acceptor.tellRefusals(coordinator::onRefused);
    dialer.add(Dialer.COORDINATOR, coordinator);
  }

  /** As {@link #serve(Acceptor, Dialer)}, answering only while {@code lease} is valid. */
  void serve(Acceptor acceptor, Lease lease) {
    acceptor.serve(
        Dialer.COORDINATOR, new LeasedEndpoint(coordinator, lease), coordinator.returning(secret));
    acceptor.tellRefusals(coordinator::onRefused);
  }

  /** Ends without a word to anybody, because another coordinator goes on. */
  void abandon() throws IOException {
    coordinator.abandon();
    List<AutoCloseable> all = new ArrayList<>(below);
    pointers.ifPresent(all::add);
    Closing.closeAll(all);
  }

  String cluster() {
    return part.cluster();
  }

  Secret secret() {
    return secret;
  }

  @Override
  public void close() throws IOException {
    List<AutoCloseable> all = new ArrayList<>(List.of(coordinator));
    all.addAll(below);
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
