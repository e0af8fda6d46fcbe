package org.millrace.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.millrace.coordinator.NodePlaces;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.Disk;
import org.millrace.disk.FileDisk;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * Where the nodes' directories are, kept in the coordinator's identity file: a letter for each
 * node. One that registers is here if it holds the lock of its directory beside the coordinator's.
 *
 * <pre>
 *   h   here, beside the coordinator's      e   elsewhere, so one here would be another
 *   -   the node never came: the first process that is this node makes its directory
 *   r   the node was removed for good
 *
 *   - --first registers--> h or e      h --moved away, registers--> e      e --moved here--> h
 * </pre>
 *
 * <p>Guarded by the coordinator's lock.
 */
public final class StoredPlaces implements NodePlaces {

  static final char HERE = 'h';
  static final char ELSEWHERE = 'e';
  static final char UNKNOWN = '-';
  static final char REMOVED = 'r';

  private static final String SETTING = "node-places";

  // constant after construction
  private final Path directory;
  private final Disk disk;
  private final String cluster;

  // guarded by the coordinator's lock
  private String places;

  /**
   * What is known so far.
   *
   * @param directory of the cluster
   * @param disk the coordinator's
   */
  public StoredPlaces(Path directory, Disk disk, String cluster, String places) {
    this.directory = directory;
    this.disk = disk;
    this.cluster = cluster;
    this.places = places;
  }

  @Override
  public void onRegistered(int node) throws MillraceException {
    String part = "node-" + node;
    try {
      boolean here = DirectoryLock.holderOfPart(directory, part).isPresent();
      Path place = directory.resolve(part);
      if (!here && at(node) == HERE && FileDisk.isThere(place)) {
        throw new MillraceException(
            ErrorCode.NODE,
            "node %s has its directory %s here, so another's is not its; move that away first"
                .formatted(node, place));
      }
      char now = here ? HERE : ELSEWHERE;
      set(node, now);
    } catch (IOException e) {
      throw MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  /** Another coordinator may have heard of the node that this one does not know. */
  private char at(int node) {
    return node < places.length() ? places.charAt(node) : UNKNOWN;
  }

  private void set(int node, char place) throws IOException {
    String padded = places + ("" + UNKNOWN).repeat(Math.max(0, node + 1 - places.length()));
    String changed = padded.substring(0, node) + place + padded.substring(node + 1);
    if (!changed.equals(places)) {
      IdentityFile.ofCoordinator(cluster, changed).write(disk);
      places = changed;
    }
  }

  @Override
  public void onAdded(int node) throws MillraceException {
    change(node, UNKNOWN);
  }

  @Override
  public void onRemoved(int node) throws MillraceException {
    change(node, REMOVED);
  }

  private void change(int node, char place) throws MillraceException {
    try {
      set(node, place);
    } catch (IOException e) {
      throw MillraceException.wrap(ErrorCode.DISK, e);
    }
  }

  @Override
  public Map<String, String> asSettings() {
    return Map.of(SETTING, places);
  }

  /** What two coordinators of one cluster know together: each has heard of some nodes. */
  static String joined(String one, String other) {
    StringBuilder both = new StringBuilder();
    for (int node = 0; node < Math.max(one.length(), other.length()); node++) {
      char first = node < one.length() ? one.charAt(node) : UNKNOWN;
      char second = node < other.length() ? other.charAt(node) : UNKNOWN;
      String known = "" + REMOVED + HERE + ELSEWHERE + UNKNOWN; // what counts most goes first
      both.append(known.indexOf(first) < known.indexOf(second) ? first : second);
    }
    return both.toString();
  }

  /** Whether a node that has no directory may make one: this node never existed. */
  public static boolean mayMake(Map<String, String> settings, int node) {
    String said = settings.getOrDefault(SETTING, "");
    return node >= said.length() || said.charAt(node) == UNKNOWN; // an added one is new
  }

  /** The nodes whose directories are not where the coordinator's is. */
  static List<Integer> elsewhere(Map<String, String> settings) {
    String said = settings.getOrDefault(SETTING, "");
    return IntStream.range(0, said.length())
        .filter(node -> said.charAt(node) == ELSEWHERE)
        .boxed()
        .toList();
  }
}
