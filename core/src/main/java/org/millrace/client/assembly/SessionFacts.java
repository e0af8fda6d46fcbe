package org.millrace.client.assembly;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.ByteLock;
import org.millrace.message.Message;
import org.millrace.message.Recollection;
import org.millrace.protocol.ByteRanges;
import org.millrace.protocol.CallNumbers;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.Delegated;
import org.millrace.protocol.Effect;
import org.millrace.protocol.Failure;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.PointerCells;
import org.millrace.protocol.Recalled;

/**
 * What a session knows from the coordinator's answers and still holds: its places in groups, its
 * open files and their shared pointers, its locks, and the last outcomes of each channel. It tells
 * all that to a coordinator that was restarted.
 *
 * <p>Outcomes are kept because another rank may not have heard them: as many of a channel as ranks
 * can be behind, and those of the channels that were closed last.
 *
 * <p>Safe for use by several threads: one lock.
 */
public final class SessionFacts implements Recollection {

  /** More than the requests that a rank has under way on a channel. */
  private static final int OUTCOMES = 80;

  private static final int CLOSED_CHANNELS = 64;

  /** A channel of a group: 0 for the group's own. */
  private record ChannelId(long group, long channel) {}

  /** Splits and regroups that others may not have heard of yet. */
  private static final int NEW_GROUPS = 256;

  /** Who has locked bytes of which file: opened by the session itself, in no group. */
  private record BytesOwner(long file, long owner) {}

  /** The group of opens that are the session's own. */
  private static final long NO_GROUP = 0;

  /** A place in a group. */
  private record Seat(long group, int rank) {}

  // constant after construction
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final Map<Long, Integer> formed = new LinkedHashMap<>(); // sizes by group
  private final Map<Seat, Recalled.Place> places = new LinkedHashMap<>();
  private final Map<Long, Recalled.Opening> opens = new LinkedHashMap<>();
  private final Map<Long, Recalled.Pointer> pointers = new LinkedHashMap<>();
  private final Map<Long, Recalled.HeldLock> locks = new LinkedHashMap<>();
  private final Map<BytesOwner, ByteRanges> bytes = new LinkedHashMap<>();
  private final Map<ChannelId, TreeMap<Long, Recalled.Told>> outcomes = new LinkedHashMap<>();
  private final Map<ChannelId, CoordinatorReply.Opened> closed =
      new LinkedHashMap<>(); // others may still move their pointers
  private final Map<Long, CoordinatorRequest.Declare> waits = new LinkedHashMap<>();
  private final List<Recalled.SplitPart> splits = new ArrayList<>();
  private final List<Recalled.RegroupPart> regroups = new ArrayList<>();
  private final Set<Long> passed = new HashSet<>(); // pointers that others have moved on
  private long recalls; // how often another coordinator was told, or is about to be

  // set when the session has come back, until somebody has looked
  private final AtomicBoolean returned = new AtomicBoolean();

  // written with the lock held
  private volatile MemorySegment cells = MemorySegment.NULL;

  /** The memory in which the coordinator's pointers lie; of no bytes if it is not within reach. */
  public MemorySegment cells() {
    return cells;
  }

  /** How often this session has turned to another coordinator: to be asked before it is mapped. */
  public long recalls() {
    lock.lock();
    try {
      return recalls;
    } finally {
      lock.unlock();
    }
  }

  /**
   * From now on pointers may be moved there; unless the session has turned to another coordinator
   * since it had done so {@code then} times: what was mapped may be of one that has ended, and
   * nobody would stop the pointers in it.
   */
  public void cells(MemorySegment mapped, long then) {
    lock.lock();
    try {
      cells = recalls == then ? mapped : cells;
    } finally {
      lock.unlock();
    }
  }

  /** Whether the session has come back to another coordinator since this was asked last. */
  public boolean takeReturned() {
    return returned.get() && returned.compareAndSet(true, false);
  }

  @Override
  public void onReply(Message request, Message reply) {
    lock.lock();
    try {
      record(request, reply);
    } finally {
      lock.unlock();
    }
  }

