package org.millrace.protocol;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Message;

/**
 * All kinds of messages: the number on the wire, and how a request is handled. Numbers are frozen:
 * a number is never reused, and the fields of a message change only with a new version of the
 * protocol.
 *
 * <p>Why a request may be handled twice, or not, stands beside it. The rule: asking, and what says
 * the same however often it is said, may; what another rank could have changed in between may not
 * be done again, even if it names an absolute value. Answers that carry much must not be kept, so
 * what moves bytes to its sender is made repeatable.
 */
enum Kind {
  // To the coordinator. It replies asynchronously, so requests block no thread.
  FORM(0x01, CoordinatorRequest.Form.class, Repeat.ONCE, Speed.QUICK, "a second group would stay"),
  JOIN(0x02, CoordinatorRequest.Join.class, Repeat.ONCE, Speed.QUICK, "a rank joins once"),
  LEAVE(0x03, CoordinatorRequest.Leave.class, Repeat.ONCE, Speed.QUICK, "a rank leaves once"),
  MEET(0x04, CoordinatorRequest.Meet.class, Repeat.ONCE, Speed.QUICK, "its effect happens once"),
  WITHDRAW(
      0x05,
      CoordinatorRequest.Withdraw.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "a meeting's number never returns"),
  CONFIRM(
      0x06,
      CoordinatorRequest.Confirm.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the file may be gone by then"),
  POINTER_SET(
      0x07,
      CoordinatorRequest.PointerSet.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have moved it"),
  POINTER_AT(0x08, CoordinatorRequest.PointerAt.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  LOCK(
      0x09,
      CoordinatorRequest.Lock.class,
      Repeat.ONCE,
      Speed.QUICK,
      "a second lock would wait for the first"),
  UNLOCK(
      0x0a, CoordinatorRequest.Unlock.class, Repeat.ONCE, Speed.QUICK, "a lock is released once"),
  CANCEL_LOCK(
      0x0b,
      CoordinatorRequest.CancelLock.class,
      Repeat.ONCE,
      Speed.QUICK,
      "would cancel the next one"),
  MAKE_DIRECTORY(
      0x0c,
      CoordinatorRequest.MakeDirectory.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the name would exist"),
  LIST_NAMES(0x0d, CoordinatorRequest.ListNames.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  STAT(0x0e, CoordinatorRequest.Stat.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  RENAME(
      0x0f, CoordinatorRequest.Rename.class, Repeat.ONCE, Speed.QUICK, "the name would be missing"),
  REMOVE(
      0x10,
      CoordinatorRequest.Remove.class,
      Repeat.ONCE,
      Speed.QUICK,
      "would remove a new file of that name"),
  SET_PERMISSIONS(
      0x11,
      CoordinatorRequest.SetPermissions.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have set them"),
  ASK_WAITS(0x12, CoordinatorRequest.AskWaits.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  ASK_MEMBERS(0x13, CoordinatorRequest.AskMembers.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  ASK_FILES(0x14, CoordinatorRequest.AskFiles.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  ASSEMBLE(0x15, CoordinatorRequest.Assemble.class, Repeat.ONCE, Speed.QUICK, "a rank comes once"),
  REGROUP(0x16, CoordinatorRequest.Regroup.class, Repeat.ONCE, Speed.QUICK, "a rank comes once"),
  REGISTER(
      0x17,
      CoordinatorRequest.Register.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "says the same of its own session"),
  BEAT(
      0x18,
      CoordinatorRequest.Heartbeat.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "a removed strand never returns"),
  ASK_CLUSTER(0x19, CoordinatorRequest.AskCluster.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  RENEW(
      0x1a,
      CoordinatorRequest.Renew.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "every capability is as good"),
  ASK_STATUS(0x1b, CoordinatorRequest.AskStatus.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  RESET(
      0x1c, CoordinatorRequest.Reset.class, Repeat.ONCE, Speed.QUICK, "would end opens made since"),
  SET_GROUP(
      0x1d, CoordinatorRequest.SetGroup.class, Repeat.ONCE, Speed.QUICK, "another may have set it"),
  SHUTDOWN(
      0x1e, CoordinatorRequest.Shutdown.class, Repeat.AGAIN, Speed.QUICK, "a process ends once"),
  LOCATE(0x1f, CoordinatorRequest.Locate.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  DECLARE(
      0x20, CoordinatorRequest.Declare.class, Repeat.ONCE, Speed.QUICK, "may be withdrawn by then"),
  UNDECLARE(
      0x21,
      CoordinatorRequest.Undeclare.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "a wait's number never returns"),
  MEET_TOGETHER(
      0x22,
      CoordinatorRequest.MeetCombined.class,
      Repeat.ONCE,
      Speed.QUICK,
      "its effect happens once"),
  SHARE_FLUSH(
      0x23,
      CoordinatorRequest.ShareFlush.class,
      Repeat.ONCE,
      Speed.QUICK,
      "a rank has one share of a round"),
  FLUSHED(
      0x24,
      CoordinatorRequest.Flushed.class,
      Repeat.ONCE,
      Speed.QUICK,
      "a second success could hide a failure"),
  NOTE(0x25, CoordinatorRequest.Note.class, Repeat.ONCE, Speed.QUICK, "its effect happens once"),
  ASK_OPENS(0x26, CoordinatorRequest.AskOpens.class, Repeat.AGAIN, Speed.QUICK, "asks"),
  DESCRIBE(
      0x27, CoordinatorRequest.Describe.class, Repeat.ONCE, Speed.QUICK, "it may say more by then"),
  RECALL(
      0x28, CoordinatorRequest.Recall.class, Repeat.ONCE, Speed.QUICK, "what it held comes once"),
  ASK_COPIES(0x29, CoordinatorRequest.AskCopies.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  LEAVE_COPIES(
      0x2a,
      CoordinatorRequest.LeaveCopies.class,
      Repeat.ONCE,
      Speed.QUICK,
      "its epoch is over then"),
  JOIN_COPIES(
      0x2b,
      CoordinatorRequest.JoinCopies.class,
      Repeat.ONCE,
      Speed.QUICK,
      "its epoch is over then"),
  ASK_REBUILDS(0x2c, CoordinatorRequest.AskRebuilds.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  SET_COPIES(
      0x2d,
      CoordinatorRequest.SetCopies.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have set it"),
  ASK_NODES(0x2e, CoordinatorRequest.AskNodes.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  CHANGE_NODE(
      0x2f, CoordinatorRequest.ChangeNode.class, Repeat.ONCE, Speed.QUICK, "would add two nodes"),
  ASK_LOST(0x30, CoordinatorRequest.AskLost.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  ASK_DUTIES(0x31, CoordinatorRequest.AskDuties.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  DROP_COPY(
      0x32, CoordinatorRequest.DropCopy.class, Repeat.ONCE, Speed.QUICK, "its epoch is over then"),
  MOVE_STRAND(
      0x33,
      CoordinatorRequest.MoveStrand.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "changes nothing the second time"),
  REPORT_CALLS(
      0x37,
      CoordinatorRequest.ReportCalls.class,
      Repeat.ONCE,
      Speed.QUICK,
      "would count calls twice"),
  ASK_CALLS(0x38, CoordinatorRequest.AskCalls.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  UNLINK(
      0x71,
      CoordinatorRequest.Unlink.class,
      Repeat.ONCE,
      Speed.QUICK,
      "would remove a new file of that name"),

  // To the coordinator, from programs that are no ranks.
  FILE_STAT(0x60, CoordinatorRequest.OfFile.Stat.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_LIST(
      0x61, CoordinatorRequest.OfFile.ListEntries.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_MAKE_DIRECTORY(
      0x62,
      CoordinatorRequest.OfFile.MakeDirectory.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the name would exist"),
  FILE_MAKE_LINK(
      0x63,
      CoordinatorRequest.OfFile.MakeLink.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the name would exist"),
  FILE_MAKE_SPECIAL(
      0x64,
      CoordinatorRequest.OfFile.MakeSpecial.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the name would exist"),
  FILE_READ_LINK(
      0x65, CoordinatorRequest.OfFile.ReadLink.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_LINK(
      0x66, CoordinatorRequest.OfFile.Link.class, Repeat.ONCE, Speed.QUICK, "the name would exist"),
  FILE_REMOVE(
      0x67,
      CoordinatorRequest.OfFile.Remove.class,
      Repeat.ONCE,
      Speed.QUICK,
      "would remove a new file of that name"),
  FILE_RENAME(
      0x68,
      CoordinatorRequest.OfFile.Rename.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the name would be missing"),
  FILE_CHANGE(
      0x69,
      CoordinatorRequest.OfFile.Change.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have changed it"),
  FILE_LIST_ATTRIBUTES(
      0x6a, CoordinatorRequest.OfFile.ListAttributes.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_GET_ATTRIBUTE(
      0x6b, CoordinatorRequest.OfFile.GetAttribute.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_SET_ATTRIBUTE(
      0x6c,
      CoordinatorRequest.OfFile.SetAttribute.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have set it"),
  FILE_REMOVE_ATTRIBUTE(
      0x6d,
      CoordinatorRequest.OfFile.RemoveAttribute.class,
      Repeat.ONCE,
      Speed.QUICK,
      "another may have set it"),
  FILE_OPEN(
      0x6e,
      CoordinatorRequest.OfFile.Open.class,
      Repeat.ONCE,
      Speed.QUICK,
      "a second open would stay"),
  FILE_CLOSE(
      0x6f,
      CoordinatorRequest.OfFile.Close.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "an open's number never returns"),
  FILE_COUNT(
      0x70, CoordinatorRequest.OfFile.CountFiles.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  FILE_GIVE_BACK(
      0x75,
      CoordinatorRequest.OfFile.GiveBack.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "an open's number never returns"),

  LOCK_BYTES(
      0x34,
      CoordinatorRequest.OfBytes.LockBytes.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the owner may have given it back"),
  ASK_CONFLICT(
      0x35, CoordinatorRequest.OfBytes.AskConflict.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  UNLOCK_BYTES(
      0x36,
      CoordinatorRequest.OfBytes.UnlockBytes.class,
      Repeat.ONCE,
      Speed.QUICK,
      "the owner may have locked again"),

  // From the coordinator.
  DONE(0x41, CoordinatorReply.Done.class),
  VALUE(0x42, CoordinatorReply.Value.class),
  GROUP(0x43, CoordinatorReply.Group.class),
  MET(0x44, CoordinatorReply.Met.class),
  EXCHANGED(0x45, CoordinatorReply.Exchanged.class),
  OPENED(0x46, CoordinatorReply.Opened.class),
  SPLIT(0x47, CoordinatorReply.Split.class),
  NAMES(0x48, CoordinatorReply.Names.class),
  ABOUT(0x49, CoordinatorReply.About.class),
  FILES(0x4a, CoordinatorReply.Files.class),
  MEMBERS(0x4b, CoordinatorReply.Members.class),
  WAITS(0x4c, CoordinatorReply.Waits.class),
  ASSEMBLED(0x4d, CoordinatorReply.Assembled.class),
  REGROUPED(0x4e, CoordinatorReply.Regrouped.class),
  REMOVALS(0x4f, CoordinatorReply.Removals.class),
  FACTS(0x50, CoordinatorReply.Facts.class),
  GRANTED(0x51, CoordinatorReply.Granted.class),
  DOING(0x52, CoordinatorReply.Doing.class),
  LOCKED(0x53, CoordinatorReply.Locked.class),
  DIGESTED(0x54, CoordinatorReply.Digested.class),
  SHARE(0x55, CoordinatorReply.Share.class),
  MOVED(0x56, CoordinatorReply.Moved.class),
  RECALLED(0x57, CoordinatorReply.Recalled.class),
  COPIES_AT(0x58, CoordinatorReply.CopiesAt.class),
  REBUILDS(0x59, CoordinatorReply.Rebuilds.class),
  HOLDINGS(0x5a, CoordinatorReply.Holdings.class),
  DUTIES(0x5b, CoordinatorReply.Duties.class),
  CONFLICT(0x74, CoordinatorReply.Conflict.class),
  FILE_AT(0x5c, CoordinatorReply.FileAt.class),
  ENTRIES(0x5d, CoordinatorReply.Entries.class),
  TARGET(0x5e, CoordinatorReply.Target.class),
  ATTRIBUTE(0x5f, CoordinatorReply.Attribute.class),
  FILE_GONE(0x72, CoordinatorReply.FileGone.class),
  FILE_OPENED(0x73, CoordinatorReply.FileOpened.class),
  WANTED_BACK(0x76, CoordinatorReply.WantedBack.class),
  CALLS(0x77, CoordinatorReply.Calls.class),

  // To a node. Whatever may touch its disk, even to open a file, is not quick.
  NODE_CREATE(
      0x81,
      NodeRequest.Create.class,
      Repeat.ONCE,
      Speed.SLOW,
      "another may have removed it for good"),
  NODE_REMOVE(
      0x82, NodeRequest.Remove.class, Repeat.AGAIN, Speed.SLOW, "a file's id never returns"),
  NODE_SIZE(0x83, NodeRequest.Size.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_RESIZE(
      0x84, NodeRequest.Resize.class, Repeat.ONCE, Speed.SLOW, "would cut what another wrote"),
  NODE_EXTEND(0x85, NodeRequest.Extend.class, Repeat.ONCE, Speed.SLOW, "another may have cut it"),
  NODE_PREALLOCATE(
      0x86, NodeRequest.Preallocate.class, Repeat.ONCE, Speed.SLOW, "another may have cut it"),
  NODE_FLUSH(
      0x87,
      NodeRequest.Flush.class,
      Repeat.ONCE,
      Speed.SLOW,
      "a second success could hide a failure"),
  NODE_PRELOAD(0x88, NodeRequest.Preload.class, Repeat.AGAIN, Speed.SLOW, "changes no byte"),
  NODE_GATHER(0x89, NodeRequest.Gather.class, Repeat.AGAIN, Speed.SMALL, "read-only"),
  NODE_SCATTER(
      0x8a, NodeRequest.Scatter.class, Repeat.ONCE, Speed.SMALL, "would undo others' writes"),
  NODE_DIRECT(
      0x8b,
      NodeRequest.Direct.class,
      Repeat.ONCE,
      Speed.SLOW,
      "a part counts once; the last runs the call"),
  NODE_WITHDRAW_DIRECT(
      0x8c,
      NodeRequest.WithdrawDirect.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "a call's number never returns"),
  NODE_SET_CACHE_BYTES(
      0x8d, NodeRequest.SetCacheBytes.class, Repeat.ONCE, Speed.SLOW, "another may have set it"),
  NODE_ASK_REPORT(0x8e, NodeRequest.AskReport.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  NODE_PRESENT(0x8f, NodeRequest.Present.class, Repeat.AGAIN, Speed.QUICK, "shows the same"),
  NODE_SHUTDOWN(0x90, NodeRequest.Shutdown.class, Repeat.AGAIN, Speed.SLOW, "a process ends once"),
  NODE_NEXT_DATA(0x91, NodeRequest.NextData.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_PIN(0x92, NodeRequest.Pin.class, Repeat.ONCE, Speed.SLOW, "would pin and release twice"),
  NODE_ASK_SLAB(0x93, NodeRequest.AskSlab.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  NODE_SUM(0x94, NodeRequest.Sum.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_KEEP(0x95, NodeRequest.Keep.class, Repeat.ONCE, Speed.SLOW, "would pin and release twice"),
  NODE_VOUCH(0x96, NodeRequest.Vouch.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_COPY_BEGIN(
      0x97, NodeRequest.CopyBegin.class, Repeat.ONCE, Speed.SLOW, "says what was before it"),
  NODE_COPY_WRITE(
      0x98, NodeRequest.CopyWrite.class, Repeat.ONCE, Speed.SLOW, "would undo a later write"),
  NODE_COPY_RESIZE(
      0x99, NodeRequest.CopyResize.class, Repeat.ONCE, Speed.SLOW, "would undo a later write"),
  NODE_COPY_FLUSH(
      0x9a,
      NodeRequest.CopyFlush.class,
      Repeat.ONCE,
      Speed.SLOW,
      "a second success could hide a failure"),
  NODE_COPY_READ(0x9b, NodeRequest.CopyRead.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_COPY_MAKE(
      0x9c, NodeRequest.CopyMake.class, Repeat.ONCE, Speed.SLOW, "would remove what came since"),
  NODE_COPY_SUM(0x9d, NodeRequest.CopySum.class, Repeat.AGAIN, Speed.SLOW, "read-only"),
  NODE_COPY_END(0x9e, NodeRequest.CopyEnd.class, Repeat.AGAIN, Speed.SLOW, "closes what is open"),
  NODE_SCRUB(0x9f, NodeRequest.Scrub.class, Repeat.AGAIN, Speed.QUICK, "one runs at a time"),
  NODE_ASK_SCRUB(0xa0, NodeRequest.AskScrub.class, Repeat.AGAIN, Speed.QUICK, "read-only"),
  NODE_COPY_MEND(
      0xb1, NodeRequest.CopyMend.class, Repeat.ONCE, Speed.SLOW, "would undo a later write"),

  NODE_ASK_STATUSES(0xb2, NodeRequest.AskStatuses.class, Repeat.AGAIN, Speed.SLOW, "read-only"),

  // From a node.
  NODE_DONE(0xa1, NodeReply.Done.class),
  NODE_COUNT(0xa2, NodeReply.Count.class),
  NODE_REPORT(0xa3, NodeReply.Report.class),
  NODE_PINNED(0xa4, NodeReply.Pinned.class),
  NODE_SLAB_AT(0xa5, NodeReply.SlabAt.class),
  NODE_SUMS(0xa6, NodeReply.Sums.class),
  NODE_KEPT(0xa7, NodeReply.Kept.class),
  NODE_COPY_STATE(0xa8, NodeReply.CopyState.class),
  NODE_COPY_SUMS(0xa9, NodeReply.CopySums.class),
  NODE_SCRUBBED(0xaa, NodeReply.Scrubbed.class),
  NODE_STATUSES(0xab, NodeReply.Statuses.class),

  // To a rank. It copies, or leaves the payload where it is, and never waits.
  RANK_DELIVER(
      0xc1, RankRequest.Deliver.class, Repeat.ONCE, Speed.QUICK, "would be received twice"),
  RANK_WITHDRAW(
      0xc2,
      RankRequest.Withdraw.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "a message's number never returns"),
  RANK_PLACE(
      0xc3,
      RankRequest.Place.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "the same bytes, before the call ends"),
  RANK_FETCH(
      0xc4,
      RankRequest.Fetch.class,
      Repeat.AGAIN,
      Speed.QUICK,
      "reads what stays until the call ends"),
  RANK_WANT(0xc8, RankRequest.Want.class, Repeat.AGAIN, Speed.QUICK, "says the same"),
  RANK_REFUSE(0xc6, RankRequest.Refuse.class, Repeat.AGAIN, Speed.QUICK, "says the same"),
  RANK_COME(0xc7, RankRequest.Arrive.class, Repeat.ONCE, Speed.QUICK, "a rank comes once"),

  // From a rank.
  RANK_TAKEN(0xe1, RankRequest.Taken.class);

  /** Whether a request may be handled twice. */
  enum Repeat {
    ONCE,
    AGAIN,
    REPLY
  }

  /** Whether a request is answered without waiting. */
  enum Speed {
    QUICK,
    /** If it moves little. */
    SMALL,
    SLOW
  }

  private static final Map<Integer, Kind> BY_NUMBER =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(k -> k.number, k -> k));
  private static final Map<Class<?>, Kind> BY_TYPE =
      Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(k -> k.type, k -> k));

  // constant after construction
  private final int number;
  private final Class<? extends Message> type;
  private final Repeat repeat;
  private final Speed speed;
  private final String reason;

  Kind(int number, Class<? extends Message> type, Repeat repeat, Speed speed, String reason) {
    this.number = number;
    this.type = type;
    this.repeat = repeat;
    this.speed = speed;
    this.reason = reason;
  }

  Kind(int number, Class<? extends Message> type) {
    this(number, type, Repeat.REPLY, Speed.SLOW, "");
  }

  /** Whether it is a request. */
  boolean isRequest() {
    return repeat != Repeat.REPLY;
  }

  /** The kind with a number, or null if there is none. */
  static @Nullable Kind of(int number) {
    return BY_NUMBER.get(number);
  }

  /**
   * The kind of a message.
   *
   * @throws IllegalArgumentException if it is none of the protocol's
   */
  static Kind of(Message message) {
    Kind kind = BY_TYPE.get(message.getClass());
    if (kind == null) {
      throw new IllegalArgumentException(message.getClass() + " is not a message of the protocol");
    }
    return kind;
  }

  int number() {
    return number;
  }

  Class<? extends Message> type() {
    return type;
  }

  RecordCodec codec() {
    return RecordCodec.of(type.asSubclass(Record.class));
  }

  Repeat repeat() {
    return repeat;
  }

  Speed speed() {
    return speed;
  }

  /** Why it may be handled twice, or may not, for people. */
  String reason() {
    return reason;
  }
}
