package org.millrace.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.millrace.coordinator.StoredLog;
import org.millrace.coordinator.StoredNames;
import org.millrace.disk.BlockFile;
import org.millrace.disk.DirectoryLock;
import org.millrace.disk.FileDisk;
import org.millrace.disk.OverlayDisk;
import org.millrace.disk.StrandKey;
import org.millrace.disk.StrandLog;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Copies;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;

/**
 * Reads everything in the directory of a cluster that does not run: the coordinator's journal, and
 * what is on the disks of all nodes. It recovers as coordinator and nodes would, on overlays in
 * memory, so that nothing in the directory changes but the locks that it holds meanwhile.
 *
 * <p>For one thread. Closing gives the directory back.
 */
public final class ClusterCheck implements AutoCloseable {

  /** Told of progress. */
  public interface Progress {
    /** A strand was read. */
    void onStrand();
  }

  private static final int SMALL_BYTES = 4096; // what is larger is in files whatever this says

  // constant after construction
  private final Env env;
  private final Path directory;
  private final List<AutoCloseable> open = new ArrayList<>(); // the last first
  private final StoredNames names;
  private final Map<Integer, StrandLog> logs = new TreeMap<>();
  private final Map<Integer, OverlayDisk> disks = new TreeMap<>();
  private final List<FileProblem> problems = new ArrayList<>();

  private ClusterCheck(
      Env env, Path directory, Optional<CoordinatorGroup> group, StoredLog.Reader logReader)
      throws IOException {
    this.env = env;
    this.directory = directory;
    try {
      Stored stored = group.isPresent() ? ofGroup(group.get(), logReader) : ofOne();
      this.names = stored.names;
      openNodes(stored.cluster, stored.places);
    } catch (IOException | RuntimeException e) {
      Closing.closeAfter(open, e);
      throw e;
    }
  }

  /**
   * Opens the directory of a cluster.
   *
   * @param logReader reads the logs of several coordinators, if there are
   * @throws MillraceException IN_USE if a process of the cluster runs; CORRUPT if the journal
   *     cannot be read; INVALID if most of several coordinators have their directories elsewhere
   */
  public static ClusterCheck open(Env env, Path directory, StoredLog.Reader logReader)
      throws IOException {
    Optional<CoordinatorGroup> group = CoordinatorGroup.read(directory);
    if (group.isEmpty() && !ClusterDirectory.isThere(directory)) {
      throw new MillraceException(ErrorCode.NODE, "there is no cluster in " + directory);
    }
    return new ClusterCheck(env, directory, group, logReader);
  }

  /** What coordinators have stored. */
  private record Stored(String cluster, String places, StoredNames names) {}

  private Stored ofOne() throws IOException {
    OverlayDisk coordinator = overlay("coordinator");
    IdentityFile identity = IdentityFile.read(coordinator);
    return new Stored(
        identity.cluster(),
        ClusterDirectory.places(coordinator, identity),
        StoredNames.read(coordinator));
  }

