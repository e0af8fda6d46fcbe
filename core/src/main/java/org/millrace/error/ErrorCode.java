package org.millrace.error;

/**
 * What went wrong, as a closed list. The same codes travel in messages: the number of a code is
 * part of the protocol and is never given to another.
 */
public enum ErrorCode {
  /**
   * The call or its arguments are refused: an error of the caller that could be told only at the
   * other side.
   */
  INVALID(1),
  /** No file or directory of this name. */
  NO_SUCH_NAME(2),
  /** The name is taken. */
  NAME_EXISTS(3),
  /**
   * A directory where a file is needed, or the reverse, or a directory that is not empty; for
   * ranks. Programs that are no ranks are told which.
   */
  WRONG_KIND(4),
  /** Owner, group or mode do not allow it, or the file was not opened for it. */
  NOT_PERMITTED(5),
  /** The file, group or cluster is closed. */
  CLOSED(6),
  /** Ranks of a group called different things, or the same thing with different arguments. */
  MIXED_CALL(7),
  /** A rank died, threw or left while others needed it. */
  RANK_FAILED(8),
  /** The deadline passed; whether the operation took effect is unknown. */
  DEADLINE(9),
  /** Locks wait for each other in a circle. */
  DEADLOCK(10),
  /** A node is missing, foreign, closed or cannot be reached. */
  NODE(11),
  /** The disk is full. */
  DISK_FULL(12),
  /** The disk failed to read or write. */
  DISK(13),
  /** Stored bytes are not what was written. */
  CORRUPT(14),
  /** The directory belongs to a running cluster. */
  IN_USE(15),
  /** A message that does not follow the protocol. */
  PROTOCOL(16),
  /** The connection was lost; whether the operation took effect is unknown. */
  UNKNOWN(17),
  /** The server was restarted: what it had not made durable is gone. Open again. */
  RESTARTED(18),
  /** The connection was refused: version, credentials or limits. */
  REFUSED(19),
  /**
   * Another node serves the strand now, or this one may not for the moment: ask again where it is.
   */
  MOVED(20),
  /** A node was lost together with writes that nobody had made durable: write them again. */
  LOST(21),
  /** A directory where something else is needed. */
  IS_DIRECTORY(22),
  /** Something else where a directory is needed. */
  NOT_A_DIRECTORY(23),
  /** The directory has names in it. */
  NOT_EMPTY(24),
  /** Symbolic links lead in a circle, or there are too many on the way. */
  LOOP(25),
  /** A name or a path is too long. */
  NAME_TOO_LONG(26),
  /** A file has as many names as it can have. */
  TOO_MANY_LINKS(27),
  /** No extended attribute of this name. */
  NO_ATTRIBUTE(28),
  /** Another one has locked it. */
  LOCKED(29),
  /** Only the owner or the administrator may; or nobody, as with another name of a directory. */
  NOT_OWNER(30),
  /** It exists elsewhere but not here. */
  UNSUPPORTED(31),
  /** A value, or all of them together, are larger than can be kept. */
  TOO_LARGE(32);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The code with a number on the wire; {@link #PROTOCOL} for an unknown one. */
  public static ErrorCode of(int number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    return PROTOCOL;
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }
}
