package org.millrace.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.millrace.client.PageCache;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The directory of a cluster: {@code coordinator/}, {@code node-0/}, {@code node-1/} and so on,
 * each marked with the cluster's identity, and each with a lock of its own: its parts may be used
 * by different processes, no part by two. Only their owner may read them: other readers would
 * bypass the permissions of Millrace's files. Stateless; the objects that it opens state their own
 * thread rules.
 */
public final class ClusterDirectory {

  /** As number of nodes: as many as there are, and there must be some. */
  public static final int KEEP = 0;

  private static final String COORDINATOR_OF = "coordinator of ";

  private ClusterDirectory() {}

  /** Whether there is a cluster in {@code directory}. */
  public static boolean isThere(Path directory) throws IOException {
    Path coordinator = directory.resolve("coordinator");
    if (!FileDisk.isThere(coordinator)) {
      return false;
    }
    try (FileDisk disk = FileDisk.open(coordinator)) {
      return disk.exists(IdentityFile.NAME);
    }
  }

  /**
   * A part of the directory, locked until it is closed.
   *
   * @param lock the exclusive right to it
   * @param disk what it holds
   * @param cluster identity of the cluster
   * @param places where the nodes' directories are, if this is the coordinator's part; else empty
   */
  public record Part(DirectoryLock lock, FileDisk disk, String cluster, String places)
      implements AutoCloseable {

    /** How many nodes the cluster has, if this is the coordinator's part. */
    public int nodes() {
      return places.length();
    }

    @Override
    public void close() throws IOException {
      try {
        disk.close();
      } finally {
        lock.close();
      }
    }
  }

  /**
   * All parts of a cluster in one JVM, the coordinator's first. Directories of nodes that never
   * were are made.
   */
  public static List<Part> openAll(Env env, Path directory, int wanted, PageCache pageCache)
      throws IOException {
    List<Part> parts = new ArrayList<>();
    try {
      Part coordinator = openCoordinator(env, directory, wanted);
      parts.add(coordinator);
      checkAllHere(directory, coordinator.places);
      for (int i = 0; i < coordinator.nodes(); i++) {
        boolean mayMake = coordinator.places.charAt(i) == StoredPlaces.UNKNOWN;
        parts.add(openNode(directory, i, coordinator.cluster, mayMake, pageCache));
      }
      String here = ("" + StoredPlaces.HERE).repeat(coordinator.nodes());
      if (!coordinator.places.equals(here)) {
        IdentityFile.ofCoordinator(coordinator.cluster, here).write(coordinator.disk);
      }
      return List.copyOf(parts);
    } catch (IOException | RuntimeException e) {
      parts.reversed().forEach(one -> closeQuietly(one, e));
      throw e;
    }
  }

  private static void checkAllHere(Path directory, String places) throws MillraceException {
    if (places.indexOf(StoredPlaces.REMOVED) >= 0) {
      throw new MillraceException(
          ErrorCode.NODE,
          "nodes were removed from the cluster in %1$s, so its processes must run: millrace up --dir %1$s"
              .formatted(directory));
    }
    int away = places.indexOf(StoredPlaces.ELSEWHERE);
    if (away >= 0) {
      throw new MillraceException(
          ErrorCode.NODE,
          "node %s of the cluster in %s has its directory elsewhere: start coordinator and nodes,"
                  .formatted(away, directory)
              + " the cluster cannot be used without");
    }
  }

  /**
   * The coordinator's part. A cluster that is not there is begun, and one that has fewer than
   * {@code wanted} nodes has so many from now on. Their directories are their own to make: they may
   * be elsewhere.
   */
  public static Part openCoordinator(Env env, Path directory, int wanted) throws IOException {
    Path place = directory.resolve("coordinator");
    if (!FileDisk.isThere(place)) {
      checkCanBegin(directory, wanted);
    }
    if (CoordinatorGroup.read(directory).isPresent()) {
      throw new MillraceException(
          ErrorCode.NODE,
          "the cluster in %1$s has several coordinators, and cannot be used without them: start"
                  .formatted(directory)
              + " them with: millrace up --dir "
              + directory);
    }
    return locked(
        directory,
        "coordinator",
        true,
        FileDisk.Options.DEFAULT,
        (lock, disk) -> {
          IdentityFile identity = identify(env, disk, directory, wanted);
          return new Part(lock, disk, identity.cluster(), identity.places());
        });
  }

