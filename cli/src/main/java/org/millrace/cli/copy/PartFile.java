package org.millrace.cli.copy;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.millrace.cli.terminal.Shown;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NameExistsException;

/**
 * A local file in the making: its name ends in {@code .part} until it is whole. So whenever a
 * command ends, the name itself stands for the whole old file, for the whole new one, or for
 * nothing. Stateless.
 */
final class PartFile {

  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  /** What fills it. */
  interface Filling {
    /** Fills the file, durably; returns the permissions that it shall have. */
    int fill(Path part) throws IOException;
  }

  private PartFile() {}

  /** Makes a file; if that fails nothing is left of it. */
  static void make(Path target, boolean replace, Filling filling) throws IOException {
    if (Files.isDirectory(target)) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, target + " is a folder, and a file cannot take its place");
    }
    if (!replace && Files.exists(target)) {
      throw new NameExistsException(target + " exists; -f replaces it");
    }
    Path part = target.resolveSibling(target.getFileName() + ".part");
    try {
      // two who get the same file must not mix their bytes; and nobody else reads it meanwhile
      Files.createFile(part, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException(
          part
              + " exists: another get of this file is running or was interrupted; if none is running, remove it");
    }
    try {
      setMode(part, filling.fill(part));
      name(part, target, replace);
    } catch (IOException | RuntimeException e) {
      try {
        Files.deleteIfExists(part);
      } catch (IOException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  private static void setMode(Path part, int permissions) throws IOException {
    String mode = Shown.mode(false, permissions).substring(1);
    Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(mode));
  }

  /** A file of that name that somebody made meanwhile stays, if nothing is to be replaced. */
  private static void name(Path part, Path target, boolean replace) throws IOException {
    if (replace) {
      Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
      return;
    }
    try {
      Files.createLink(target, part);
    } catch (FileAlreadyExistsException e) {
      throw new NameExistsException(target + " has come meanwhile; -f replaces it");
    } catch (UnsupportedOperationException | FileSystemException e) {
      Files.move(part, target); // a file system without links: this checks, if not in one step
      return;
    }
    Files.delete(part);
  }
}
