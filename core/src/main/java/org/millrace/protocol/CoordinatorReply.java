package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Geometry;
import org.millrace.access.group.AccessRuns;
import org.millrace.access.group.Digest;
import org.millrace.access.group.Reach;
import org.millrace.files.ByteLock;
import org.millrace.files.FileStatus;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.message.Message;

/** Answers of the coordinator. */
public sealed interface CoordinatorReply extends Message {

  /** It is done. */
  record Done() implements CoordinatorReply {}

  /** A number. */
  record Value(long value) implements CoordinatorReply {}

  /**
   * A lock is granted.
   *
   * @param lock its number
   * @param unfinished it is a file's, of which a transaction is committed and perhaps not applied:
   *     apply it before anything else
   */
  record Locked(long lock, boolean unfinished) implements CoordinatorReply {}

  /** A group was formed. */
  record Group(long group, int size) implements CoordinatorReply {}

  /**
   * All ranks met.
   *
   * @param base where the taken range starts, for {@link Effect.Take}; the value set, for {@link
   *     Effect.Set}; as {@link Effect.Close} says; else 0
   * @param limit the largest limit that any rank gave, for {@link Effect.Take}; else 0
   * @param values all ranks' contributions, by rank; shared by all receivers and never changed
   * @param stamp as in {@link org.millrace.message.Endpoint#stamp}, when the effect had happened
   */
  record Met(long base, long limit, @ByRank List<Long> values, long stamp)
      implements CoordinatorReply {

    /** Of a meeting that concerned no pointer. */
    public Met(long base, long limit, List<Long> values) {
      this(base, limit, values, 0);
    }
  }

  /**
   * A pointer was set.
   *
   * @param value where it stands
   * @param stamp as in {@link org.millrace.message.Endpoint#stamp}
   */
  record Moved(long value, long stamp) implements CoordinatorReply {}

  /**
   * The coordinator knows what the session holds.
   *
   * @param passed pointers that stand elsewhere than the session saw them last: whether a move of
   *     it that was not answered has happened before others moved them on is not known
   */
  record Recalled(List<Long> passed) implements CoordinatorReply {}

  /**
   * What all ranks want.
   *
   * @param accesses by rank; shared by all receivers and never changed
   * @param reachable whether other threads may touch the memory of all
   * @param remote whether any rank reaches some of the file's strands in another process
   * @param reach how all ranks reach strands in other processes
   * @param size the largest that any rank knew of
   * @param array the array of which all ranks that want something named the same
   */
  record Exchanged(
      List<Access> accesses,
      boolean reachable,
      boolean remote,
      Reach reach,
      long size,
      Optional<Geometry> array)
      implements CoordinatorReply {

    /** What fewer ranks want takes little memory as it is. */
    private static final int MANY = 64;

    /** What all ranks want, from what each said, by rank. */
    public static Exchanged of(List<Effect.Exchange> all) {
      List<Access> accesses = new ArrayList<>(all.size());
      boolean reachable = true;
      boolean remote = false;
      Reach reach = Reach.KNOWN;
      long size = 0;
      for (Effect.Exchange one : all) {
        accesses.add(one.access());
        reachable &= one.reachable();
        remote |= one.remote();
        reach = reach.and(one.reach());
        size = Math.max(size, one.size());
      }
      List<Access> kept = all.size() < MANY ? List.copyOf(accesses) : AccessRuns.of(accesses);
      return new Exchanged(kept, reachable, remote, reach, size, commonArray(all));
    }

    /** The same of a file that has at least this size. */
    public Exchanged atLeast(long known) {
      return known <= size ? this : new Exchanged(accesses, reachable, remote, reach, known, array);
    }

    /** The array that all ranks which want something name alike; none if they do not. */
    private static Optional<Geometry> commonArray(List<Effect.Exchange> all) {
      Optional<Geometry> common = Optional.empty();
      boolean first = true;
      for (Effect.Exchange one : all) {
        if (!one.access().isEmpty()) {
          if (!first && !one.array().equals(common)) {
            return Optional.empty();
          }
          common = one.array();
          first = false;
        }
      }
      return common;
    }
  }

  /**
   * What all ranks want, where it is too irregular to be told to each of them.
   *
   * @param digest of it
   * @param reachable as in {@link Exchanged}, as are the others
   * @param remote whether any rank reaches some of the file's strands in another process
   * @param reach how all ranks reach strands in other processes
   * @param size the largest that any rank knew of
   * @param array the array of which all ranks that want something named the same
   */
  record Digested(
      Digest digest,
      boolean reachable,
      boolean remote,
      Reach reach,
      long size,
      Optional<Geometry> array)
      implements CoordinatorReply {}

