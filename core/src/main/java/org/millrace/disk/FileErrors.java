package org.millrace.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.millrace.error.DiskFullException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Converts the JDK's file errors to Millrace's. */
final class FileErrors {

  private static final long NO_ROOM_BYTES = 4096;

  private FileErrors() {}

  /** The error for {@code cause}, which came when {@code what} was tried on {@code path}. */
  static MillraceException of(Path path, String what, Exception cause) {
    if (cause instanceof MillraceException e) {
      return e;
    }
    String message = path + ": " + what + ": " + cause.getMessage();
    if (isFull(path, cause)) {
      DiskFullException full = new DiskFullException(message + " (the disk is full)");
      full.initCause(cause);
      return full;
    }
    return new MillraceException(ErrorCode.DISK, message, cause);
  }

  /**
   * The JDK gives no error number, and its text is in the language of the user: so ask the file
   * system as well.
   */
  private static boolean isFull(Path path, Exception cause) {
    String text = String.valueOf(cause.getMessage());
    if (text.contains("No space left") || text.contains("quota exceeded")) {
      return true;
    }
    try {
      return Files.getFileStore(path).getUsableSpace() < NO_ROOM_BYTES;
    } catch (IOException e) {
      cause.addSuppressed(e);
      return false;
    }
  }
}