  private void record(Message request, Message reply) {
    switch (request) {
      case CoordinatorRequest.Form _ when reply instanceof CoordinatorReply.Group made ->
          formed.put(made.group(), made.size());
      case CoordinatorRequest.Join r when reply instanceof CoordinatorReply.Group joined -> {
        formed.remove(joined.group()); // who forms a group joins it last: nobody else will come
        addPlace(joined.group(), joined.size(), r.rank(), joined.group(), "", "");
      }
      case CoordinatorRequest.Assemble r when reply instanceof CoordinatorReply.Assembled made ->
          addPlace(made.group(), r.size(), r.rank(), made.group(), r.job(), r.inbox());
      case CoordinatorRequest.Regroup r when reply instanceof CoordinatorReply.Regrouped made -> {
        Recalled.Place old = places.get(new Seat(r.group(), r.rank()));
        if (old != null) {
          int size = made.former().size();
          addPlace(made.group(), size, made.rank(), old.root(), old.job(), old.inbox());
        }
        add(regroups, new Recalled.RegroupPart(r.group(), r.rank(), made.group(), made.former()));
      }
      case CoordinatorRequest.Leave r -> leave(r.group(), r.rank());
      case CoordinatorRequest.Meet r -> met(r, reply);
      case CoordinatorRequest.MeetCombined r -> {
        int first = r.gathered().first();
        met(r.gathered().of(first, r.group(), r.channel(), r.sequence()), reply);
      }
      case CoordinatorRequest.Note(CoordinatorRequest.Meet r) -> {
        if (r.effect() instanceof Effect.Close(long open)) {
          close(open);
        }
      }
      case CoordinatorRequest.Lock r when reply instanceof CoordinatorReply.Locked granted ->
          locks.put(granted.lock(), new Recalled.HeldLock(granted.lock(), r));
      case CoordinatorRequest.Unlock r -> locks.remove(r.lock());
      case CoordinatorRequest.OfFile.Open r when reply instanceof CoordinatorReply.FileOpened own ->
          opened(r.flags(), own);
      case CoordinatorRequest.OfFile.GiveBack r -> r.given().forEach(this::givenBack);
      case CoordinatorRequest.OfFile.Close r -> closeOwn(r.open());
      case CoordinatorRequest.OfBytes.LockBytes r
          when reply instanceof CoordinatorReply.Value(long done) && done == 1 ->
          locked(r.open(), r.lock());
      case CoordinatorRequest.OfBytes.UnlockBytes r ->
          bytes.remove(new BytesOwner(fileOf(r.open()), r.owner()));
      case CoordinatorRequest.Renew r when reply instanceof CoordinatorReply.Granted granted ->
          renew(r.open(), granted.capability());
      case CoordinatorRequest.PointerSet r when reply instanceof CoordinatorReply.Moved moved ->
          saw(r.pointer(), moved.value(), moved.stamp());
      case CoordinatorRequest.Declare r -> waits.put(r.number(), r);
      case CoordinatorRequest.Undeclare r -> waits.remove(r.number());
      default -> {} // it holds nothing by that
    }
  }

  private void opened(OpenFlags flags, CoordinatorReply.FileOpened reply) {
    CoordinatorReply.Opened own = reply.opened();
    opens.put(
        own.open(),
        new Recalled.Opening(NO_GROUP, flags, own, own.capability(), reply.delegated()));
  }

  private void givenBack(Delegated delegated) {
    opens.replaceAll(
        (number, was) ->
            was.opened().file() == delegated.file() && number <= delegated.open()
                ? new Recalled.Opening(was.group(), was.flags(), was.opened(), was.capability())
                : was);
  }

  private void closeOwn(long open) {
    Recalled.Opening was = opens.remove(open);
    if (was == null) {
      return;
    }
    long file = was.opened().file();
    forget(was.opened());
    if (fileIsClosed(file)) {
      bytes.keySet().removeIf(owner -> owner.file == file);
    }
  }

  private boolean fileIsClosed(long file) {
    return opens.values().stream()
        .noneMatch(open -> open.group() == NO_GROUP && open.opened().file() == file);
  }

  /** The file of an open of the session; 0, which is none, if it is not open. */
  private long fileOf(long open) {
    Recalled.Opening known = opens.get(open);
    return known == null ? 0 : known.opened().file();
  }

