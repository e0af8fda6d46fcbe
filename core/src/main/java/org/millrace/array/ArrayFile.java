package org.millrace.array;

import java.util.function.Supplier;
import org.millrace.access.Geometry;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.FileAccess;
import org.millrace.client.SharedFile;
import org.millrace.plan.Hints;

/**
 * The open file of an array, and how accesses of the array are carried out. Immutable.
 *
 * @param file the file
 * @param hints asked for when a call begins
 */
record ArrayFile(SharedFile file, Supplier<Hints> hints) {

  /** A rank's way to nothing. */
  FileAccess nothing() {
    return file.through(View.EMPTY).withHints(hints.get());
  }

  /** A rank's way to a part of the array, from a position of the part on. */
  FileAccess through(Geometry array, Pattern part, long position) {
    return file.through(array, part).at(position).withHints(hints.get());
  }

  /** A rank's way to what a view shows, from a position of it on. */
  FileAccess through(View view, long position) {
    return file.through(view).at(position).withHints(hints.get());
  }

  FileAccess refusing(RuntimeException reason) {
    return file.all().refusing(reason).withHints(hints.get());
  }

  String path() {
    return file.path();
  }
}
