package org.millrace.disk;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.SYNC;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The folder in a cluster's directory for files that live as long as its processes: sockets, pid
 * files, logs, the coordinator's address. Its files are small texts that are replaced as a whole.
 *
 * <p>Immutable; safe for use by several threads and processes. Nothing to close.
 */
public final class RunFolder {

  private static final String OWNER_ONLY = "rwx------";
  private static final String ENTERED_BY_ALL = "rwxr-xr-x";
  private static final String USED_BY_ALL = "rw-rw-rw-";
  private static final int MAX_BYTES = 4096;
  private static final int SHORT_NAME_DIGITS = 16;

  private final Path folder;
  private final boolean shared;

  private RunFolder(Path folder, boolean shared) {
    this.folder = folder;
    this.shared = shared;
  }

  /** The folder of the cluster in {@code directory}, for reading; it need not be there. */
  public static RunFolder of(Path directory) {
    return new RunFolder(directory.toAbsolutePath().normalize().resolve("run"), false);
  }

  /**
   * The folder of the cluster in {@code directory}, which is made if it is missing.
   *
   * @param shared whether users other than the owner may connect to sockets in it
   */
  public static RunFolder make(Path directory, boolean shared) throws IOException {
    Path folder = of(directory).folder;
    makeFolder(folder, shared);
    return new RunFolder(folder, shared);
  }

  /** A folder for sockets of processes that have no cluster's directory, made for this user. */
  public static RunFolder ofUser() throws IOException {
    return ofUser(temporary());
  }

  static RunFolder ofUser(Path temporary) throws IOException {
    String user = System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9_-]", "_");
    return new RunFolder(makeInSharedParent(temporary, "millrace-" + user, false), false);
  }

  /**
   * A folder of this user in a parent that all users share: of this name or, if another user was
   * first, of a random one.
   */
  private static Path makeInSharedParent(Path parent, String name, boolean shared)
      throws IOException {
    Path folder = parent.resolve(name);
    try {
      makeFolder(folder, shared);
      return folder;
    } catch (MillraceException e) {
      try {
        return Files.createTempDirectory(
            parent,
            name + "-",
            PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString(shared ? ENTERED_BY_ALL : OWNER_ONLY)));
      } catch (IOException second) {
        e.addSuppressed(second);
        throw e;
      }
    }
  }

  private static Path temporary() {
    return Path.of(System.getProperty("java.io.tmpdir", "/tmp")).toAbsolutePath();
  }

  private static void makeFolder(Path folder, boolean shared) throws IOException {
    var rights = PosixFilePermissions.fromString(shared ? ENTERED_BY_ALL : OWNER_ONLY);
    try {
      Path parent = folder.getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      try {
        Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(rights));
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
          throw e;
        }
      }
      PosixFileAttributeView facts =
          Files.getFileAttributeView(
              folder, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      facts.setPermissions(rights);
      UserPrincipal owner = facts.readAttributes().owner();
      if (!owner.equals(ownUser(folder))) { // root may set anybody's modes
        throw new MillraceException(ErrorCode.NOT_PERMITTED, folder + " is user " + owner + "'s");
      }
    } catch (MillraceException e) {
      throw e;
    } catch (IOException e) {
      throw FileErrors.of(folder, "cannot make the folder, or it is another user's", e);
    }
  }

  /** To whom what this process makes belongs. */
  private static UserPrincipal ownUser(Path folder) throws IOException {
    Path probe = Files.createTempFile(folder, ".", "");
    try {
      return Files.getOwner(probe, LinkOption.NOFOLLOW_LINKS);
    } finally {
      Files.deleteIfExists(probe);
    }
  }

  /** Where it is. */
  public Path path() {
    return folder;
  }

  /** Where a file of this name is, or would be. */
  public Path file(String name) {
    return folder.resolve(DiskFileNames.require(name));
  }

  /**
   * Where a socket of this name goes: here, or, where that path has more than {@code maxBytes}
   * bytes, in a folder for temporary files whose name comes from this one's.
   */
  public Path socket(String name, int maxBytes) throws IOException {
    Path here = file(name);
    if (here.toString().getBytes(StandardCharsets.UTF_8).length <= maxBytes) {
      return here;
    }
    return makeInSharedParent(temporary(), "millrace-" + digest(folder.toString()), shared)
        .resolve(name);
  }

  private static String digest(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, SHORT_NAME_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Lets all users connect to a socket, if this folder is shared. */
  public void admit(Path socket) throws IOException {
    if (shared) {
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(USED_BY_ALL));
    }
  }

  /**
   * Writes a file: a reader meanwhile, and after a power loss, sees the old text or the new one.
   */
  public void write(String name, String text) throws IOException {
    Path file = file(name);
    Path fresh = folder.resolve("." + name + "." + ProcessHandle.current().pid());
    try {
      Files.writeString(fresh, text, CREATE, TRUNCATE_EXISTING, WRITE, SYNC);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(fresh);
      throw FileErrors.of(file, "cannot write", e);
    }
  }

  /**
   * The text of a file, if there is one. One without text counts as none: a power loss could leave
   * such a file behind where it was not forced.
   */
  public Optional<String> read(String name) throws IOException {
    Path file = file(name);
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw new MillraceException(
            ErrorCode.INVALID, file + " is not one of Millrace's: too long");
      }
      return Optional.of(Files.readString(file)).filter(RunFolder::hasText);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw FileErrors.of(file, "cannot read", e);
    }
  }

  private static boolean hasText(String text) {
    return text.chars().anyMatch(c -> c > ' ');
  }

  /** Removes a file; true if there was one. */
  public boolean delete(String name) throws IOException {
    try {
      return Files.deleteIfExists(file(name));
    } catch (IOException e) {
      throw FileErrors.of(file(name), "cannot delete", e);
    }
  }
}
