package org.millrace.heritage.elio;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import org.millrace.client.Rank;

/**
 * Finds out whether all ranks see the same folder: one of them makes a file there, and the others
 * look. A folder that this rank may not write to is the same if its attributes are. Stateless.
 */
public final class SharedFolder {

  private static final String NOT_MADE = "";

  private SharedFolder() {}

  /**
   * Whether the folder that {@code path} names is one that all ranks share. A path without a folder
   * names none. Collective: all must give the same path.
   */
  public static boolean holds(Rank rank, String path) throws IOException {
    Optional<Path> folder = folder(path);
    boolean here = folder.isPresent() && Files.isDirectory(folder.get());
    if (rank.allGather(here ? 1 : 0).contains(0L)) {
      return false;
    }
    Path there = folder.orElseThrow();
    Probe probe = rank.number() == 0 ? Probe.make(there) : new Probe(Optional.empty());
    try {
      String made = text(rank.broadcast(0, bytes(probe.name())));
      if (made.equals(NOT_MADE)) {
        return isAlikeEverywhere(rank, there);
      }
      return !rank.allGather(Files.exists(there.resolve(made)) ? 1 : 0).contains(0L);
    } finally {
      probe.remove();
    }
  }

  private static Optional<Path> folder(String path) {
    try {
      return Optional.ofNullable(Path.of(path).getParent());
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** A file that says by being seen that the folder is the same. */
  private record Probe(Optional<Path> file) {

    static Probe make(Path folder) {
      try {
        return new Probe(Optional.of(Files.createTempFile(folder, ".shared", ".probe")));
      } catch (IOException e) {
        return new Probe(Optional.empty()); // not writable: the ranks compare what they see of it
      }
    }

    String name() {
      return file.map(made -> made.getFileName().toString()).orElse(NOT_MADE);
    }

    void remove() throws IOException {
      if (file.isPresent()) {
        Files.deleteIfExists(file.get());
      }
    }
  }

  private static boolean isAlikeEverywhere(Rank rank, Path folder) throws IOException {
    String seen;
    try {
      BasicFileAttributes facts = Files.readAttributes(folder, BasicFileAttributes.class);
      seen = facts.fileKey() + " " + facts.lastModifiedTime();
    } catch (IOException e) {
      seen = "not to be seen by " + rank; // and so not alike
    }
    List<byte[]> all = rank.allGather(bytes(seen));
    return all.stream().map(SharedFolder::text).distinct().count() == 1;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
