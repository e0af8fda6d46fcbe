package org.millrace.array;

import java.util.function.Supplier;
import org.millrace.access.View;
import org.millrace.client.SharedFile;
import org.millrace.client.Through;
import org.millrace.plan.Hints;

/**
 * The open file of an array, and how accesses of the array are carried out. Immutable.
 *
 * @param file the file
 * @param hints asked for when a call begins
 */
record ArrayFile(SharedFile file, Supplier<Hints> hints) {

  Through through(View view) {
    return through(view, 0);
  }

  Through through(View view, long position) {
    return file.through(view, position).withHints(hints.get());
  }

  Through refusing(RuntimeException why) {
    return file.refusing(why).withHints(hints.get());
  }

  String path() {
    return file.path();
  }
}
