package org.millrace.cli.daemons;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.millrace.disk.RunFolder;

/**
 * The console that {@code millrace up} starts beside the daemons: how it says where it is. Files in
 * the run folder: {@code console.pid}, {@code console.address} with its address and the file of its
 * token, and {@code console.link}, which its owner alone can read and which goes with the first
 * reader.
 *
 * <p>Used by one thread. Closing takes the files away.
 */
public final class ConsoleDaemon implements AutoCloseable {

  /** Its name among the daemons. */
  public static final String NAME = "console";

  private static final String ADDRESS = "console.address";
  private static final String LINK = "console.link";

  private final RunFolder folder;

  private ConsoleDaemon(RunFolder folder) {
    this.folder = folder;
  }

  /** Says that this process is the console. */
  public static ConsoleDaemon begin(Path directory, String url, String link, Path tokenFile)
      throws IOException {
    RunFolder folder = RunFolder.of(directory);
    Path file = folder.file(LINK);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, link + "\n");
    folder.write(ADDRESS, url + "\n" + tokenFile + "\n");
    new PidFile(folder, NAME).write(); // last: who sees it may read the others
    return new ConsoleDaemon(folder);
  }

  /** What to tell people of a console that runs; nothing until it has begun. */
  static Optional<String> lines(Path directory) throws IOException {
    RunFolder folder = RunFolder.of(directory);
    Optional<String> said = folder.read(ADDRESS);
    if (said.isEmpty() || new PidFile(folder, NAME).process().isEmpty()) {
      return Optional.empty();
    }
    List<String> address = said.get().lines().toList();
    Optional<String> link = folder.read(LINK);
    folder.delete(LINK);
    return Optional.of(
        link.isPresent()
            ? "Console: %s (good once, within ten minutes; later with the token in %s)"
                .formatted(link.get().strip(), address.getLast())
            : "Console: %s, with the token in %s".formatted(address.getFirst(), address.getLast()));
  }

  @Override
  public void close() throws IOException {
    folder.delete(LINK);
    folder.delete(ADDRESS);
    new PidFile(folder, NAME).delete();
  }
}
