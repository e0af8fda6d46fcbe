package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.error.MillraceException;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.OpenFlags;
import org.millrace.protocol.Recalled;

/**
 * Which files are open, how often, and which of them are removed when they are closed. Guarded by
 * the coordinator's lock.
 */
final class Opens {

  private static final long[] NOBODY = {};

  // constant after construction
  private final Pointers pointers;
  private final Quotas bounds;

  // guarded by the coordinator's lock
  private final Map<Long, FileOpens> byFile = new HashMap<>();
  private long nextNumber;

  Opens(Pointers pointers, Quotas bounds, Life life) {
    this.nextNumber = life.firstNumber();
    this.bounds = bounds;
    this.pointers = pointers;
  }

  /** Whether a group may have one more file open. */
  void checkMayOpen(Group group) throws MillraceException {
    String whose = group.isSession() ? "session " + group.founder.session() : "group " + group.id;
    Quotas.check(group.opens.size(), bounds.opens(), whose + "'s list of open files");
  }

  /**
   * Notes that a file is open for a group; {@code shared} says whether its ranks share a pointer.
   */
  Open add(Group group, long file, OpenFlags flags, boolean shared) throws MillraceException {
    long[] sessions = sessions(group);
    FileOpens all = byFile.get(file);
    if (all == null) {
      all = new FileOpens(pointers.add(NOBODY));
    }
    long pointer = shared ? pointers.add(sessions) : 0;
    long viewEndPointer = shared && flags.append() ? pointers.add(sessions) : 0;
    long number = nextNumber++;
    Open open =
        new Open(
            number,
            group,
            file,
            flags,
            new MeetingChannel(number),
            pointer,
            all.endPointer,
            viewEndPointer,
            new TreeMap<>(),
            new HashSet<>());
    group.opens.put(number, open);
    byFile.put(file, all);
    all.opens.add(open);
    all.deleteOnClose |= flags.deleteOnClose();
    if (flags.write() && all.count(sessions, 1)) {
      pointers.serve(all.endPointer, all.sessions());
    }
    return open;
  }

  /**
   * A file that a group had open when the coordinator was restarted.
   *
   * @param opening as a rank of the group was told; it was checked
   * @param mayRemove whether its user may remove the file, should the opening say that its close
   *     does
   */
  Open restore(Group group, Recalled.Opening opening, boolean mayRemove) {
    CoordinatorReply.Opened opened = opening.opened();
    OpenFlags flags = opening.flags();
    FileOpens all = byFile.computeIfAbsent(opened.file(), _ -> new FileOpens(opened.endPointer()));
    Open open =
        new Open(
            opened.open(),
            group,
            opened.file(),
            flags,
            new MeetingChannel(opened.open()),
            opened.pointer(),
            all.endPointer,
            opened.viewEndPointer(),
            new TreeMap<>(),
            new HashSet<>());
    group.opens.put(open.number(), open);
    all.opens.add(open);
    all.deleteOnClose |= flags.deleteOnClose() && mayRemove;
    if (flags.write() && all.count(sessions(group), 1)) {
      pointers.serve(all.endPointer, all.sessions());
    }
    return open;
  }

  /** Notes by which name a file was opened that is to be removed when it is closed. */
  void deletes(FileOpener.Found found) {
    FileOpens all = byFile.get(found.entry().id);
    if (all != null) {
      all.place = found.place().orElse(null);
      all.several = !found.entry().more.isEmpty();
    }
  }

  /**
   * The name that goes with the last close of a file that is to be removed then: the one by which
   * it was opened, for that its opener was allowed to take away. A file that had no other may have
   * been renamed.
   */
  Optional<NameEntry.Place> nameToDelete(NameEntry entry) {
    FileOpens all = byFile.get(entry.id);
    NameEntry.Place place = all == null ? null : all.place;
    if (place != null && place.parent().children.get(place.name()) == entry) {
      return Optional.of(place);
    }
    boolean only = all != null && !all.several && entry.links() == 1;
    return only ? Optional.of(new NameEntry.Place(entry.parent, entry.name)) : Optional.empty();
  }

  /** Whether a file is open with another end than {@code endPointer}. */
  boolean hasOtherEnd(long file, long endPointer) {
    FileOpens all = byFile.get(file);
    return all != null && all.endPointer != endPointer;
  }

  static long[] sessions(Group group) {
    return group.joinedMembers().stream().mapToLong(m -> m.actor.peer.session()).toArray();
  }

  /** Closes; returns whether that was the last open of a file that is to be removed then. */
  boolean remove(Open open) {
    open.group().opens.remove(open.number());
    if (open.pointer() != 0) {
      pointers.remove(open.pointer());
    }
    if (open.viewEndPointer() != 0) {
      pointers.remove(open.viewEndPointer());
    }
    FileOpens all = byFile.get(open.file());
    if (all == null) {
      throw new IllegalStateException("file " + open.file() + " is not open");
    }
    all.opens.remove(open);
    if (!all.opens.isEmpty()) {
      if (open.flags().write() && all.count(sessions(open.group()), -1)) {
        pointers.serve(all.endPointer, all.sessions());
      }
      return false;
    }
    byFile.remove(open.file());
    pointers.remove(all.endPointer);
    return all.deleteOnClose;
  }

  /** The opens of a file. */
  List<Open> of(long file) {
    FileOpens all = byFile.get(file);
    return all == null ? List.of() : List.copyOf(all.opens);
  }

  /** All opens, the oldest first. */
  List<Open> all() {
    return byFile.values().stream()
        .flatMap(all -> all.opens.stream())
        .sorted(Comparator.comparingLong(Open::number))
        .toList();
  }

  /** Whether a session has a file open without a group. */
  boolean hasAlone(long session, long file) {
    FileOpens all = byFile.get(file);
    return all != null
        && all.opens.stream()
            .anyMatch(
                open -> open.group().isSession() && open.group().founder.session() == session);
  }

  /** Whether an actor has a file open for all that is asked. */
  boolean allow(Actor actor, long file, boolean read, boolean write) {
    return of(actor, file)
        .anyMatch(open -> (open.flags().read() || !read) && (open.flags().write() || !write));
  }

  /** How often an actor has a file open, in whatever groups. */
  long by(Actor actor, long file) {
    return of(actor, file).count();
  }

  private static Stream<Open> of(Actor actor, long file) {
    return actor.members.stream()
        .flatMap(
            member ->
                member.group.opens.values().stream()
                    .filter(open -> open.file() == file && !open.isClosedBy(member.rank)));
  }

  /** All opens of one file. */
  private static final class FileOpens {
    final List<Open> opens = new ArrayList<>();
    final long endPointer;
    private final Map<Long, Integer> writers = new HashMap<>(); // opens by session
    boolean deleteOnClose;
    NameEntry.@Nullable Place place; // that goes then
    boolean several; // names had the file when it was opened so

    FileOpens(long endPointer) {
      this.endPointer = endPointer;
    }

    /** Counts an open for writing that came or went; returns whether there are other sessions. */
    boolean count(long[] sessions, int change) {
      int before = writers.size();
      boolean came = false;
      for (long session : sessions) {
        came |= !writers.containsKey(session);
        writers.merge(session, change, (a, b) -> a + b == 0 ? null : a + b);
      }
      return came || writers.size() != before;
    }

    long[] sessions() {
      return writers.keySet().stream().mapToLong(Long::longValue).toArray();
    }
  }
}
