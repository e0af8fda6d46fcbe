package org.millrace.cli.campaign;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.layout.FileEntry;

/**
 * A directory of one writer: which names must be in it, with which mode bits. A change that was
 * under way when the power failed may have happened or not.
 *
 * <p>Belongs to its writer while that runs, then to the campaign's thread.
 */
final class NamesModel {

  private static final int MOST = 12;
  private static final int DIRECTORY = 1 << 20;

  private final String folder;
  private TreeMap<String, Integer> sure = new TreeMap<>();
  private TreeMap<String, Integer> maybe = sure;
  private long made;

  NamesModel(String folder) {
    this.folder = folder;
  }

  /** Makes the directory. */
  void begin(Rank rank) throws IOException {
    rank.names().makeDirectory(folder);
  }

  /** A random change; returns when it is acknowledged. */
  void change(Rank rank, RandomGenerator random) throws IOException {
    TreeMap<String, Integer> after = new TreeMap<>(sure);
    List<String> all = List.copyOf(sure.keySet());
    String one = all.isEmpty() ? "" : all.get(random.nextInt(all.size()));
    int what = all.isEmpty() ? 0 : all.size() >= MOST ? 1 : random.nextInt(5);
    String fresh = "n" + made++;
    FileNames names = rank.names();
    maybe = after;
    switch (what) {
      case 0 -> {
        after.put(fresh, 0600);
        try (SharedFile file =
            rank.open(path(fresh), OpenOptions.create().withPermissions(0600).withStrands(1))) {
          file.flush();
        }
      }
      case 1 -> {
        after.remove(one);
        names.remove(path(one));
      }
      case 2 -> {
        after.put(fresh, Objects.requireNonNull(after.remove(one), one));
        names.rename(path(one), path(fresh));
      }
      case 3 -> {
        int bits = 0600 | random.nextInt(64);
        after.merge(one, bits, (before, fresher) -> before & DIRECTORY | fresher);
        names.setPermissions(path(one), bits);
      }
      default -> {
        after.put(fresh, DIRECTORY);
        names.makeDirectory(path(fresh));
        int bits = names.stat(path(fresh)).permissions();
        after.put(fresh, DIRECTORY | bits);
      }
    }
    sure = after;
  }

  private String path(String name) {
    return folder + "/" + name;
  }

  /** Compares what there is with what there must be; findings go to the list. */
  void check(Rank rank, List<String> findings) throws IOException {
    TreeMap<String, Integer> found = new TreeMap<>();
    FileNames names = rank.names();
    for (String name : names.list(folder)) {
      String base = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
      FileEntry entry = names.stat(path(base));
      found.put(base, entry.permissions() | (entry.isDirectory() ? DIRECTORY : 0));
    }
    if (!isSame(found, sure) && !isSame(found, maybe)) {
      findings.add(
          "names of %s: found %s, must be %s%s"
              .formatted(folder, found, sure, maybe.equals(sure) ? "" : " or " + maybe));
    }
    sure = found;
    maybe = found;
  }

  /** Mode bits of a directory whose making was not answered are not known. */
  private static boolean isSame(Map<String, Integer> found, Map<String, Integer> expected) {
    return found.keySet().equals(expected.keySet())
        && found.entrySet().stream()
            .allMatch(
                e -> {
                  int wanted = expected.getOrDefault(e.getKey(), 0);
                  return e.getValue().equals(wanted)
                      || wanted == DIRECTORY && (e.getValue() & DIRECTORY) != 0;
                });
  }
}
