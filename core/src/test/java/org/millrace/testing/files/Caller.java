package org.millrace.testing.files;

import java.util.List;
import org.millrace.error.MillraceException;

/**
 * Whom a session acts for.
 *
 * @param name of the user
 * @param groups of the user, the usual one first
 * @param administrator whether no permission is needed
 */
record Caller(String name, List<String> groups, boolean administrator) {

  static final int READ = 4;
  static final int WRITE = 2;
  static final int SEARCH = 1;

  void require(MemoryNode node, int bits, Object what) throws MillraceException {
    int shift = node.owner.equals(name) ? 6 : groups.contains(node.group) ? 3 : 0;
    if (!administrator && (node.permissions >> shift & bits) != bits) {
      throw Refused.permission(
          what,
          "mode %o of %s does not allow it to %s".formatted(node.permissions, node.owner, name));
    }
  }

  void requireOwner(MemoryNode node, Object what) throws MillraceException {
    if (!administrator && !node.owner.equals(name)) {
      throw Refused.notOwner(what, "is not of " + name);
    }
  }

  void requireAdministrator(Object what, String why) throws MillraceException {
    if (!administrator) {
      throw Refused.notOwner(what, why);
    }
  }

  /** Writing to the directory, and, where it is sticky, owning it or what goes. */
  void requireRemoval(MemoryNode directory, MemoryNode node, Object what) throws MillraceException {
    require(directory, WRITE | SEARCH, what);
    boolean sticky = (directory.permissions & 01000) != 0;
    if (sticky && !directory.owner.equals(name)) {
      requireOwner(node, what);
    }
  }
}
