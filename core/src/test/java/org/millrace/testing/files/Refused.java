package org.millrace.testing.files;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;

/** The refusals of POSIX, each with its code: the one table of the fake. */
final class Refused {

  private Refused() {}

  static MillraceException missing(Object what) {
    return MillraceException.of(ErrorCode.NO_SUCH_NAME, what + ": no such file or directory");
  }

  static MillraceException exists(Object what) {
    return MillraceException.of(ErrorCode.NAME_EXISTS, what + ": exists");
  }

  static MillraceException notDirectory(Object what) {
    return MillraceException.of(ErrorCode.NOT_A_DIRECTORY, what + ": is no directory");
  }

  static MillraceException directory(Object what) {
    return MillraceException.of(ErrorCode.IS_DIRECTORY, what + ": is a directory");
  }

  static MillraceException notEmpty(Object what) {
    return MillraceException.of(ErrorCode.NOT_EMPTY, what + ": directory is not empty");
  }

  static MillraceException permission(Object what, String why) {
    return MillraceException.of(ErrorCode.NOT_PERMITTED, what + ": " + why);
  }

  static MillraceException notOwner(Object what, String why) {
    return MillraceException.of(ErrorCode.NOT_OWNER, what + ": " + why);
  }

  static MillraceException noAttribute(Object what, String name) {
    return MillraceException.of(ErrorCode.NO_ATTRIBUTE, what + ": no attribute " + name);
  }

  static MillraceException tooLarge(Object what, String why) {
    return MillraceException.of(ErrorCode.TOO_LARGE, what + ": " + why);
  }

  static MillraceException invalid(Object what, String why) {
    return MillraceException.of(ErrorCode.INVALID, what + ": " + why);
  }

  static MillraceException tooManyLinks(FilePath path) {
    return MillraceException.of(ErrorCode.LOOP, path + ": more than 40 symbolic links");
  }

  static MillraceException longName(FilePath path) {
    return MillraceException.of(ErrorCode.NAME_TOO_LONG, path + ": a name has more than 255 bytes");
  }

  static MillraceException closed(Object what) {
    return MillraceException.of(ErrorCode.CLOSED, what + " is closed");
  }
}