  private Stored ofGroup(CoordinatorGroup group, StoredLog.Reader logReader) throws IOException {
    List<StoredLog> logs = new ArrayList<>();
    String cluster = "";
    String places = "";
    for (CoordinatorGroup.Member member : group.members()) {
      if (ClusterDirectory.isMemberThere(directory, member.number())) {
        IdentityFile identity = IdentityFile.read(overlay(member.name()));
        cluster = identity.cluster();
        places = StoredPlaces.joined(places, identity.places());
        try {
          logs.add(logReader.read(cluster, directory.resolve(member.name())));
        } catch (IOException e) {
          problems.add(FileProblem.ofNode(-1, member.name() + ": " + e.getMessage()));
        }
      }
    }
    if (2 * logs.size() <= group.members().size()) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "the names of the cluster in %s are kept by %s coordinators, and the logs of %s can be read here: what the others know may be newer. Bring most of them together, or start them and use millrace scrub"
              .formatted(directory, group.members().size(), logs.size()));
    }
    return new Stored(cluster, places, StoredNames.of(Collections.max(logs)));
  }

  private OverlayDisk overlay(String part) throws IOException {
    try {
      open.addFirst(DirectoryLock.acquirePart(directory, part));
    } catch (MillraceException e) {
      if (e.code() != ErrorCode.IN_USE) {
        throw e;
      }
      throw new MillraceException(
          ErrorCode.IN_USE,
          "%s. A cluster that runs is checked by millrace scrub; millrace stop ends it"
              .formatted(e.getMessage()),
          e);
    }
    FileDisk disk = FileDisk.open(directory.resolve(part));
    open.addFirst(disk);
    OverlayDisk over = new OverlayDisk(disk);
    open.addFirst(over);
    return over;
  }

  private void openNodes(String cluster, String places) throws IOException {
    for (int node = 0; node < places.length(); node++) {
      String part = "node-" + node;
      char place = places.charAt(node);
      if (names.isRemoved(node)) {
        continue;
      }
      if (FileDisk.isThere(directory.resolve(part))) {
        openNode(node, overlay(part), cluster);
      } else if (place == StoredPlaces.HERE) {
        problem(node, directory.resolve(part) + " is missing; millrace nodes replace " + node);
      } else if (place == StoredPlaces.ELSEWHERE) {
        problem(node, "its directory is elsewhere, and was not checked");
      }
    }
  }

  private void openNode(int node, OverlayDisk disk, String cluster) {
    try {
      IdentityFile said = IdentityFile.read(disk);
      if (!said.equals(IdentityFile.ofNode(cluster, node))) {
        problem(
            node,
            "its directory is foreign: it is %s of %s".formatted(said.role(), said.cluster()));
        return;
      }
      StrandLog log = new StrandLog(env, disk, SMALL_BYTES, true, _ -> {});
      open.addFirst(log);
      log.load();
      log.begin(names.nodeEpoch(node), names.runs());
      logs.put(node, log);
      disks.put(node, disk);
    } catch (IOException e) {
      problem(node, String.valueOf(e.getMessage()));
    }
  }

  private void problem(int node, String what) {
    problems.add(FileProblem.ofNode(node, what));
  }

  /** How many strands there are to read. */
  public long strands() {
    return names.files().stream().mapToLong(file -> file.layout().orElseThrow().strands()).sum();
  }

  /** How many files there are. */
  public int files() {
    return names.files().size();
  }

  /** Reads everything; returns what is wrong. */
  public List<FileProblem> run(Progress progress) throws IOException {
    List<FileProblem> found = new ArrayList<>(problems);
    Map<StrandKey, List<Integer>> holders = new HashMap<>();
    for (FileEntry file : names.files()) {
      Layout layout = file.layout().orElseThrow();
      for (int s = 0; s < layout.strands(); s++) {
        var check = new StrandCheck(file, s, names.copies(file.id(), s), logs);
        holders.put(new StrandKey(file.id(), s), check.holders());
        check.run(found);
        progress.onStrand();
      }
    }
    addStrays(holders, found);
    return found;
  }

  private void addStrays(Map<StrandKey, List<Integer>> holders, List<FileProblem> found)
      throws IOException {
    Map<Long, FileEntry> files =
        names.files().stream().collect(Collectors.toMap(FileEntry::id, Function.identity()));
    for (Map.Entry<Integer, StrandLog> one : logs.entrySet()) {
      int node = one.getKey();
      StrandLog.Content content = one.getValue().content();
      TreeSet<StrandKey> there = new TreeSet<>(content.inFiles());
      there.addAll(content.small());
      OverlayDisk disk = disks.get(node);
      if (disk != null) {
        there.addAll(BlockFile.listStrands(disk));
      }
      there.removeIf(id -> holders.getOrDefault(id, List.of()).contains(node));
      there.removeIf(id -> names.gone().contains(id.fileId()));
      for (StrandKey id : there) {
        Optional<FileEntry> file = Optional.ofNullable(files.get(id.fileId()));
        String what =
            file.isPresent()
                ? "is left over there: the file has it on another node"
                : Copies.numberOf(id.fileId()) >= names.nextId()
                    ? "belongs to a file that the journal has not heard of: the journal has lost its end"
                    : "belongs to no file";
        found.add(
            FileProblem.of(
                file,
                id.fileId(),
                id.strand(),
                node,
                0,
                Long.MAX_VALUE,
                false,
                "the strand " + what));
      }
    }
  }

  @Override
  public void close() throws IOException {
    Closing.closeAll(open);
  }
}
