package org.millrace.coordinator;

import java.util.List;
import java.util.Optional;
import org.millrace.files.FileKind;
import org.millrace.layout.CopySet;
import org.millrace.layout.Layout;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.NodeUse;

/**
 * One change of the tree of names, as stored in the journal. Names are relative to the parent's id,
 * so that a change does not depend on earlier renames.
 *
 * <p>{@link MakeDirectory}, {@link CreateFile}, {@link Rename}, {@link Remove}, {@link
 * SetPermissions} and {@link SetGroup} are in journals of earlier versions only: they know nothing
 * of times, nor of several names of a file.
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

    /** Changes nothing. */
    static final Together NOTHING = new Together(List.of());

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

  /**
   * The strands of a file have copies, all in sync.
   *
   * @param id the file's
   * @param copies how many nodes hold each strand; 0 if that is taken back
   * @param spread over how many nodes they are dealt
   * @param epoch of their sets
   */
  record Copied(long id, int copies, int spread, long epoch) implements NameChange {}

  /** The copies of one strand of a file are these. */
  record StrandCopies(long id, int strand, CopySet set) implements NameChange {}

  /** New files in a directory get so many copies; 0: as the directory above says. */
  record DirectoryCopies(long id, int copies) implements NameChange {}

  /** What a node owns has this epoch at least: it has started, and forgot what was not durable. */
  record NodeSince(int node, long epoch) implements NameChange {}

  /**
   * A node is lost: the next copy in sync, on a node that is not down, owns each strand that the
   * lost one did.
   *
   * @param node the lost one
   * @param epoch of the new sets
   * @param down nodes that cannot take over
   */
  record NodeLost(int node, long epoch, List<Integer> down) implements NameChange {

    /** Keeps a copy. */
    public NodeLost {
      down = List.copyOf(down);
    }
  }

  /** What a node is for from now on; one that no record names is used. */
  record NodeState(int node, NodeUse use) implements NameChange {}

  /** These strands of a file are lost, and no others. */
  record StrandsLost(long id, List<Integer> strands) implements NameChange {

    /** Keeps a copy. */
    public StrandsLost {
      strands = List.copyOf(strands);
    }
  }

  /**
   * The disk of a node is lost for good, and an empty one takes its place: all copies that it held
   * are missing, and strands of which no other node has a copy in sync are lost.
   */
  record NodeReplaced(int node, long epoch) implements NameChange {}

  /** A strand of a file without copies is on another node. */
  record StrandMoved(long id, int strand, int node) implements NameChange {}

  /**
   * A change that was written together with this was asked for, and is answered so: in case the
   * asker never hears it.
   *
   * @param asker a session; or a group, as {@link Answers#ofGroup} says it
   * @param request the number of its request, or of its synchronizing call
   * @param heard the asker has heard all answers below this number
   * @param answer the answer
   */
  record Answered(long asker, long request, long heard, KeptAnswer answer) implements NameChange {}

  /** An asker has heard all answers below a number, or will never ask again. */
  record Heard(long asker, long below) implements NameChange {

    /** The asker has ended. */
    static Heard all(long asker) {
      return new Heard(asker, Long.MAX_VALUE);
    }
  }

  /** As {@link NodeLost}, taken back. */
  record NodeLostAt(int node, long epoch) implements NameChange {}

  /** Something is made, without a name yet. */
  record Make(
      long id,
      FileKind kind,
      String owner,
      String group,
      int permissions,
      Stamps stamps,
      boolean confirmed,
      Optional<Layout> layout,
      String target,
      long device)
      implements NameChange {

    /** Of what is neither a file nor a link nor a device. */
    static Make of(
        long id, FileKind kind, String owner, String group, int permissions, Stamps stamps) {
      return new Make(id, kind, owner, group, permissions, stamps, true, Optional.empty(), "", 0);
    }

    /** The same with another id. */
    Make withId(long other) {
      return new Make(
          other, kind, owner, group, permissions, stamps, confirmed, layout, target, device);
    }

    /** The same, as a file. */
    Make withLayout(Layout of, boolean isConfirmed) {
      return new Make(
          id,
          FileKind.FILE,
          owner,
          group,
          permissions,
          stamps,
          isConfirmed,
          Optional.of(of),
          target,
          device);
    }
  }

  /**
   * Something gets a name; a directory only if it has none.
   *
   * @param at when, in nanoseconds since 1970; {@link Stamps#UNTIMED} if that changes no times
   */
  record Link(long id, long parent, String name, long at) implements NameChange {}

  /** A name goes. What it stood for stays, if without names. */
  record Unlink(long parent, String name, long at) implements NameChange {}

  /** A name changes. */
  record Move(long parent, String name, long toParent, String toName, long at)
      implements NameChange {}

  /** Two names are exchanged. */
  record Exchange(long parent, String name, long otherParent, String otherName, long at)
      implements NameChange {}

  /** What has no name, and no names in it, goes. */
  record Drop(long id) implements NameChange {}

  /**
   * All attributes are these now.
   *
   * @param owner the owner; empty for the superuser's root
   */
  record SetAttributes(long id, String owner, String group, int permissions, Stamps stamps)
      implements NameChange {}

  /** An extended attribute is this now, or goes. */
  record SetExtended(long id, String name, Optional<Bytes> value, long at) implements NameChange {}
}
