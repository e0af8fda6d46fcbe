package org.millrace.coordinator;

import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/**
 * The subject of a lock. Files belong to the cluster, so their locks are shared by all groups that
 * have the file open, and only these may request them. All other names belong to a formed group and
 * the groups split from it, and never conflict with equal names of other groups. Immutable.
 *
 * @param root the formed group whose name it is; 0 if it is the cluster's
 * @param name as it was requested
 */
record LockName(long root, String name) {

  private static final String FILE = "file ";
  private static final int MAX_DIGITS = 18;

  /**
   * What {@code member} means by a name.
   *
   * @throws MillraceException NOT_PERMITTED if it is a file that its group does not have open
   */
  static LockName of(GroupMember member, String name) throws MillraceException {
    Quotas.checkLength(name, Quotas.LOCK_NAME_CHARS, "the name of a lock");
    Optional<Long> file = file(name);
    if (file.isEmpty()) {
      return new LockName(member.group.root, name);
    }
    if (member.group.opens.values().stream().noneMatch(open -> open.file() == file.get())) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          member + " may not lock file " + file.get() + ", which its group does not have open");
    }
    return new LockName(0, name);
  }

  /** The name of a lock that a member may have requested before. */
  static LockName requested(GroupMember member, String name) {
    return new LockName(file(name).isPresent() ? 0 : member.group.root, name);
  }

  /** The file that it is of. */
  Optional<Long> file() {
    return file(name);
  }

  private static Optional<Long> file(String name) {
    if (!name.startsWith(FILE)) {
      return Optional.empty();
    }
    String digits = name.substring(FILE.length());
    boolean isNumber =
        !digits.isEmpty()
            && digits.length() <= MAX_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    return isNumber ? Optional.of(Long.parseLong(digits)) : Optional.empty();
  }
}
