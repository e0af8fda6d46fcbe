package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.millrace.error.MillraceException;
import org.millrace.protocol.OpenFlags;

/**
 * Which files are open, how often, and which of them are removed when they are closed. Guarded by
 * the coordinator's lock.
 */
final class Opens {

  // constant after construction
  private final Pointers pointers;
  private final Quotas bounds;

  // guarded by the coordinator's lock
  private final Map<Long, FileOpens> byFile = new HashMap<>();
  private long nextNumber = 1;

  Opens(Pointers pointers, Quotas bounds) {
    this.bounds = bounds;
    this.pointers = pointers;
  }

  /** Whether a group may have one more file open. */
  void checkMayOpen(Group group) throws MillraceException {
    Quotas.check(group.opens.size(), bounds.opens(), "group " + group.id + "'s list of open files");
  }

  Open add(Group group, long file, OpenFlags flags) throws MillraceException {
    long[] sessions =
        group.joinedMembers().stream().mapToLong(m -> m.actor.peer.session()).toArray();
    long pointer = pointers.add(sessions);
    long endPointer = pointers.add(sessions);
    long number = nextNumber++;
    Open open =
        new Open(
            number,
            group,
            file,
            flags,
            new MeetingChannel(number),
            pointer,
            endPointer,
            new HashSet<>());
    group.opens.put(number, open);
    FileOpens all = byFile.computeIfAbsent(file, _ -> new FileOpens());
    all.opens.add(open);
    all.deleteOnClose |= flags.deleteOnClose();
    return open;
  }

  /** Closes; returns whether that was the last open of a file that is to be removed then. */
  boolean remove(Open open) {
    open.group().opens.remove(open.number());
    pointers.remove(open.pointer());
    pointers.remove(open.endPointer());
    FileOpens all = byFile.get(open.file());
    if (all == null) {
      throw new IllegalStateException("file " + open.file() + " is not open");
    }
    all.opens.remove(open);
    if (!all.opens.isEmpty()) {
      return false;
    }
    byFile.remove(open.file());
    return all.deleteOnClose;
  }

  /** The opens of a file. */
  List<Open> of(long file) {
    FileOpens all = byFile.get(file);
    return all == null ? List.of() : List.copyOf(all.opens);
  }

  /** All opens of one file. */
  private static final class FileOpens {
    final List<Open> opens = new ArrayList<>();
    boolean deleteOnClose;
  }
}
