package org.millrace.sim.history;

import java.util.List;

/** What a client asks, of names, sizes and shared pointers. */
public sealed interface Call {

  /** Makes a file that must not be there; answered with its id, or -1 if the name is taken. */
  record Create(String name, long id) implements Call {}

  /** Removes a file; answered with 1, or -1 if there is none. */
  record Remove(String name) implements Call {}

  /**
   * Renames a file, over one that has the new name if need be; answered with 1, or -1 if there is
   * none of the old name.
   */
  record Rename(String from, String to) implements Call {}

  /**
   * Renames a file, over nothing; answered with 1, with -1 if there is none of the old name, else
   * with -2 if there is one of the new name.
   */
  record Move(String from, String to) implements Call {}

  /** Asks for the id of a file; -1 if there is none. */
  record Stat(String name) implements Call {}

  /** Sets a size; answered with it. */
  record Resize(long file, long size) implements Call {}

  /** Asks for a size. */
  record Size(long file) implements Call {}

  /** Moves a shared pointer on; answered with where it was. */
  record Take(long pointer, long delta) implements Call {}

  /** Sets a shared pointer; answered with the value. */
  record Seek(long pointer, long value) implements Call {}

  /** Asks where a shared pointer is. */
  record At(long pointer) implements Call {}

  /** Whether it may change something. */
  default boolean changes() {
    return !(this instanceof Stat || this instanceof Size || this instanceof At);
  }

  /** What it may read or change. */
  default List<String> keys() {
    return switch (this) {
      case Create it -> names(it.name);
      case Remove it -> names(it.name);
      case Stat it -> names(it.name);
      case Rename it -> names(it.from, it.to);
      case Move it -> names(it.from, it.to);
      case Resize it -> List.of("size " + it.file);
      case Size it -> List.of("size " + it.file);
      case Take it -> List.of("pointer " + it.pointer);
      case Seek it -> List.of("pointer " + it.pointer);
      case At it -> List.of("pointer " + it.pointer);
    };
  }

  private static List<String> names(String... all) {
    return List.of(all).stream().map(name -> "name " + name).toList();
  }
}
