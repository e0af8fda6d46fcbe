package org.millrace.protocol;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.files.ByteLock;
import org.millrace.files.FileChange;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.message.Message;

/**
 * Requests to the coordinator. Paths are relative, with {@code /} between names; the coordinator
 * checks them.
 */
public sealed interface CoordinatorRequest extends Message {

  /**
   * Forms a group of {@code size} ranks; answered by {@link CoordinatorReply.Group}. Sessions of
   * the same user may join it. The session that formed it joins last: after a restart of the
   * coordinator, ranks that do not come back with it are lost, and none is waited for.
   */
  record Form(int size) implements CoordinatorRequest {}

  /**
   * The sender is rank {@code rank} of the group from now on, for as long as its session lives.
   * Answered by {@link CoordinatorReply.Group}.
   */
  record Join(long group, int rank) implements CoordinatorRequest {}

  /**
   * The rank has ended, well ({@code why} empty) or badly. A rank that needs it from now on gets
   * RANK_FAILED. A rank that leaves a group that was formed leaves all groups split from it, too;
   * one that leaves a group that came from a split leaves only that one.
   */
  record Leave(long group, int rank, String why) implements CoordinatorRequest {}

  /**
   * A rank's part in a synchronizing call. The n-th calls of all ranks on one channel belong
   * together: when all have arrived, they are compared, the effect happens once, and all are
   * answered together.
   *
   * @param group the group that meets
   * @param rank the arriving rank
   * @param channel 0 for the group itself, else the number of an open file of the group
   * @param sequence twice the rank's count of calls on this channel, from 0; one more for the end
   *     of a call that has one
   * @param call what is called, for instance "barrier"; compared
   * @param argument compared
   * @param detail compared, and shown to people
   * @param value this rank's contribution; handed to all, not compared
   * @param effect what happens when all have arrived; the same kind for all
   * @param failure empty, or how this rank's part failed: then the meeting fails on all ranks with
   *     the lowest failing rank's error
   * @param alone the sender vouches that this rank does nothing else until it is answered: no other
   *     thread and no asynchronous call of it is under way. Only such waits count in cycles of
   *     waiting, because a rank that has something else under way may yet come, or give a lock back
   */
  record Meet(
      long group,
      int rank,
      long channel,
      long sequence,
      String call,
      long argument,
      String detail,
      long value,
      Effect effect,
      Failure failure,
      boolean alone)
      implements CoordinatorRequest {

    /** The same with another effect and failure. */
    public Meet with(Effect otherEffect, Failure otherTrouble) {
      return new Meet(
          group,
          rank,
          channel,
          sequence,
          call,
          argument,
          detail,
          value,
          otherEffect,
          otherTrouble,
          alone);
    }
  }

  /**
   * The parts of several ranks in a synchronizing call, as one of them gathered them: the same as a
   * {@link Meet} of each, but answered once, and nobody vouches for anything. A rank of which this
   * speaks may come by itself as well, at any time: it hears the same.
   *
   * @param group the group that meets
   * @param channel as in {@link Meet}
   * @param sequence as in {@link Meet}
   * @param gathered what they bring; its first rank is the sender's
   */
  record MeetCombined(long group, long channel, long sequence, GatheredParts gathered)
      implements CoordinatorRequest {

    /**
     * For how many numbers before that of the newest call the answers are remembered, on a channel
     * on which ranks come together: a rank that has not heard one of them asks for it before its
     * rank comes to a later call.
     */
    public static final long REMEMBERED = 64;
  }

  /**
   * As a {@link Meet} of a rank that does not wait for the others, nor ever hears what comes of the
   * meeting. Answered by {@link CoordinatorReply.Done} at once: from then on the rank has arrived,
   * whatever others learn of that and by whichever way.
   */
  record Note(Meet meet) implements CoordinatorRequest {}

  /**
   * The rank gives up waiting for this meeting: it fails on all ranks with DEADLINE, naming those
   * the ranks that did not arrive. Answered by {@link CoordinatorReply.Done}, also if the meeting
   * had ended before.
   */
  record Withdraw(long group, int rank, long channel, long sequence)
      implements CoordinatorRequest {}

  /**
   * Says that all strands of a file that was made are there; before this a crash forgets the file.
   */
  record Confirm(long file) implements CoordinatorRequest {}

