package org.millrace.hadoop;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.security.AccessControlException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Says in Hadoop's exceptions what the cluster refused. Stateless. */
final class Errors {

  private Errors() {}

  /** The error of a call that looks for a path; it has ours as its cause. */
  static IOException of(Path path, IOException e) {
    if (!(e instanceof MillraceException ours)) {
      return e;
    }
    String text = path + ": " + ours.getMessage();
    return switch (ours.code()) {
      case NO_SUCH_NAME, NOT_A_DIRECTORY, IS_DIRECTORY ->
          because(new FileNotFoundException(text), ours);
      case NAME_EXISTS -> because(new FileAlreadyExistsException(text), ours);
      case NOT_EMPTY -> because(new PathIsNotEmptyDirectoryException(path.toString()), ours);
      case NOT_PERMITTED, NOT_OWNER, REFUSED -> because(new AccessControlException(text), ours);
      default -> e;
    };
  }

  /** The error of a call that makes something at a path. */
  static IOException ofMaking(Path path, IOException e) {
    String text = path + ": " + e.getMessage();
    return switch (code(e)) {
      case NOT_A_DIRECTORY -> because(new ParentNotDirectoryException(text), e);
      case IS_DIRECTORY -> because(new FileAlreadyExistsException(text), e);
      default -> of(path, e);
    };
  }

  /** Why the cluster refused; INVALID for an error that is not the cluster's. */
  static ErrorCode code(IOException e) {
    return e instanceof MillraceException ours ? ours.code() : ErrorCode.INVALID;
  }

  private static IOException because(IOException told, IOException cause) {
    told.initCause(cause);
    return told;
  }
}
