package org.millrace.nio;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.millrace.error.MillraceException;

/** Says in the words of {@code java.nio.file} what the cluster refused. Stateless. */
final class Errors {

  private Errors() {}

  /** The exception that programs expect; it has ours as its cause. */
  static IOException of(String path, IOException e) {
    if (!(e instanceof MillraceException ours)) {
      return e;
    }
    String reason = ours.getMessage();
    FileSystemException told =
        switch (ours.code()) {
          case NO_SUCH_NAME -> new NoSuchFileException(path, null, reason);
          case NAME_EXISTS -> new FileAlreadyExistsException(path, null, reason);
          case NOT_EMPTY -> new DirectoryNotEmptyException(path);
          case NOT_A_DIRECTORY -> new NotDirectoryException(path);
          case NOT_PERMITTED, NOT_OWNER, REFUSED -> new AccessDeniedException(path, null, reason);
          case LOOP -> new FileSystemLoopException(path);
          default -> new FileSystemException(path, null, reason);
        };
    told.initCause(ours);
    return told;
  }
}