  private void locked(long open, ByteLock lock) {
    BytesOwner owner = new BytesOwner(fileOf(open), lock.owner());
    ByteRanges ranges = bytes.computeIfAbsent(owner, _ -> new ByteRanges());
    ranges.set(lock);
    if (ranges.isEmpty() || owner.file == 0) {
      bytes.remove(owner);
    }
  }

  /** All that is locked, each range by way of one of the opens of its file. */
  private List<Recalled.HeldBytes> lockedBytes(List<Message> unanswered) {
    List<Recalled.HeldBytes> all = new ArrayList<>();
    keptBytes(unanswered)
        .forEach(
            (owner, ranges) ->
                opens.values().stream()
                    .filter(open -> open.group() == NO_GROUP && open.opened().file() == owner.file)
                    .findFirst()
                    .ifPresent(
                        open ->
                            ranges
                                .locks(owner.owner)
                                .forEach(
                                    lock ->
                                        all.add(
                                            new Recalled.HeldBytes(open.opened().open(), lock)))));
    return all;
  }

  /** What is locked, but not what was given back or shared unheard: others may have got that. */
  private Map<BytesOwner, ByteRanges> keptBytes(List<Message> unanswered) {
    Map<BytesOwner, ByteRanges> kept = new LinkedHashMap<>();
    bytes.forEach((owner, ranges) -> kept.put(owner, ranges.copy()));
    for (Message one : unanswered) {
      if (one instanceof CoordinatorRequest.OfBytes.UnlockBytes(long open, long owner)) {
        kept.remove(new BytesOwner(fileOf(open), owner));
      }
      if (one instanceof CoordinatorRequest.OfBytes.LockBytes r) {
        ByteRanges ranges = kept.get(new BytesOwner(fileOf(r.open()), r.lock().owner()));
        if (ranges != null) {
          ranges.weaken(r.lock());
        }
      }
    }
    return kept;
  }

  private void addPlace(long group, int size, int rank, long root, String job, String inbox) {
    places.put(new Seat(group, rank), new Recalled.Place(group, size, rank, root, job, inbox));
  }

  /** A rank that leaves a group that was formed leaves all groups made from it, too. */
  private void leave(long group, int rank) {
    places
        .values()
        .removeIf(place -> place.group() == group && place.rank() == rank || place.root() == group);
    Set<Long> left = new HashSet<>();
    places.values().forEach(place -> left.add(place.group()));
    opens.values().removeIf(open -> open.group() != NO_GROUP && !left.contains(open.group()));
    outcomes.keySet().removeIf(channel -> !left.contains(channel.group()));
    locks.values().removeIf(held -> !left.contains(held.lock().group()));
    waits.values().removeIf(wait -> !left.contains(wait.group()));
    splits.removeIf(part -> !left.contains(part.group()));
    regroups.removeIf(part -> !left.contains(part.group()));
  }

  private void met(CoordinatorRequest.Meet meet, Message reply) {
    switch (reply) {
      case CoordinatorReply.Met met -> {
        moved(meet, met);
        remember(meet, new Recalled.Told.Met(met));
        if (meet.effect() instanceof Effect.Close(long open)) {
          close(open);
        }
      }
      case CoordinatorReply.Exchanged all -> remember(meet, new Recalled.Told.Exchanged(all));
      case CoordinatorReply.Digested all -> remember(meet, new Recalled.Told.Digested(all));
      case CoordinatorReply.Opened opened when meet.effect() instanceof Effect.Open effect -> {
        opens.put(
            opened.open(),
            new Recalled.Opening(meet.group(), effect.flags(), opened, opened.capability()));
        remember(meet, new Recalled.Told.Opened(effect.flags(), opened));
      }
      case CoordinatorReply.Split split -> {
        Recalled.Place old = places.get(new Seat(meet.group(), meet.rank()));
        if (old != null && split.rank() >= 0) {
          addPlace(split.group(), split.size(), split.rank(), old.root(), "", old.inbox());
        }
        remember(meet, new Recalled.Told.Split());
        if (meet.effect() instanceof Effect.Split wanted) {
          add(splits, part(meet, wanted, split.group()));
        }
      }
      default -> {} // not an answer to a meeting
    }
  }