  /**
   * The part of one of several coordinators.
   *
   * @param cluster the cluster's identity, which all of them know
   * @param mayMake whether it is made if it is missing: nobody has been this coordinator before
   */
  public static Part openMember(
      Path directory, int number, String cluster, boolean mayMake, int wanted) throws IOException {
    String part = CoordinatorGroup.nameOf(number);
    boolean there = isMemberThere(directory, number);
    if (!there && !mayMake) {
      throw new MillraceException(
          ErrorCode.NODE,
          ("%1$s is lost or elsewhere, and what it knew cannot come back under its number: let another"
                  + " take its place with: millrace coordinators replace %2$s")
              .formatted(directory.resolve(part), number));
    }
    if (FileDisk.isThere(directory.resolve("coordinator"))) {
      throw new MillraceException(
          ErrorCode.NODE,
          "the cluster in %s has one coordinator alone; begin one with several in another directory"
              .formatted(directory));
    }
    return locked(
        directory,
        part,
        true,
        FileDisk.Options.DEFAULT,
        (lock, disk) -> {
          String known = there ? places(disk, IdentityFile.read(disk)) : "";
          int more = Math.max(0, wanted - known.length());
          if (known.isEmpty() && more == 0) {
            throw new MillraceException(
                ErrorCode.NODE, "the cluster in " + directory + " has no nodes yet; give --nodes");
          }
          var identity =
              IdentityFile.ofCoordinator(cluster, known + ("" + StoredPlaces.UNKNOWN).repeat(more));
          if (there && !IdentityFile.read(disk).cluster().equals(cluster)) {
            throw new MillraceException(
                ErrorCode.NODE, disk.name() + " is of another cluster, or the secret is");
          }
          if (more > 0) {
            identity.write(disk);
          }
          return new Part(lock, disk, cluster, identity.places());
        });
  }

  /** Whether one of several coordinators has its part in {@code directory}. */
  public static boolean isMemberThere(Path directory, int number) throws IOException {
    Path place = directory.resolve(CoordinatorGroup.nameOf(number));
    if (!FileDisk.isThere(place)) {
      return false;
    }
    try (FileDisk disk = FileDisk.open(place)) {
      return disk.exists(IdentityFile.NAME);
    }
  }

