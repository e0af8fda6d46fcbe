package org.millrace.nio;

import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;
import org.millrace.files.FileTree.Opening;

/**
 * How a channel is opened. Immutable.
 *
 * @param options as the program gave them; without any a file is read
 * @param follow whether a link at the end of the path is followed
 */
record OpenRequest(Set<StandardOpenOption> options, boolean follow) {

  static OpenRequest of(Set<? extends OpenOption> given) {
    Set<StandardOpenOption> options = EnumSet.noneOf(StandardOpenOption.class);
    boolean follow = true;
    for (OpenOption one : given) {
      switch (one) {
        case StandardOpenOption standard -> options.add(standard);
        case LinkOption.NOFOLLOW_LINKS -> follow = false;
        case null -> throw new NullPointerException("an option is null");
        default -> throw new UnsupportedOperationException("option " + one + " of opening a file");
      }
    }
    boolean appends = options.contains(StandardOpenOption.APPEND);
    if (appends && options.contains(StandardOpenOption.READ)) {
      throw new IllegalArgumentException("READ and APPEND cannot be combined");
    }
    if (appends && options.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
      throw new IllegalArgumentException("APPEND and TRUNCATE_EXISTING cannot be combined");
    }
    return new OpenRequest(options, follow);
  }

  boolean has(StandardOpenOption option) {
    return options.contains(option);
  }

  boolean writes() {
    return has(StandardOpenOption.WRITE) || has(StandardOpenOption.APPEND);
  }

  boolean reads() {
    return has(StandardOpenOption.READ) || !writes();
  }

  boolean forces() {
    return has(StandardOpenOption.SYNC) || has(StandardOpenOption.DSYNC);
  }

  /** What the tree is asked for. */
  Set<Opening> opening() {
    Set<Opening> how = EnumSet.noneOf(Opening.class);
    if (reads()) {
      how.add(Opening.READ);
    }
    if (writes()) {
      how.add(Opening.WRITE);
      if (has(StandardOpenOption.CREATE_NEW)) {
        how.add(Opening.CREATE);
        how.add(Opening.EXCLUSIVE);
      } else if (has(StandardOpenOption.CREATE)) {
        how.add(Opening.CREATE);
      }
      if (has(StandardOpenOption.TRUNCATE_EXISTING)) {
        how.add(Opening.TRUNCATE);
      }
    }
    return how;
  }
}