  /**
   * Asks whether another rank of the group has a file open more often than the sender, in whatever
   * groups it has; answered by {@link CoordinatorReply.Value}, 1 or 0.
   */
  record AskOpens(long group, int rank, String path) implements CoordinatorRequest {}

  /**
   * What a rank says of an open file of its group, for people who ask for the status: it replaces
   * what it said before.
   */
  record Describe(long group, int rank, long open, String what) implements CoordinatorRequest {}

  /**
   * What a rank says of its last collective calls, once a second at most. Only the ranks below
   * {@link CallFacts#MAX_RANKS} send it.
   *
   * @param group the group whose calls these are
   * @param rank the sender's rank there
   * @param sentNanos when it was sent, on the sender's clock
   * @param counts how many calls by strategy since the last report
   * @param calls the last of them, oldest first
   */
  record ReportCalls(
      long group, int rank, long sentNanos, Map<String, Long> counts, List<CallFacts> calls)
      implements CoordinatorRequest {}

  /**
   * Asks what ranks have said of their last collective calls; answered by {@link
   * CoordinatorReply.Calls}.
   */
  record AskCalls() implements CoordinatorRequest {}

  /** Sets a shared pointer outside a meeting; answered by {@link CoordinatorReply.Moved}. */
  record PointerSet(long pointer, long value) implements CoordinatorRequest {}

  /** Asks where a shared pointer stands. */
  record PointerAt(long pointer) implements CoordinatorRequest {}

  /**
   * Asks for a lock; answered by {@link CoordinatorReply.Locked} with its number when it is
   * granted, in the order of asking. Locks of one name conflict where their ranges overlap, unless
   * both are shared. Names are the cluster's, not the group's.
   *
   * @param group the asker's group
   * @param rank the asker
   * @param name what is locked
   * @param from first of the range; 0 for a plain lock
   * @param to end of the range, exclusive; {@link Long#MAX_VALUE} for a plain lock
   * @param shared whether others may hold it shared at the same time
   * @param alone as in {@link Meet}
   * @param brief whether its holder gives it back without waiting for anybody, so that it is never
   *     part of a cycle
   */
  record Lock(
      long group,
      int rank,
      String name,
      long from,
      long to,
      boolean shared,
      boolean alone,
      boolean brief)
      implements CoordinatorRequest {}

  /**
   * Says that a thread of the rank waits for something other than an answer of the coordinator, so
   * that others can see it. Said after some time of waiting, and again when something has changed.
   * Answered by {@link CoordinatorReply.Done} at once.
   *
   * @param group the group
   * @param rank the waiting rank
   * @param number of the wait, among all of its participant
   * @param call what it waits in, for people
   * @param on the rank whose message it waits for, {@link #ANYBODY}, or {@link #NOBODY} if it waits
   *     for requests of its own
   * @param others how many requests of the rank are under way, none of which is this; 0 if it does
   *     not vouch that its own thread does nothing else
   */
  record Declare(long group, int rank, long number, String call, int on, int others)
      implements CoordinatorRequest {

    /** As {@link #on}: a message of any rank. */
    public static final int ANYBODY = -1;

    /** As {@link #on}: no message. */
    public static final int NOBODY = -2;
  }

  /** That wait is over. Answered by {@link CoordinatorReply.Done}, also if there is none. */
  record Undeclare(long group, int rank, long number) implements CoordinatorRequest {}

  /** Gives a lock back, by the number that the grant carried. */
  record Unlock(long lock) implements CoordinatorRequest {}

  /**
   * Stops waiting for the first lock that was asked for with these words and not yet granted: that
   * request fails with DEADLINE. Answered by {@link CoordinatorReply.Done}, also if there is none;
   * then the request may have been granted meanwhile and its asker has a lock to give back.
   */
  record CancelLock(long group, int rank, String name, long from, long to)
      implements CoordinatorRequest {}

  /** Makes a directory. */
  record MakeDirectory(String path, int permissions) implements CoordinatorRequest {}

  /** Lists a directory ("" is the root); answered by {@link CoordinatorReply.Names}. */
  record ListNames(String path) implements CoordinatorRequest {}

  /** Asks about a file or directory; answered by {@link CoordinatorReply.About}. */
  record Stat(String path) implements CoordinatorRequest {}