  /**
   * The part of node {@code number}.
   *
   * @param mayMake whether it is made if it is missing: nobody has been this node before
   */
  public static Part openNode(
      Path directory, int number, String cluster, boolean mayMake, PageCache pageCache)
      throws IOException {
    Path place = directory.resolve("node-" + number);
    if (!mayMake && !FileDisk.isThere(place)) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s is not there, but node %s had a directory before: it is elsewhere, or lost"
              .formatted(place, number));
    }
    return locked(
        directory,
        "node-" + number,
        mayMake,
        new FileDisk.Options(pageCache.readsPast(), pageCache.writesPast()),
        (lock, disk) -> {
          IdentityFile identity = IdentityFile.ofNode(cluster, number);
          if (mayMake && !disk.exists(IdentityFile.NAME)) {
            identity.write(disk);
            forceNames(directory); // before the coordinator counts on it
          }
          check(disk, identity);
          return new Part(lock, disk, cluster, "");
        });
  }

  /** What is done with a part as soon as it is locked. */
  private interface Opening {
    Part open(DirectoryLock lock, FileDisk disk) throws IOException;
  }

  private static Part locked(
      Path directory, String part, boolean make, FileDisk.Options diskOptions, Opening opening)
      throws IOException {
    Path place = directory.resolve(part);
    List<AutoCloseable> made = new ArrayList<>();
    try {
      FileDisk disk = make ? FileDisk.make(place, diskOptions) : FileDisk.open(place, diskOptions);
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

  /** Which cluster this is, with as many nodes as are wanted. */
  private static IdentityFile identify(Env env, Disk coordinator, Path directory, int wanted)
      throws IOException {
    String cluster;
    String places = "";
    if (coordinator.exists(IdentityFile.NAME)) {
      IdentityFile said = IdentityFile.read(coordinator);
      cluster = said.cluster();
      places = places(coordinator, said);
    } else {
      checkCanBegin(directory, wanted);
      RandomGenerator random = env.random("cluster identity");
      cluster = new UUID(random.nextLong(), random.nextLong()).toString();
    }
    if (places.isEmpty() && wanted == KEEP) {
      throw new MillraceException(
          ErrorCode.NODE, "the cluster in " + directory + " has no nodes yet");
    }
    int more = Math.max(0, wanted - places.length());
    var identity =
        IdentityFile.ofCoordinator(cluster, places + ("" + StoredPlaces.UNKNOWN).repeat(more));
    if (more > 0) {
      identity.write(coordinator);
    }
    if (more > 0 && !places.isEmpty()) {
      Warnings.log(
          List.of(
              "the cluster in %s had %s nodes and has %s from now on; files that it holds stay where they are"
                  .formatted(directory, places.length(), wanted)));
    }
    return identity;
  }

  /** Before places were kept all directories were made beside the coordinator's. */
  static String places(Disk coordinator, IdentityFile said) throws MillraceException {
    if (!said.role().startsWith(COORDINATOR_OF)) {
      throw new MillraceException(
          ErrorCode.NODE, coordinator.name() + " is not a coordinator's but " + said.role());
    }
    int nodes = count(coordinator, said.role().substring(COORDINATOR_OF.length()));
    if (said.places().isEmpty()) {
      return ("" + StoredPlaces.HERE).repeat(nodes);
    }
    if (said.places().length() != nodes) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s: file %s says where %s nodes are, of %s"
              .formatted(coordinator.name(), IdentityFile.NAME, said.places().length(), nodes));
    }
    return said.places();
  }

  /**
   * A new cluster begins only where it was asked for, and never beside the nodes of one that lost
   * its coordinator.
   */
  private static void checkCanBegin(Path directory, int wanted) throws IOException {
    if (wanted == KEEP) {
      throw new MillraceException(ErrorCode.NODE, "there is no cluster in " + directory);
    }
    for (int i = 0; i < wanted; i++) {
      Path node = directory.resolve("node-" + i);
      if (!FileDisk.isThere(node)) {
        continue;
      }
      try (FileDisk disk = FileDisk.open(node)) {
        if (disk.exists(IdentityFile.NAME)) {
          throw new MillraceException(
              ErrorCode.NODE,
              "%s is missing or has no file %s, but %s is there: it belongs to %s"
                  .formatted(
                      directory.resolve("coordinator"),
                      IdentityFile.NAME,
                      node,
                      IdentityFile.read(disk).cluster()));
        }
      }
    }
  }

  private static int count(Disk coordinator, String text) throws MillraceException {
    if (!text.matches("[0-9]{1,9}")) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s: file %s says \"%s\", not how many nodes there are"
              .formatted(coordinator.name(), IdentityFile.NAME, text));
    }
    return Integer.parseInt(text);
  }

  private static void forceNames(Path directory) throws IOException {
    try (FileDisk names = FileDisk.open(directory)) {
      names.force();
    }
  }

  private static void check(Disk disk, IdentityFile expected) throws IOException {
    if (!disk.exists(IdentityFile.NAME)) {
      throw new MillraceException(
          ErrorCode.NODE,
          disk.name() + " has no file " + IdentityFile.NAME + ": it is not a node's directory");
    }
    IdentityFile said = IdentityFile.read(disk);
    if (!said.equals(expected)) {
      throw new MillraceException(
          ErrorCode.NODE,
          "%s is foreign: it is %s of cluster %s, not %s of cluster %s"
              .formatted(
                  disk.name(), said.role(), said.cluster(), expected.role(), expected.cluster()));
    }
  }

  private static void closeQuietly(AutoCloseable one, Exception e) {
    try {
      one.close();
    } catch (Exception suppressed) {
      e.addSuppressed(suppressed);
    }
  }
}
