package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.millrace.disk.BlockFile;
import org.millrace.disk.FileDisk;
import org.millrace.disk.StrandId;
import org.millrace.env.Env;
import org.millrace.message.Door;
import org.millrace.message.Link;
import org.millrace.node.Guard;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.FileEntry;
import org.millrace.wire.Secret;

/**
 * A node as part of a process: its directory, the node itself, the guard in front of it, and its
 * registration at the coordinator.
 *
 * <p>Made and closed by one thread. Closing makes everything durable; whoever owns the door closes
 * that first.
 */
final class NodePart implements AutoCloseable {

  private static final long ASK_NANOS = 60_000_000_000L;

  // constant after construction
  private final int number;
  private final Registration registration;
  private final List<AutoCloseable> inOrder;

  private NodePart(int number, Registration registration, List<AutoCloseable> inOrder) {
    this.number = number;
    this.registration = registration;
    this.inOrder = List.copyOf(inOrder);
  }

  /**
   * Who it is and where it belongs.
   *
   * @param directory of the cluster
   * @param number of the node
   * @param cluster identity of the cluster
   * @param secret of the cluster
   */
  record Place(Path directory, int number, String cluster, Secret secret) {

    String name() {
      return Dialer.nameOfNode(number);
    }
  }

  /** Opens it, serves it at {@code door} and registers it. */
  static NodePart start(
      Env env,
      Place place,
      ServerOptions options,
      Door door,
      Dialer dialer,
      Runnable onShutdown,
      Consumer<String> log)
      throws IOException {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      ClusterDirectory.Part part =
          ClusterDirectory.openNode(
              place.directory, place.number, place.cluster, options.pageCache());
      made.addFirst(part);
      if (FileDisk.isThere(place.directory.resolve("coordinator"))) {
        removeOrphans(env, part.disk(), dialer, log);
      }
      Node node = new Node(env, place.name(), part.disk(), NodeOptions.of(options.cacheBytes()));
      made.addFirst(node);
      String superuser = System.getProperty("user.name", "unknown");
      door.serve(
          place.name(),
          new Guard(env, place.name(), node, place.secret, superuser, onShutdown));
      dialer.add(place.name(), node);
      String address = door.address().toString();
      Registration registration = new Registration(env, dialer, place.number, address, log);
      made.addFirst(registration);
      registration.start();
      return new NodePart(place.number, registration, made);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(made, e);
      throw e;
    }
  }

  /**
   * Removes strands whose file has no name any more. Only where the coordinator keeps its journal in
   * the same directory: there it has made sure that the journal has not lost its end.
   */
  private static void removeOrphans(
      Env env, FileDisk disk, Dialer dialer, Consumer<String> log) throws IOException {
    // listed before the names are asked for: a strand is made after its name
    List<StrandId> strands = BlockFile.listStrands(disk);
    Set<Long> known = new HashSet<>();
    try (Link coordinator = dialer.coordinator()) {
      var request = new CoordinatorRequest.AskFiles();
      var reply =
          (CoordinatorReply.Files)
              coordinator.call(request, MemorySegment.NULL, env.deadlineAfter(ASK_NANOS));
      reply.files().stream().map(FileEntry::id).forEach(known::add);
    }
    for (StrandId strand : strands) {
      if (!known.contains(strand.fileId())) {
        log.accept("removes strand %d of file %d, which has no name any more"
            .formatted(strand.strand(), strand.fileId()));
        BlockFile.remove(disk, strand.fileId(), strand.strand());
      }
    }
  }

  /** Tells the coordinator that this node ends. Before the connections do. */
  void unregister() {
    registration.close();
  }

  @Override
  public void close() throws IOException {
    Closing.closeAll(inOrder);
  }

  @Override
  public String toString() {
    return Dialer.nameOfNode(number);
  }
}