  private static Recalled.SplitPart part(
      CoordinatorRequest.Meet meet, Effect.Split wanted, long told) {
    return new Recalled.SplitPart(
        meet.group(), meet.rank(), meet.sequence(), wanted.color(), wanted.key(), told);
  }

  private static <T> void add(List<T> parts, T part) {
    if (parts.size() >= NEW_GROUPS) {
      parts.removeFirst();
    }
    parts.add(part);
  }

  /** What a meeting did to pointers. */
  private void moved(CoordinatorRequest.Meet meet, CoordinatorReply.Met met) {
    switch (meet.effect()) {
      case Effect.Take take -> {
        long delta =
            take.once() ? met.values().getFirst() : met.values().stream().mapToLong(v -> v).sum();
        long end = PointerCells.after(met.base(), delta, 0, met.limit());
        saw(take.pointer(), end, met.stamp());
        if (take.follower() != 0 && delta > 0) {
          saw(take.follower(), end, met.stamp());
        }
      }
      case Effect.Set set -> saw(set.pointer(), set.value(), met.stamp());
      default -> {}
    }
  }

  /** A pointer stood there; of what was seen between the same settings, the furthest counts. */
  private void saw(long key, long value, long stamp) {
    Recalled.Pointer before = pointers.get(key);
    if (before == null
        || stamp == Recalled.Pointer.UNSURE
        || stamp > before.stamp()
        || stamp == before.stamp() && value > before.value()) {
      pointers.put(key, new Recalled.Pointer(key, value, stamp, 0, 0));
    }
  }

  private void remember(CoordinatorRequest.Meet meet, Recalled.Told told) {
    TreeMap<Long, Recalled.Told> all =
        outcomes.computeIfAbsent(
            new ChannelId(meet.group(), meet.channel()), _ -> new TreeMap<>(CallNumbers.ORDER));
    all.put(meet.sequence(), told);
    if (all.size() > OUTCOMES) {
      all.pollFirstEntry();
    }
  }

  private void close(long open) {
    Recalled.Opening was = opens.remove(open);
    if (was == null) {
      return;
    }
    closed.put(new ChannelId(was.group(), open), was.opened());
    while (closed.size() > CLOSED_CHANNELS) {
      var oldest = closed.entrySet().iterator().next();
      outcomes.remove(oldest.getKey());
      closed.remove(oldest.getKey());
      forget(oldest.getValue());
    }
  }

  /** Forgets where the pointers of a file stand that was closed long ago. */
  private void forget(CoordinatorReply.Opened opened) {
    pointers.remove(opened.pointer());
    pointers.remove(opened.viewEndPointer());
    boolean elsewhere =
        opens.values().stream()
            .anyMatch(other -> other.opened().endPointer() == opened.endPointer());
    if (!elsewhere) {
      pointers.remove(opened.endPointer());
    }
  }

  private void renew(long open, Capability capability) {
    opens.computeIfPresent(
        open,
        (_, was) ->
            new Recalled.Opening(
                was.group(), was.flags(), was.opened(), capability, was.delegated()));
  }

  @Override
  public void onFailure(Message request, MillraceException error) {
    lock.lock();
    try {
      switch (request) {
        case CoordinatorRequest.Meet meet -> failed(meet, error);
        case CoordinatorRequest.MeetCombined r -> {
          int first = r.gathered().first();
          failed(r.gathered().of(first, r.group(), r.channel(), r.sequence()), error);
        }
        case CoordinatorRequest.Note(CoordinatorRequest.Meet meet) -> failed(meet, error);
        case CoordinatorRequest.Unlock r -> locks.remove(r.lock());
        case CoordinatorRequest.Leave r -> leave(r.group(), r.rank());
        default -> {}
      }
    } finally {
      lock.unlock();
    }
  }

  private void failed(CoordinatorRequest.Meet meet, MillraceException error) {
    remember(meet, new Recalled.Told.Failed(Failure.of(error)));
    boolean gone = error.code() == ErrorCode.RANK_FAILED || error.code() == ErrorCode.CLOSED;
    if (gone && meet.effect() instanceof Effect.Close(long open)) {
      close(open); // the rank does not use it any more
    }
  }

