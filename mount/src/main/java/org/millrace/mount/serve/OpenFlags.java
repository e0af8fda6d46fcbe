package org.millrace.mount.serve;

import java.util.EnumSet;
import java.util.Set;
import org.millrace.files.FileTree.Opening;
import org.millrace.mount.fuse.Flags;

/** The flags of open(2), as a tree knows them. */
final class OpenFlags {

  static final Set<Opening> NEW_FILE = Set.of(Opening.WRITE, Opening.EXCLUSIVE);

  private OpenFlags() {}

  static Set<Opening> of(int flags) {
    Set<Opening> how = EnumSet.noneOf(Opening.class);
    int access = flags & Flags.File.ACCESS;
    if (access != Flags.File.WRITE) {
      how.add(Opening.READ);
    }
    boolean truncates = (flags & Flags.File.TRUNCATE) != 0;
    if (access != 0 || truncates) { // the kernel keeps reading descriptors from writing
      how.add(Opening.WRITE);
    }
    if (truncates) {
      how.add(Opening.TRUNCATE);
    }
    return how;
  }

  /** As {@link #of}, for a file that is made. */
  static Set<Opening> making(int flags) {
    Set<Opening> how = of(flags);
    how.add((flags & Flags.File.EXCLUSIVE) != 0 ? Opening.EXCLUSIVE : Opening.CREATE);
    return how;
  }
}
