package org.millrace.heritage.kotz;

import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** A file was to be written as another type than the one it was made with. */
public final class WrongFileTypeException extends MillraceException {

  private static final long serialVersionUID = 1;

  WrongFileTypeException(String path, FileType made, String asked) {
    super(
        ErrorCode.INVALID,
        "%s was made as a %s and can be written only as such, not as a %s"
            .formatted(path, made, asked));
  }
}