  /**
   * A file is open for the group.
   *
   * @param open number of this open: the channel of its synchronizing calls
   * @param file the file's id
   * @param layout where its bytes live
   * @param confirmed false if nobody has yet said that its strands exist: make them, then confirm
   * @param created this open made the file
   * @param pointer key of the shared pointer of this open, at 0
   * @param endPointer key of the file's end-of-file pointer, in bytes of the file: those who append
   *     take their places there, through whichever open; at 0 where nobody has the file open
   * @param viewEndPointer key of this open's own, for those who append through a view that is not
   *     the whole file; at 0
   * @param capability what nodes in other processes want to see
   * @param unfinished a transaction of the file is committed and perhaps not applied: apply it
   * @param holder in whose name the receiver writes
   * @param copyEpoch no set of copies of the file's strands has a higher epoch now; 0 if they have
   *     none
   */
  record Opened(
      long open,
      long file,
      Layout layout,
      boolean confirmed,
      boolean created,
      long pointer,
      long endPointer,
      long viewEndPointer,
      Capability capability,
      boolean unfinished,
      Holder holder,
      long copyEpoch)
      implements CoordinatorReply {

    /** The same for another receiver. */
    public Opened heldBy(Holder other) {
      return new Opened(
          open,
          file,
          layout,
          confirmed,
          created,
          pointer,
          endPointer,
          viewEndPointer,
          capability,
          unfinished,
          other,
          copyEpoch);
    }
  }

  /**
   * The sender's new group and its rank there. If it has none: rank -1, and the first of the groups
   * that the others are in, or 0.
   */
  record Split(long group, int rank, int size) implements CoordinatorReply {}

  /** Names of a directory, sorted; directories end in {@code /}. */
  record Names(List<String> names) implements CoordinatorReply {}

  /** A file or directory. */
  record About(FileEntry entry) implements CoordinatorReply {}

  /** Files. */
  record Files(List<FileEntry> files) implements CoordinatorReply {}

  /**
   * The ranks of a group that have left, or that come no more because they regroup.
   *
   * @param gone why, by rank; a rank that is still there is missing
   */
  record Members(Map<Integer, String> gone) implements CoordinatorReply {}

  /** A wait. */
  record Waits(List<Wait> waits) implements CoordinatorReply {}

  /**
   * One waiting rank.
   *
   * @param group its group
   * @param rank its number there
   * @param call what it waits in, for people
   * @param sinceNanos since when, on the coordinator's clock
   * @param waitsFor whom it waits for, as "group/rank", sorted
   */
  record Wait(long group, int rank, String call, long sinceNanos, List<String> waitsFor) {}

  /**
   * All ranks of a job have come.
   *
   * @param group the group that they are now
   * @param inboxes where each rank listens, by rank
   */
  record Assembled(long group, List<String> inboxes) implements CoordinatorReply {}

  /**
   * The living ranks have formed a new group.
   *
   * @param group the new group
   * @param rank the receiver's number there
   * @param former the old number of each rank of the new group
   */
  record Regrouped(long group, int rank, List<Integer> former) implements CoordinatorReply {}

  /**
   * What a node should remove, and whom it should refuse.
   *
   * @param strands of files whose names are gone
   * @param revoked rights that are taken back, each told once while the node is registered
   * @param epoch the coordinator's
   * @param fences holders of this epoch that write no more: those that the node has not yet said to
   *     be done with, in the order of their numbers
   * @param nowMillis the coordinator's date, on which capabilities are checked
   * @param returned sessions of earlier epochs that have come back, and go on writing; all others
   *     of those write no more. None while they may still come back
   * @param lostEpoch when strands that the node owned were last given to other nodes, as the epoch
   *     of copies: it owns none that it opened before
   * @param rebuilds whether copies of strands that it owns are missing on nodes that are there
   */
  record Removals(
      List<StrandId> strands,
      List<Revocation> revoked,
      long epoch,
      List<Fence> fences,
      long nowMillis,
      Optional<List<Long>> returned,
      long lostEpoch,
      boolean rebuilds)
      implements CoordinatorReply {}

  /** On which nodes a strand is. */
  record CopiesAt(CopySet set) implements CoordinatorReply {}

