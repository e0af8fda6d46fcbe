package org.millrace;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.Disk;
import org.millrace.disk.DiskFile;
import org.millrace.disk.FileDisk;
import org.millrace.disk.PageCache;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The directory of a cluster in one JVM: {@code coordinator/}, {@code node-0/}, {@code node-1/} and
 * so on, each marked with the cluster's identity, and a lock against a second user.
 *
 * <pre>
 * file "identity", UTF-8, one line each:
 *   millrace 1                      what it is, version of this format
 *   cluster 6f1c...                 the same in all directories of a cluster
 *   node 3   |   coordinator of 4   which part this is; the coordinator says how many nodes there are
 * </pre>
 */
final class ClusterDirectory implements AutoCloseable {

  /** As number of nodes: as many as there are, and there must be some. */
  static final int KEEP = 0;

  private static final String IDENTITY = "identity";
  private static final String FORMAT = "millrace 1";

  // constant after construction
  private final DirectoryLock lock;
  private final FileDisk coordinator;
  private final List<Disk> nodes;

  private ClusterDirectory(DirectoryLock lock, FileDisk coordinator, List<Disk> nodes) {
    this.lock = lock;
    this.coordinator = coordinator;
    this.nodes = nodes;
  }

  Disk coordinator() {
    return coordinator;
  }

  List<Disk> nodes() {
    return nodes;
  }

  static ClusterDirectory open(Env env, Path directory, int wanted, PageCache pageCache)
      throws IOException {
    if (wanted != KEEP) {
      FileDisk.make(directory, FileDisk.Options.DEFAULT).close();
    }
    DirectoryLock lock = DirectoryLock.acquire(directory);
    List<AutoCloseable> made = new ArrayList<>();
    made.add(lock);
    try {
      FileDisk.Options how = new FileDisk.Options(pageCache);
      Path first = directory.resolve("coordinator");
      if (!FileDisk.isThere(first)) {
        checkCanBegin(directory, wanted);
      }
      FileDisk coordinator = FileDisk.make(first, FileDisk.Options.DEFAULT);
      made.addFirst(coordinator);
      Identity identity = identify(env, coordinator, directory, wanted);
      List<Disk> nodes = new ArrayList<>();
      for (int i = 0; i < identity.nodes; i++) {
        Path place = directory.resolve("node-" + i);
        FileDisk node = i < identity.had ? FileDisk.open(place, how) : FileDisk.make(place, how);
        made.addFirst(node);
        checkOrMark(node, identity.cluster, "node " + i, i < identity.had);
        nodes.add(node);
      }
      if (identity.nodes > identity.had) {
        forceNames(directory); // before the coordinator counts on the nodes
        mark(coordinator, identity.cluster, "coordinator of " + identity.nodes);
      }
      return new ClusterDirectory(lock, coordinator, List.copyOf(nodes));
    } catch (IOException | RuntimeException e) {
      for (AutoCloseable one : made) {
        closeQuietly(one, e);
      }
      throw e;
    }
  }

  /** Which cluster this is, how many nodes it had and shall have. */
  private record Identity(String cluster, int had, int nodes) {}

  private static Identity identify(Env env, Disk coordinator, Path directory, int wanted)
      throws IOException {
    if (!coordinator.exists(IDENTITY)) {
      checkCanBegin(directory, wanted);
      RandomGenerator random = env.random("cluster identity");
      String cluster = new UUID(random.nextLong(), random.nextLong()).toString();
      mark(
          coordinator,
          cluster,
          "coordinator of 0"); // known even if this is killed before the nodes are there
      return new Identity(cluster, 0, wanted);
    }
    List<String> lines = read(coordinator);
    String role = lines.get(2);
    if (!role.startsWith("coordinator of ")) {
      throw new MillraceException(
          ErrorCode.NODE, coordinator.name() + " is not a coordinator's but " + role);
    }
    int had = count(coordinator, role.substring("coordinator of ".length()));
    if (had == 0 && wanted == KEEP) {
      throw new MillraceException(
          ErrorCode.NODE, "the cluster in " + directory + " has no nodes yet");
    }
    return new Identity(lines.get(1), had, Math.max(wanted, had));
  }

  /**
   * A new cluster begins only where it was asked for, and never beside the nodes of one that lost
   * its coordinator.
   */
  private static void checkCanBegin(Path directory, int wanted) throws IOException {
    if (wanted == KEEP) {
      throw new MillraceException(ErrorCode.NODE, "there is no cluster in " + directory);
    }
    Path node = directory.resolve("node-0");
    if (!FileDisk.isThere(node)) {
      return;
    }
    try (FileDisk disk = FileDisk.open(node)) {
      if (disk.exists(IDENTITY)) {
        throw new MillraceException(
            ErrorCode.NODE,
            "%s is missing or has no file %s, but %s is there: it belongs to %s"
                .formatted(directory.resolve("coordinator"), IDENTITY, node, read(disk).get(1)));
      }
    }
  }

  private static int count(Disk coordinator, String text) throws MillraceException {
    if (!text.matches("[0-9]{1,9}")) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s: file %s says \"%s\", not how many nodes there are"
              .formatted(coordinator.name(), IDENTITY, text));
    }
    return Integer.parseInt(text);
  }

  private static void forceNames(Path directory) throws IOException {
    try (FileDisk names = FileDisk.open(directory)) {
      names.force();
    }
  }

  private static void checkOrMark(Disk disk, String cluster, String role, boolean mustBe)
      throws IOException {
    if (!mustBe && !disk.exists(IDENTITY)) {
      mark(disk, cluster, role);
      return;
    }
    if (!disk.exists(IDENTITY)) {
      throw new MillraceException(
          ErrorCode.NODE,
          disk.name() + " has no file " + IDENTITY + ": it is not a node's directory");
    }
    List<String> lines = read(disk);
    if (!lines.get(1).equals(cluster) || !lines.get(2).equals(role)) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s is foreign: it is %s of cluster %s, not %s of cluster %s"
              .formatted(disk.name(), lines.get(2), lines.get(1), role, cluster));
    }
  }

  private static List<String> read(Disk disk) throws IOException {
    try (DiskFile file = disk.open(IDENTITY)) {
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) Math.min(4096, file.size())]);
      file.read(0, bytes);
      String text = new String(bytes.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
      List<String> lines = text.lines().toList();
      if (lines.size() != 3
          || !lines.get(1).startsWith("cluster ")
          || !lines.get(0).equals(FORMAT)) {
        throw new MillraceException(
            ErrorCode.NODE, disk.name() + ": file " + IDENTITY + " is not of the form " + FORMAT);
      }
      return List.of(lines.get(0), lines.get(1).substring("cluster ".length()), lines.get(2));
    }
  }

  private static void mark(Disk disk, String cluster, String role) throws IOException {
    String text = FORMAT + "\ncluster " + cluster + "\n" + role + "\n";
    disk.delete(IDENTITY + ".new");
    try (DiskFile file = disk.create(IDENTITY + ".new")) {
      file.write(0, MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
      file.force();
    }
    disk.rename(IDENTITY + ".new", IDENTITY);
    disk.force();
  }

  private static void closeQuietly(AutoCloseable one, Exception e) {
    try {
      one.close();
    } catch (Exception suppressed) {
      e.addSuppressed(suppressed);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      for (Disk node : nodes) {
        node.close();
      }
      coordinator.close();
    } finally {
      lock.close();
    }
  }
}
