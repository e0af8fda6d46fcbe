package org.millrace.server;

import java.io.IOException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Errors as statuses of HTTP. Stateless. */
final class Statuses {

  static final int OK = 200;
  static final int CREATED = 201;
  static final int NO_CONTENT = 204;
  static final int PARTIAL = 206;
  static final int SEE_OTHER = 303;
  static final int NOT_MODIFIED = 304;
  static final int BAD_REQUEST = 400;
  static final int UNAUTHORIZED = 401;
  static final int FORBIDDEN = 403;
  static final int NOT_FOUND = 404;
  static final int METHOD_NOT_ALLOWED = 405;
  static final int CONFLICT = 409;
  static final int PRECONDITION_FAILED = 412;
  static final int TOO_LARGE = 413;
  static final int NOT_SATISFIABLE = 416;
  private static final int LOCKED = 423;
  private static final int INTERNAL = 500;
  private static final int NOT_IMPLEMENTED = 501;
  static final int UNAVAILABLE = 503;
  private static final int TIMEOUT = 504;
  private static final int NO_ROOM = 507;

  private Statuses() {}

  static int of(IOException e) {
    return switch (e) {
      case Refusal refusal -> refusal.status();
      case MillraceException failure -> of(failure.code());
      default -> INTERNAL;
    };
  }

  /** What clients tell errors apart by. */
  static String code(IOException e) {
    return switch (e) {
      case Refusal refusal -> "HTTP_" + refusal.status();
      case MillraceException failure -> failure.code().name();
      default -> ErrorCode.UNKNOWN.name();
    };
  }

  private static int of(ErrorCode code) {
    return switch (code) {
      case INVALID, NAME_TOO_LONG -> BAD_REQUEST;
      case NO_SUCH_NAME, NO_ATTRIBUTE -> NOT_FOUND;
      case NOT_PERMITTED, NOT_OWNER -> FORBIDDEN;
      case NAME_EXISTS,
          WRONG_KIND,
          IS_DIRECTORY,
          NOT_A_DIRECTORY,
          NOT_EMPTY,
          LOOP,
          TOO_MANY_LINKS,
          IN_USE ->
          CONFLICT;
      case TOO_LARGE -> TOO_LARGE;
      case LOCKED, DEADLOCK -> LOCKED;
      case UNSUPPORTED -> NOT_IMPLEMENTED;
      case DEADLINE -> TIMEOUT;
      case DISK_FULL -> NO_ROOM;
      case CLOSED, NODE, UNKNOWN, RESTARTED, REFUSED, MOVED -> UNAVAILABLE;
      case DISK, CORRUPT, LOST, PROTOCOL, MIXED_CALL, RANK_FAILED -> INTERNAL;
    };
  }
}
