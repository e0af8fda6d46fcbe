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
 * The directory of a cluster: {@code coordinator/}, {@code node-0/}, {@code node-1/} and so on,
 * each marked with the cluster's identity, and each with a lock of its own: its parts may be used
 * by different processes, no part by two. They are their owner's alone: whoever could read them
 * would read past the modes of Millrace's files. Stateless; what it opens says who may use it.
 *
 * <pre>
 * file "identity", UTF-8, one line each:
 *   millrace 1                      what it is, version of this format
 *   cluster 6f1c...                 the same in all directories of a cluster
 *   node 3   |   coordinator of 4   which part this is; the coordinator says how many nodes there are
 * </pre>
 */
final class ClusterDirectory {

  /** As number of nodes: as many as there are, and there must be some. */
  static final int KEEP = 0;

  private static final String IDENTITY = "identity";
  private static final String FORMAT = "millrace 1";

  private ClusterDirectory() {}

  /**
   * A part of the directory, which nobody else uses until it is closed.
   *
   * @param lock the exclusive right to it
   * @param disk what it holds
   * @param cluster identity of the cluster
   * @param nodes how many nodes the cluster has, if this is the coordinator's part; else 0
   */
  record Part(DirectoryLock lock, FileDisk disk, String cluster, int nodes)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try {
        disk.close();
      } finally {
        lock.close();
      }
    }
  }

  /** All parts of a cluster in one JVM, the coordinator's first. */
  static List<Part> openAll(Env env, Path directory, int wanted, PageCache pageCache)
      throws IOException {
    List<Part> parts = new ArrayList<>();
    try {
      Part coordinator = openCoordinator(env, directory, wanted);
      parts.add(coordinator);
      for (int i = 0; i < coordinator.nodes; i++) {
        parts.add(openNode(directory, i, coordinator.cluster, pageCache));
      }
      return List.copyOf(parts);
    } catch (IOException | RuntimeException e) {
      parts.reversed().forEach(one -> closeQuietly(one, e));
      throw e;
    }
  }

  /**
   * The coordinator's part. A cluster that is not there is begun, and one that has fewer than
   * {@code wanted} nodes gets directories for more.
   */
  static Part openCoordinator(Env env, Path directory, int wanted) throws IOException {
    Path place = directory.resolve("coordinator");
    if (!FileDisk.isThere(place)) {
      checkCanBegin(directory, wanted);
    }
    return locked(
        directory,
        "coordinator",
        true,
        FileDisk.Options.DEFAULT,
        (lock, disk) -> {
          Identity identity = identify(env, disk, directory, wanted);
          for (int i = identity.had; i < identity.nodes; i++) {
            Path node = directory.resolve("node-" + i);
            try (FileDisk fresh = FileDisk.make(node, FileDisk.Options.DEFAULT)) {
              checkOrMark(fresh, identity.cluster, "node " + i, false);
            }
          }
          if (identity.nodes > identity.had) {
            forceNames(directory); // before the coordinator counts on the nodes
            mark(disk, identity.cluster, "coordinator of " + identity.nodes);
          }
          return new Part(lock, disk, identity.cluster, identity.nodes);
        });
  }

  /**
   * The part of node {@code number}. It must be there if the coordinator's part is in the same
   * directory, which has made it; else it is made.
   */
  static Part openNode(Path directory, int number, String cluster, PageCache pageCache)
      throws IOException {
    boolean mustBe = FileDisk.isThere(directory.resolve("coordinator"));
    return locked(
        directory,
        "node-" + number,
        !mustBe,
        new FileDisk.Options(pageCache),
        (lock, disk) -> {
          checkOrMark(disk, cluster, "node " + number, mustBe);
          return new Part(lock, disk, cluster, 0);
        });
  }

  /** What is done with a part as soon as it is locked. */
  private interface Opening {
    Part open(DirectoryLock lock, FileDisk disk) throws IOException;
  }

  private static Part locked(
      Path directory, String part, boolean make, FileDisk.Options how, Opening opening)
      throws IOException {
    Path place = directory.resolve(part);
    List<AutoCloseable> made = new ArrayList<>();
    try {
      FileDisk disk = make ? FileDisk.make(place, how) : FileDisk.open(place, how);
      made.add(disk);
      DirectoryLock lock = DirectoryLock.acquirePart(directory, part);
      made.add(lock);
      disk.restrictToOwner(); // it may have been made before that was the rule
      return opening.open(lock, disk);
    } catch (IOException | RuntimeException e) {
      made.forEach(one -> closeQuietly(one, e));
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
}
