package org.millrace.coordinator;

import java.util.List;
import org.millrace.layout.Layout;

/**
 * One change of the tree of names, as stored in the journal. Names are relative to the parent's id,
 * so that a change does not depend on earlier renames.
 */
sealed interface NameChange {

  /** Ids below this one have been given away. Starts a journal that was written anew. */
  record Begin(long nextId) implements NameChange {}

  /** A directory is made. */
  record MakeDirectory(
      long id,
      long parent,
      String name,
      String owner,
      String group,
      int permissions,
      long createdMillis)
      implements NameChange {}

  /** A file is made. */
  record CreateFile(
      long id,
      long parent,
      String name,
      String owner,
      String group,
      int permissions,
      long createdMillis,
      boolean confirmed,
      Layout layout)
      implements NameChange {}

  /** All strands of a file are there; or that is taken back. */
  record Confirm(long id, boolean confirmed) implements NameChange {}

  /** A file or directory moves. */
  record Rename(long id, long parent, String name) implements NameChange {}

  /** A file or empty directory is removed. */
  record Remove(long id) implements NameChange {}

  /** Mode bits change. */
  record SetPermissions(long id, int permissions) implements NameChange {}

  /** The group changes. */
  record SetGroup(long id, String group) implements NameChange {}

  /** A file was removed, just before: nodes may have strands of it still. */
  record Gone(long id, Layout layout) implements NameChange {}

  /** Several in one step: all of them happen or none. None of them is of this kind. */
  record Together(List<NameChange> changes) implements NameChange {

    /** Keeps a copy. */
    public Together {
      changes = List.copyOf(changes);
    }
  }

  /**
   * A coordinator begins, or has ended in order.
   *
   * @param number of its life, one more than that of the life before
   * @param mark drawn at random: a life of the same number that began on an older copy of the
   *     journal has another
   * @param ended whether it has ended: no session of it can come back
   */
  record Life(long number, long mark, boolean ended) implements NameChange {

    /** Before the first. */
    static final Life NONE = new Life(0, 0, true);
  }

  /** All nodes have removed the strands of a removed file. */
  record Forget(long id) implements NameChange {}

  /** A node has started, so many times now. */
  record NodeEpoch(int node, long epoch) implements NameChange {}
}