  /**
   * Renames a file or directory; fails if {@code to} exists, unless that is to be replaced. Only a
   * file can be, by a file, under the same rules as {@link Remove}, and in one step: there is never
   * no file of that name. Answered by {@link CoordinatorReply.Done}, or by {@link
   * CoordinatorReply.About} of what was replaced, so that the asker can remove the strands.
   *
   * @param from what it was called; the same as {@code to} changes nothing, but tells whether that
   *     could be replaced now
   * @param to what it is to be called
   * @param replace whether a file that has that name goes
   */
  record Rename(String from, String to, boolean replace) implements CoordinatorRequest {}

  /**
   * Removes a file or an empty directory; refused with IN_USE while a group has the file open.
   * Answered by {@link CoordinatorReply.About} of what was removed, so that the asker can remove
   * the strands; nodes do so, too.
   */
  record Remove(String path) implements CoordinatorRequest {}

  /**
   * As {@link Remove}, or as {@link Rename} that replaces, of a file that may be open: its bytes
   * stay until it is not any more. Answered by {@link CoordinatorReply.About} of what is gone with
   * its bytes, by {@link CoordinatorReply.Done} if no bytes went.
   *
   * @param path the name that goes
   * @param by the file that gets the name in the same step; empty for none
   */
  record Unlink(String path, String by) implements CoordinatorRequest {}

  /** Changes the mode bits; only the owner and the superuser may. */
  record SetPermissions(String path, int permissions) implements CoordinatorRequest {}

  /** Asks which ranks wait for which; answered by {@link CoordinatorReply.Waits}. */
  record AskWaits() implements CoordinatorRequest {}

  /**
   * Asks which ranks of a group have left or gone to regroup; answered by {@link
   * CoordinatorReply.Members}. Only the group's own user and the superuser may.
   */
  record AskMembers(long group) implements CoordinatorRequest {}

  /**
   * Asks for all files' ids and layouts; answered by {@link CoordinatorReply.Files}. Only the
   * superuser may.
   */
  record AskFiles() implements CoordinatorRequest {}

  /**
   * A process takes part in a job as rank {@code rank} of {@code size}: when all have arrived they
   * are a group, and all are answered together by {@link CoordinatorReply.Assembled}. If some do
   * not come before the first one's deadline, all fail with RANK_FAILED, naming the missing. Jobs
   * of different users are different jobs. A session that names another size, or a rank that
   * another session has, is refused alone; where ranks of a group gather, with all who wait.
   *
   * @param job the same for all ranks of one run and for no other
   * @param inbox address at which the other ranks reach this one; empty if they are in its process
   * @param waitNanos how long to wait for the others
   */
  record Assemble(String job, int rank, int size, String inbox, long waitNanos)
      implements CoordinatorRequest {

    private static final Pattern OF_GROUP = Pattern.compile("group ([0-9]{1,18})/.*");

    /** What some ranks of a group call their job. */
    public static String jobOfGroup(long group, String name) {
      return "group " + group + "/" + name;
    }

    /** The group whose ranks have this job, if it is of that kind. */
    public Optional<Long> ofGroup() {
      Matcher matcher = OF_GROUP.matcher(job);
      return matcher.matches() ? Optional.of(Long.parseLong(matcher.group(1))) : Optional.empty();
    }
  }

  /**
   * The living ranks of a group form a new one, in the order of their old numbers: each of them
   * asks, and when all who have not left have come they are answered together by {@link
   * CoordinatorReply.Regrouped}. Ranks that leave meanwhile are not waited for. Meetings of the old
   * group fail with RANK_FAILED from the first request on. If a living rank does not come before
   * the first one's deadline, all fail with DEADLINE, naming it; they may try again. Who leaves the
   * old group leaves the new one, too.
   */
  record Regroup(long group, int rank, long waitNanos) implements CoordinatorRequest {}

  /**
   * A node says where it listens; it counts as up for as long as its session lives. Only the
   * superuser may. Answered by {@link CoordinatorReply.Done}.
   *
   * @param node its number
   * @param address where it listens
   * @param epoch how often it was started: less than before is an older copy, and refused
   */
  record Register(int node, String address, long epoch) implements CoordinatorRequest {}

  /**
   * A node asks which strands it should remove because their files are gone, and says which of
   * those it was told before are removed now. It also asks which holders are fenced off, and says
   * how far it has come with that. Answered by {@link CoordinatorReply.Removals}.
   *
   * @param node its number
   * @param removed strands that it has removed
   * @param epoch of which epoch of the coordinator it was told; 0 if of none
   * @param fenced it carries out no write of a holder of an earlier epoch any more, nor of one that
   *     a fence up to this number names
   */
  record Heartbeat(int node, List<StrandId> removed, long epoch, long fenced)
      implements CoordinatorRequest {

    /**
     * For how long after it has sent a heartbeat that was answered a node may serve strands that
     * have copies. The coordinator gives them to others no sooner than this after the last one.
     */
    public static final long LEASE_NANOS = 4_000_000_000L;
  }

