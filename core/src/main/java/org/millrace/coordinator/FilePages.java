package org.millrace.coordinator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileStatus;
import org.millrace.protocol.CoordinatorReply.Entries;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.FileFacts;

/**
 * Directories in parts: a part costs what it holds, and not what the directory holds. Guarded by
 * the coordinator's lock.
 */
final class FilePages {

  /** About how many bytes an answer has at most. */
  static final int MAX_BYTES = 1 << 20;

  /** What an entry takes beside texts and nodes. */
  private static final int ENTRY_BYTES = 128;

  // constant after construction
  private final Names names;
  private final NameRules rules;

  // guarded by the coordinator's lock
  private long visited; // for tests

  FilePages(Names names, NameRules rules) {
    this.names = names;
    this.rules = rules;
  }

  /** A part of a directory. */
  record Page(List<Entries.Entry> entries, boolean more) {}

  /** How many names were looked at so far. */
  long visited() {
    return visited;
  }

  Page list(User user, OfFile.ListEntries request) throws MillraceException {
    NameEntry directory = rules.require(user, request.directory());
    if (!directory.isDirectory()) {
      throw new MillraceException(
          ErrorCode.NOT_A_DIRECTORY,
          "%s is %s, not a directory"
              .formatted(Paths.show(request.directory().path()), directory.kindName()));
    }
    rules.checkAllowed(user, directory, NameEntry.READ, "list");
    if (request.most() < 1) {
      throw new MillraceException(
          ErrorCode.INVALID, "at most " + request.most() + " names, must be at least 1");
    }
    boolean searched = rules.allows(user, directory, NameEntry.SEARCH);
    List<Entries.Entry> entries = new ArrayList<>();
    long bytes = 0;
    for (Map.Entry<String, NameEntry> one :
        directory.children.tailMap(request.after(), false).entrySet()) {
      visited++;
      if (NameRules.isHidden(directory, one.getKey())) {
        continue;
      }
      if (entries.size() == request.most() || bytes >= MAX_BYTES) {
        return new Page(entries, true);
      }
      FileFacts facts =
          searched ? one.getValue().facts(names.copyEpoch()) : nameOnly(one.getValue());
      entries.add(new Entries.Entry(one.getKey(), facts));
      bytes += bytes(one.getKey(), facts);
    }
    return new Page(entries, false);
  }

  /** What one hears who may read a directory and not search it: as much as names tell. */
  private static FileFacts nameOnly(NameEntry entry) {
    FileStatus all = entry.status();
    var none = new FileStatus.Times(0, 0, 0, 0);
    var told = new FileStatus(all.id(), all.kind(), 0, "", "", 0, 0, none, 0);
    return new FileFacts(told, Optional.empty(), 0, 0);
  }

  private static long bytes(String name, FileFacts facts) {
    long texts =
        (long) name.length() + facts.status().owner().length() + facts.status().group().length();
    int runs = facts.layout().map(layout -> layout.nodeRuns().runs()).orElse(0);
    return ENTRY_BYTES + 3 * texts + 2L * Integer.BYTES * runs;
  }
}
