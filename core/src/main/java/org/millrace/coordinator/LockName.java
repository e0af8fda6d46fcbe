package org.millrace.coordinator;

import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.protocol.FileLockName;

/**
 * The subject of a lock. Files belong to the cluster, so their locks are shared by all groups that
 * have the file open, and only these may request them. All other names belong to a formed group and
 * the groups split from it, and never conflict with equal names of other groups. Immutable.
 *
 * @param root the formed group whose name it is; 0 if it is the cluster's
 * @param name as it was requested; of a file without the strands, which each request has of its own
 */
record LockName(long root, String name) {

  /**
   * What {@code member} means by a name.
   *
   * @throws MillraceException NOT_PERMITTED if it is a file that its group does not have open
   */
  static LockName of(GroupMember member, String name) throws MillraceException {
    Quotas.checkLength(name, Quotas.LOCK_NAME_CHARS, "the name of a lock");
    Optional<FileLockName> file = FileLockName.parse(name);
    if (file.isEmpty()) {
      return new LockName(member.group.root, name);
    }
    long id = file.get().file();
    if (member.group.opens.values().stream().noneMatch(open -> open.file() == id)) {
      throw new MillraceException(
          ErrorCode.NOT_PERMITTED,
          member + " may not lock file " + id + ", which its group does not have open");
    }
    return new LockName(0, file.get().fileText());
  }

  /** The name of a lock that a member may have requested before. */
  static LockName requested(GroupMember member, String name) {
    return FileLockName.parse(name)
        .map(file -> new LockName(0, file.fileText()))
        .orElse(new LockName(member.group.root, name));
  }

  /** The file that it is of. */
  Optional<Long> file() {
    return FileLockName.parse(name).map(FileLockName::file);
  }
}