  /** Asks about the cluster; answered by {@link CoordinatorReply.Facts}. */
  record AskCluster() implements CoordinatorRequest {}

  /** Asks for a fresh capability of an open file; answered by {@link CoordinatorReply.Granted}. */
  record Renew(long group, long open) implements CoordinatorRequest {}

  /** Asks what goes on; answered by {@link CoordinatorReply.Doing}. */
  record AskStatus() implements CoordinatorRequest {}

  /**
   * Takes open files away from the groups that have them, as PFSLib's reset did: their pending
   * synchronizing calls fail with CLOSED, and so does every later use of their channels and
   * pointers; what nodes were shown stays good until it expires. Only the owner of a file and the
   * superuser may: if one of the paths is refused nothing happens. Without paths: all files that
   * the sender may reset. Answered by {@link CoordinatorReply.Value} with how many opens ended.
   */
  record Reset(List<String> paths) implements CoordinatorRequest {}

  /**
   * Changes a file's or directory's group; only the owner, to one of its own groups or to none, and
   * the superuser to any.
   */
  record SetGroup(String path, String group) implements CoordinatorRequest {}

  /** Asks the coordinator's process to end in order. Only the superuser may. */
  record Shutdown() implements CoordinatorRequest {}

  /**
   * Asks what a file is called now; answered by {@link CoordinatorReply.About}. Only those may who
   * may go through the directories above it.
   */
  record Locate(long file) implements CoordinatorRequest {}

  /**
   * Asks for a share of the strands of an open file to flush, together with other ranks that ask
   * now. Answered by {@link CoordinatorReply.Share} when those that asked before have done.
   *
   * @param group the group that has the file open
   * @param rank the sender's number there
   * @param open the open's number
   */
  record ShareFlush(long group, int rank, long open) implements CoordinatorRequest {}

  /**
   * Says that the sender has flushed its share, or has not. Answered when all of the round have;
   * fails if any has not.
   *
   * @param group the group that has the file open
   * @param rank the sender's number there
   * @param open the open's number
   * @param round as in {@link CoordinatorReply.Share}; {@link #ANY} if the sender never heard it
   * @param failure why it has not
   */
  record Flushed(long group, int rank, long open, long round, Failure failure)
      implements CoordinatorRequest {

    /** The round in which the sender is, if it is in one: it gave up waiting for its share. */
    public static final long ANY = 0;
  }

  /** Asks on which nodes a strand with copies is; answered by {@link CoordinatorReply.CopiesAt}. */
  record AskCopies(StrandId strand) implements CoordinatorRequest {}

  /**
   * The owner of a strand says which copies have missed something: they are not in sync any more.
   * Answered, when that is durable, by {@link CoordinatorReply.CopiesAt}; fails with MOVED if the
   * sender is not the owner of that epoch any more.
   *
   * @param strand which strand
   * @param node the owner
   * @param epoch of the set as the owner knows it
   * @param missed the nodes of these copies
   */
  record LeaveCopies(StrandId strand, int node, long epoch, List<Integer> missed)
      implements CoordinatorRequest {

    /** Keeps a copy of the list. */
    public LeaveCopies {
      missed = List.copyOf(missed);
    }
  }

  /**
   * The owner of a strand says that a copy that was missing is whole again; as {@link LeaveCopies}.
   */
  record JoinCopies(StrandId strand, int node, long epoch, int joined)
      implements CoordinatorRequest {}

  /**
   * A node asks which of its strands want copies rebuilt; answered by {@link
   * CoordinatorReply.Rebuilds}.
   */
  record AskRebuilds(int node) implements CoordinatorRequest {}

  /**
   * Says how many copies new files in a directory get, and in the directories below it that say
   * nothing else; 0: as the directory above says. Its owner and the superuser may.
   */
  record SetCopies(String path, int copies) implements CoordinatorRequest {}

  /** Asks what is on the nodes; answered by {@link CoordinatorReply.Holdings}. */
  record AskNodes() implements CoordinatorRequest {}

