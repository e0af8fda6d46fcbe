package org.millrace.sim.history;

import java.util.List;

/** What a client asks, of names, sizes and shared pointers. */
public sealed interface Call {

  /** What it may read or change. */
  List<String> keys();

  /** Makes a file that must not be there; answered with its id, or -1 if the name is taken. */
  record Create(String name, long id) implements Call {
    @Override
    public List<String> keys() {
      return List.of("name " + name);
    }
  }

  /** Removes a file; answered with 1, or -1 if there is none. */
  record Remove(String name) implements Call {
    @Override
    public List<String> keys() {
      return List.of("name " + name);
    }
  }

  /**
   * Renames a file, over one that has the new name if need be; answered with 1, or -1 if there is
   * none of the old name.
   */
  record Rename(String from, String to) implements Call {
    @Override
    public List<String> keys() {
      return List.of("name " + from, "name " + to);
    }
  }

  /**
   * Renames a file, over nothing; answered with 1, with -1 if there is none of the old name, else
   * with -2 if there is one of the new name.
   */
  record Move(String from, String to) implements Call {
    @Override
    public List<String> keys() {
      return List.of("name " + from, "name " + to);
    }
  }

  /** Asks for the id of a file; -1 if there is none. */
  record Stat(String name) implements Call {
    @Override
    public List<String> keys() {
      return List.of("name " + name);
    }
  }

  /** Sets a size; answered with it. */
  record Resize(long file, long size) implements Call {
    @Override
    public List<String> keys() {
      return List.of("size " + file);
    }
  }

  /** Asks for a size. */
  record Size(long file) implements Call {
    @Override
    public List<String> keys() {
      return List.of("size " + file);
    }
  }

  /** Moves a shared pointer on; answered with where it was. */
  record Take(long pointer, long delta) implements Call {
    @Override
    public List<String> keys() {
      return List.of("pointer " + pointer);
    }
  }

  /** Sets a shared pointer; answered with the value. */
  record Seek(long pointer, long value) implements Call {
    @Override
    public List<String> keys() {
      return List.of("pointer " + pointer);
    }
  }

  /** Asks where a shared pointer is. */
  record At(long pointer) implements Call {
    @Override
    public List<String> keys() {
      return List.of("pointer " + pointer);
    }
  }
}
