package org.millrace.nio;

import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Mode bits as sets of permissions, and back. Stateless. */
final class Permissions {

  private static final int RIGHTS = 0777;

  private Permissions() {}

  static Set<PosixFilePermission> of(int mode) {
    Set<PosixFilePermission> found = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission one : PosixFilePermission.values()) {
      if ((mode & bit(one)) != 0) {
        found.add(one);
      }
    }
    return found;
  }

  static int bits(Set<PosixFilePermission> permissions) {
    return permissions.stream().mapToInt(Permissions::bit).reduce(0, (a, b) -> a | b);
  }

  /** The other mode bits as they were, with these rights. */
  static int with(int mode, Set<PosixFilePermission> permissions) {
    return (mode & ~RIGHTS) | bits(permissions);
  }

  @SuppressWarnings("EnumOrdinal") // in the order of the bits: owner, group, others; r, w, x
  private static int bit(PosixFilePermission one) {
    return 0400 >> one.ordinal();
  }

  /** The mode bits that attributes of something new ask for, or the usual ones. */
  static int initial(int usual, FileAttribute<?>... attributes) {
    int bits = usual;
    for (FileAttribute<?> one : attributes) {
      if (!one.name().equals("posix:permissions") || !(one.value() instanceof Set<?> given)) {
        throw new UnsupportedOperationException(
            "attribute '" + one.name() + "' of a new file; known is posix:permissions");
      }
      Set<PosixFilePermission> all = EnumSet.noneOf(PosixFilePermission.class);
      given.forEach(permission -> all.add((PosixFilePermission) permission));
      bits = bits(all);
    }
    return bits;
  }
}