  /** What is on the nodes, by number. */
  record Holdings(List<NodeHolding> nodes) implements CoordinatorReply {

    /** Keeps a copy of the list. */
    public Holdings {
      nodes = List.copyOf(nodes);
    }
  }

  /** What a node is to do because nodes are drained. */
  record Duties(List<StrandDuty> duties) implements CoordinatorReply {

    /** Keeps a copy of the list. */
    public Duties {
      duties = List.copyOf(duties);
    }
  }

  /** Strands that a node owns, and of which copies are missing on nodes that are there. */
  record Rebuilds(List<StrandId> strands) implements CoordinatorReply {

    /** Keeps a copy of the list. */
    public Rebuilds {
      strands = List.copyOf(strands);
    }
  }

  /**
   * What a cluster is.
   *
   * @param cluster its identity
   * @param nodes its nodes, by number
   * @param settings what all ranks must agree on, by name: costs and hints, which the coordinator
   *     does not understand but hands out
   * @param asker the user that the coordinator sees for the requester
   */
  record Facts(String cluster, List<NodeFact> nodes, Map<String, String> settings, String asker)
      implements CoordinatorReply {}

  /** A capability. */
  record Granted(Capability capability) implements CoordinatorReply {}

  /** What goes on. */
  record Doing(Status status) implements CoordinatorReply {}

  /**
   * Which strands to flush: of every {@code parts} strands number {@code part}.
   *
   * @param round to be named when it is done
   * @param part the receiver's share
   * @param parts how many share
   */
  record Share(long round, int part, int parts) implements CoordinatorReply {}

  /**
   * A file, directory or whatever has a name.
   *
   * @param facts what the coordinator knows of it
   * @param asking shows nodes that the receiver may ask for the size and the times of this file
   */
  record FileAt(FileFacts facts, Asking asking) implements CoordinatorReply {}

  /**
   * A part of the names in a directory, in the order of their UTF-8 bytes.
   *
   * @param entries the names
   * @param more whether there are names behind the last of them
   * @param asking as in {@link FileAt}, for the ids of all that are files, in this order
   */
  record Entries(List<Entry> entries, boolean more, Asking asking) implements CoordinatorReply {

    /** Keeps a copy of the list. */
    public Entries {
      entries = List.copyOf(entries);
    }

    /** A name in a directory, and what it stands for. */
    public record Entry(String name, FileFacts facts) {}
  }

  /** The lock of another owner that is in the way; empty if there is none. */
  record Conflict(Optional<ByteLock> lock) implements CoordinatorReply {}

  /** The target of a symbolic link. */
  record Target(String target) implements CoordinatorReply {}

  /** The value of an extended attribute. */
  record Attribute(Bytes value) implements CoordinatorReply {}

  /**
   * A name went, or a file was closed.
   *
   * @param gone the file whose bytes go with that, so that the receiver can remove the strands;
   *     nodes do so, too. Empty if there is none, or it has other names, or is open
   */
  record FileGone(Optional<FileFacts> gone) implements CoordinatorReply {}

  /**
   * A file is open for the receiver's session.
   *
   * @param opened as for a group, without pointers of its own: they are 0, but not the file's
   *     end-of-file pointer, which those who write may move
   * @param status its attributes, as in {@link FileFacts}
   * @param delegated whether the session may keep bytes of the file, until they are wanted back
   */
  record FileOpened(Opened opened, FileStatus status, boolean delegated)
      implements CoordinatorReply {}

  /**
   * What ranks have said of their last collective calls.
   *
   * @param counts how many calls by strategy since the coordinator was started
   * @param groups the groups that told of calls last, the newest first
   */
  record Calls(Map<String, Long> counts, List<GroupCalls> groups) implements CoordinatorReply {

    /**
     * The calls of a group, which may be over.
     *
     * @param group its number
     * @param size how many ranks it has
     * @param user whose it is
     * @param job what it was assembled as; empty if it was formed otherwise, or for strangers
     * @param count how many calls it has told of
     * @param ranks its ranks that told of calls
     */
    public record GroupCalls(
        long group, int size, String user, String job, long count, List<RankCalls> ranks) {}

    /**
     * The last calls of a rank, oldest first.
     *
     * @param rank its number
     * @param calls what it says of them
     */
    public record RankCalls(int rank, List<CallFacts> calls) {}
  }

  /** Delegations that the receiver's session must give back; none if it was not asked for any. */
  record WantedBack(List<Delegated> wanted) implements CoordinatorReply {}
}
