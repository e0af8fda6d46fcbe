package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;

/**
 * The n-th synchronizing call of a group on one channel.
 *
 * <pre>
 *   gathering --all have arrived--> over            (forgotten; the effect answers)
 *   gathering --mismatch, failed rank, withdrawal, deadlock--> failed
 *   failed    --all living ranks have arrived or left--> over
 * </pre>
 *
 * <p>Guarded by the coordinator's lock.
 */
final class Meeting {

  // constant after construction
  final Group group;
  final MeetingChannel channel;
  final long sequence;

  // guarded by the coordinator's lock
  private final TreeMap<Integer, MeetingPart> parts =
      new TreeMap<>(); // by rank; many may never come
  private @Nullable MeetingPart first;
  private final Set<Integer> direct = new HashSet<>(); // the others came through another rank
  private final List<ReplyTo> proxies = new ArrayList<>();
  private @Nullable MillraceException error;

  Meeting(Group group, MeetingChannel channel, long sequence) {
    this.group = group;
    this.channel = channel;
    this.sequence = sequence;
  }

  boolean has(int rank) {
    return parts.containsKey(rank);
  }

  /** Whether a rank arrived directly. */
  boolean hasDirect(int rank) {
    return direct.contains(rank);
  }

  /** A rank arrives directly, perhaps after a proxy arrived for it. */
  void add(MeetingPart part) {
    direct.add(part.member().rank);
    put(part);
  }

  /** Another rank speaks for this one, which may be here already. */
  void addFor(MeetingPart part) {
    if (!has(part.member().rank)) {
      put(part);
    }
  }

  private void put(MeetingPart part) {
    parts.put(part.member().rank, part);
    if (first == null) {
      first = part;
    }
  }

  /** A proxy for several ranks is answered once. */
  void addProxy(ReplyTo replyTo) {
    proxies.add(replyTo);
  }

  List<ReplyTo> proxies() {
    return proxies;
  }

  /** Lets the meeting's answer go to {@code outcome}, too: all ranks get the same. */
  void tellToo(MeetingOutcome outcome) {
    MeetingPart part = parts.firstEntry().getValue();
    parts.put(part.member().rank, part.withReplyTo(new Both(part.replyTo(), outcome)));
  }

  /** Answers two at once. */
  private record Both(ReplyTo one, ReplyTo other) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      one.reply(reply);
      other.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      one.fail(error);
      other.fail(error);
    }
  }

  /** How many came by themselves. */
  int arriveDirectly() {
    return direct.size();
  }

  /** Whose call the others are compared with. */
  MeetingPart first() {
    if (first == null) {
      throw new IllegalStateException("no rank has arrived");
    }
    return first;
  }

  boolean isFull() {
    return parts.size() == group.size;
  }

  /** Those that have arrived, by rank. */
  List<MeetingPart> parts() {
    return new ArrayList<>(parts.values());
  }

  Optional<MillraceException> error() {
    return Optional.ofNullable(error);
  }

  void fail(MillraceException reason) {
    error = reason;
  }

  /** Whether all ranks that can still arrive have arrived. */
  boolean isComplete() {
    if (isFull()) {
      return true;
    }
    List<GroupMember> joined = group.joinedMembers();
    return joined.size() == group.size
        && joined.stream().allMatch(member -> member.hasLeft() || has(member.rank));
  }

  List<Integer> missingRanks() {
    List<Integer> missing = new ArrayList<>();
    for (int rank = 0; rank < group.size; rank++) {
      if (!has(rank)) {
        missing.add(rank);
      }
    }
    return missing;
  }

  /** The members that have joined the group but not arrived yet. */
  List<GroupMember> missingMembers() {
    return group.joinedMembers().stream().filter(member -> !has(member.rank)).toList();
  }

  /** The call for people. */
  String title() {
    String name = first == null ? "call" : first.meet().call();
    return title(name, channel, sequence);
  }

  static String title(String call, MeetingChannel channel, long sequence) {
    return call + " #" + sequence + (channel.number == 0 ? "" : " on open " + channel.number);
  }
}