  /**
   * Changes what a node is for. Only the superuser may. Answered, when that is durable, by {@link
   * CoordinatorReply.Value} with the node's number.
   *
   * @param node which; any for {@link NodeAction#ADD}
   * @param action the number of a {@link NodeAction}
   */
  record ChangeNode(int node, int action) implements CoordinatorRequest {}

  /**
   * A node that takes the place of a lost one asks which strands are lost; answered by {@link
   * CoordinatorReply.Rebuilds}, some at a time.
   *
   * @param node its number
   * @param after the {@link StrandId#key} of the last that it knows; 0 to begin
   */
  record AskLost(int node, long after) implements CoordinatorRequest {}

  /**
   * A node asks what it is to do because nodes are drained; answered by {@link
   * CoordinatorReply.Duties}.
   */
  record AskDuties(int node) implements CoordinatorRequest {}

  /**
   * A copy is not needed any more, as {@link LeaveCopies} says it: its node is drained, and leaves
   * the set for good. If it is the owner's own, the next one in sync is the owner.
   */
  record DropCopy(StrandId strand, int node, long epoch, int dropped)
      implements CoordinatorRequest {}

  /**
   * A strand without copies was moved: all of it is durable on another node. Fails with IN_USE if
   * its file is open, and changes nothing if it was said before.
   */
  record MoveStrand(StrandId strand, int from, int to) implements CoordinatorRequest {}

  /**
   * A session comes back to a coordinator that was restarted, and says what it holds as far as the
   * one before has told it. Answered by {@link CoordinatorReply.Recalled} when the groups that it
   * is in are whole again, or will not be. It sends nothing else before that.
   *
   * @param groups groups that it formed
   * @param places what it is
   * @param opens files that it has open
   * @param pointers where it saw their shared pointers
   * @param locks what it has locked
   * @param outcomes the last answers to its synchronizing calls
   * @param unanswered synchronizing calls that it will repeat
   * @param assembling jobs that it waits in; others may have heard that they are complete
   * @param waits what it has declared to wait for
   * @param splits its parts in splits of groups
   * @param regroups its parts in groups that went on as others
   * @param bytes what it has locked of files that it has open in no group
   */
  record Recall(
      List<Recalled.Formed> groups,
      List<Recalled.Place> places,
      List<Recalled.Opening> opens,
      List<Recalled.Pointer> pointers,
      List<Recalled.HeldLock> locks,
      List<Recalled.Outcome> outcomes,
      List<Recalled.Call> unanswered,
      List<Assemble> assembling,
      List<Declare> waits,
      List<Recalled.SplitPart> splits,
      List<Recalled.RegroupPart> regroups,
      List<Recalled.HeldBytes> bytes)
      implements CoordinatorRequest {

    /** Of a session that has locked no bytes. */
    public Recall(
        List<Recalled.Formed> groups,
        List<Recalled.Place> places,
        List<Recalled.Opening> opens,
        List<Recalled.Pointer> pointers,
        List<Recalled.HeldLock> locks,
        List<Recalled.Outcome> outcomes,
        List<Recalled.Call> unanswered,
        List<Assemble> assembling,
        List<Declare> waits,
        List<Recalled.SplitPart> splits,
        List<Recalled.RegroupPart> regroups) {
      this(
          groups,
          places,
          opens,
          pointers,
          locks,
          outcomes,
          unanswered,
          assembling,
          waits,
          splits,
          regroups,
          List.of());
    }
  }

  /**
   * Requests for locks of bytes of a file that the sender's session has open, as POSIX has them. An
   * owner is a number of the session's own: the same one for all files.
   */
  sealed interface OfBytes extends CoordinatorRequest {

    /**
     * Locks or gives back a range; answered by {@link CoordinatorReply.Value}: 1 when it is done, 0
     * if others have kept it. Fails with DEADLOCK if owners would wait for each other.
     *
     * @param open what {@link OfFile.Open} opened
     * @param lock what
     * @param waitNanos for how long others may keep it; 0 for not at all
     */
    record LockBytes(long open, ByteLock lock, long waitNanos) implements OfBytes {}

    /**
     * Asks which lock of another owner is in the way; answered by {@link
     * CoordinatorReply.Conflict}.
     */
    record AskConflict(long open, ByteLock lock) implements OfBytes {}

    /** Gives back all locks of an owner on the file; answered by {@link CoordinatorReply.Done}. */
    record UnlockBytes(long open, long owner) implements OfBytes {}
  }