  @Override
  public void onAdvanced(long key, long delta, long floor, long limit, long start, long stamp) {
    lock.lock();
    try {
      saw(key, PointerCells.after(start, delta, floor, limit), stamp);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public CoordinatorRequest.Recall recall(List<Message> unanswered) {
    lock.lock();
    try {
      recalls++;
      freeze();
      List<Recalled.Call> calls = new ArrayList<>();
      List<CoordinatorRequest.Assemble> assembling = new ArrayList<>();
      List<Recalled.SplitPart> splitting = new ArrayList<>(splits);
      List<Recalled.RegroupPart> regrouping = new ArrayList<>(regroups);
      Set<Long> givenBack = new HashSet<>(); // others may have got them since
      for (Message one : unanswered) {
        if (one instanceof CoordinatorRequest.Unlock(long number)) {
          givenBack.add(number);
        }
        if (one instanceof CoordinatorRequest.Assemble assemble) {
          assembling.add(assemble);
        }
        if (one instanceof CoordinatorRequest.Meet meet) {
          calls.add(new Recalled.Call(meet.group(), meet.rank(), meet.channel(), meet.sequence()));
          if (meet.effect() instanceof Effect.Split wanted) {
            splitting.add(part(meet, wanted, Recalled.SplitPart.UNANSWERED));
          }
        }
        if (one instanceof CoordinatorRequest.Regroup r) {
          regrouping.add(
              new Recalled.RegroupPart(
                  r.group(), r.rank(), Recalled.RegroupPart.UNANSWERED, List.of()));
        }
      }
      List<Recalled.Outcome> told = new ArrayList<>();
      outcomes.forEach(
          (channel, all) ->
              all.forEach(
                  (sequence, one) ->
                      told.add(
                          new Recalled.Outcome(
                              channel.group(), channel.channel(), sequence, one))));
      return new CoordinatorRequest.Recall(
          formed.entrySet().stream()
              .map(each -> new Recalled.Formed(each.getKey(), each.getValue()))
              .toList(),
          List.copyOf(places.values()),
          List.copyOf(opens.values()),
          List.copyOf(pointers.values()),
          locks.values().stream().filter(held -> !givenBack.contains(held.number())).toList(),
          told,
          calls,
          assembling,
          List.copyOf(waits.values()),
          splitting,
          regrouping,
          lockedBytes(unanswered));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Pointers in the memory of the coordinator that has ended stand still from now on: the first
   * session that comes back stops them for all.
   */
  private void freeze() {
    MemorySegment memory = cells;
    cells = MemorySegment.NULL;
    for (Recalled.Opening open : opens.values()) {
      CoordinatorReply.Opened opened = open.opened();
      for (long key : List.of(opened.pointer(), opened.endPointer(), opened.viewEndPointer())) {
        long value =
            PointerCells.holds(memory, key) ? PointerCells.freeze(memory, key) : PointerCells.GONE;
        if (value != PointerCells.GONE) {
          pointers.put(
              key,
              new Recalled.Pointer(
                  key,
                  value,
                  Recalled.Pointer.FROZEN,
                  PointerCells.markedOpen(memory, key),
                  PointerCells.markedCall(memory, key)));
        }
      }
    }
  }

  @Override
  public void onRecalled(Message reply) {
    lock.lock();
    try {
      returned.set(true);
      passed.clear();
      pointers.replaceAll(
          (_, seen) -> seen.stamp() == Recalled.Pointer.FROZEN ? seen.thawed() : seen);
      if (reply instanceof CoordinatorReply.Recalled(List<Long> keys)) {
        passed.addAll(keys);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The coordinator knows what it has answered to changes of names; it does not of pointers. */
  @Override
  public boolean mayRepeat(Message request) {
    return !(request instanceof CoordinatorRequest.PointerSet);
  }

  @Override
  public boolean mayAdvanceAgain(long key) {
    lock.lock();
    try {
      return !passed.contains(key);
    } finally {
      lock.unlock();
    }
  }
}