  /**
   * Requests of programs that are no ranks, under the rules of POSIX. What they name is resolved as
   * {@link FilePath} says; sizes and times of bytes are the nodes' business.
   */
  sealed interface OfFile extends CoordinatorRequest {

    /** Asks about what a path names; answered by {@link CoordinatorReply.FileAt}. */
    record Stat(FilePath path) implements OfFile {}

    /**
     * Asks for a part of the names in a directory; answered by {@link CoordinatorReply.Entries}.
     *
     * @param directory which
     * @param after names up to this one are left out; empty for none
     * @param most how many names at most; there may be fewer
     */
    record ListEntries(FilePath directory, String after, int most) implements OfFile {}

    /** Makes a directory; answered by {@link CoordinatorReply.FileAt}. */
    record MakeDirectory(FilePath path, NewFile attributes) implements OfFile {}

    /** Makes a symbolic link; answered by {@link CoordinatorReply.FileAt}. */
    record MakeLink(FilePath path, String target, NewFile attributes) implements OfFile {}

    /**
     * Makes a pipe, a socket, a device or an empty file; answered by {@link
     * CoordinatorReply.FileAt}.
     */
    record MakeSpecial(FilePath path, FileKind kind, long device, NewFile attributes)
        implements OfFile {}

    /** Asks for the target of a symbolic link; answered by {@link CoordinatorReply.Target}. */
    record ReadLink(FilePath path) implements OfFile {}

    /** Gives another name to what is no directory; answered by {@link CoordinatorReply.FileAt}. */
    record Link(FilePath existing, FilePath name) implements OfFile {}

    /** Takes a name away; answered by {@link CoordinatorReply.FileGone}. */
    record Remove(FilePath path, FileTree.Removing what) implements OfFile {}

    /** Changes a name, in one step; answered by {@link CoordinatorReply.FileGone}. */
    record Rename(FilePath from, FilePath to, FileTree.Replacing replacing) implements OfFile {}

    /**
     * Changes attributes, in one step; answered by {@link CoordinatorReply.FileAt}. A size is
     * refused: nodes have it.
     *
     * @param path of what
     * @param change which
     * @param witness of a file whose modification time is set: as {@link FileFacts#witness} says
     */
    record Change(FilePath path, FileChange change, long witness) implements OfFile {}

    /**
     * Asks for the names of all extended attributes; answered by {@link CoordinatorReply.Names}.
     */
    record ListAttributes(FilePath path) implements OfFile {}

    /** Asks for an extended attribute; answered by {@link CoordinatorReply.Attribute}. */
    record GetAttribute(FilePath path, String name) implements OfFile {}

    /** Sets an extended attribute; answered by {@link CoordinatorReply.Done}. */
    record SetAttribute(FilePath path, String name, Bytes value, FileTree.Setting setting)
        implements OfFile {}

    /** Removes an extended attribute; answered by {@link CoordinatorReply.Done}. */
    record RemoveAttribute(FilePath path, String name) implements OfFile {}

    /**
     * Opens a file for the session, which need be in no group; answered by {@link
     * CoordinatorReply.FileOpened}. It is open until {@link Close}, or until the session ends. Its
     * capability is renewed by a {@link Renew} of group 0.
     *
     * @param path which file
     * @param flags how; the mode bits, and flags that concern groups, mean nothing
     * @param attributes of a file that is made
     */
    record Open(FilePath path, OpenFlags flags, NewFile attributes) implements OfFile {}

    /**
     * Closes what {@link Open} opened; answered by {@link CoordinatorReply.FileGone}, also if it is
     * closed already.
     *
     * @param open its number
     * @param accessed whether it was read, and the access time is to say so
     */
    record Close(long open, boolean accessed) implements OfFile {}

    /**
     * Asks how many files and directories there are; answered by {@link CoordinatorReply.Value}.
     */
    record CountFiles() implements OfFile {}

    /**
     * Gives back delegations, and asks which are wanted back; answered by {@link
     * CoordinatorReply.WantedBack}, as soon as there are any, or when the time is over. From the
     * first such request on, files that the session opens are delegated to it where that is
     * possible.
     *
     * @param given of which the session keeps no bytes any more
     * @param waitNanos for how long to wait; 0 to be answered at once
     */
    record GiveBack(List<Delegated> given, long waitNanos) implements OfFile {}
  }
}
