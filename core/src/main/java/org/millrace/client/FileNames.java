package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.message.Pending;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/**
 * The names of the cluster's files and directories, with {@code /} between the names of a path. A
 * path may begin with {@code /} or not: {@code /a/b} is {@code a/b}; the root is "" or "/". None of
 * these calls is synchronizing. Safe for use by several threads.
 */
public final class FileNames {

  private final Session session;

  FileNames(Session session) {
    this.session = session;
  }

  /** The names in a directory, sorted; those of directories end in {@code /}. */
  public List<String> list(String directory) throws IOException {
    return ((CoordinatorReply.Names) session.ask(new CoordinatorRequest.ListNames(directory)))
        .names();
  }

  /** What the coordinator knows of a name. */
  public FileEntry stat(String path) throws IOException {
    return ((CoordinatorReply.About) session.ask(new CoordinatorRequest.Stat(path))).entry();
  }

  /** How a file is striped. */
  public Layout layout(String path) throws IOException {
    return stat(path)
        .layout()
        .orElseThrow(
            () ->
                new MillraceException(ErrorCode.WRONG_KIND, path + " is a directory, not a file"));
  }

  /** The size of a file in bytes. */
  public long size(String path) throws IOException {
    FileEntry entry = stat(path);
    Layout layout =
        entry.layout().orElseThrow(() -> new IllegalArgumentException(path + " is a directory"));
    if (layout.nodes().stream().anyMatch(session.nodes()::isGuarded)) {
      return sizeOfOpen(path); // nodes elsewhere talk only of files that one has open
    }
    long[] ends = new long[layout.strands()];
    for (int s = 0; s < ends.length; s++) {
      var request = new NodeRequest.Size(new StrandId(entry.id(), s));
      var reply =
          session.node(layout.nodes().get(s)).call(request, Session.NOTHING, session.deadline());
      ends[s] = ((NodeReply.Count) reply).bytes();
    }
    return layout.fileSize(ends);
  }

  private long sizeOfOpen(String path) throws IOException {
    long group = session.form(1);
    Rank alone = Rank.join(session, group, 0, List.of(session.participant()));
    try (SharedFile file = alone.open(path, OpenOptions.read())) {
      return file.size();
    } finally {
      alone.leave("");
    }
  }

  /** Makes a directory. */
  public void makeDirectory(String path) throws IOException {
    session.ask(new CoordinatorRequest.MakeDirectory(path, 0755));
  }

  /** Renames a file or directory; fails if {@code to} exists. */
  public void rename(String from, String to) throws IOException {
    session.ask(new CoordinatorRequest.Rename(from, to, false));
  }

  /**
   * Renames a file; one that has the name goes, in the same step: anyone who looks finds the old
   * one or the new one. Ranks that have the old one open keep it.
   */
  public void replace(String from, String to) throws IOException {
    discard(new CoordinatorRequest.Unlink(to, from));
  }

  /** As {@link #replace}, but refused with IN_USE while the file that would go is open. */
  public void replaceUnused(String from, String to) throws IOException {
    discard(new CoordinatorRequest.Rename(from, to, true));
  }

  /** Throws what {@link #replaceUnused} would if another file were to get this name now. */
  public void checkReplaceable(String path) throws IOException {
    session.ask(new CoordinatorRequest.Rename(path, path, true));
  }

  /**
   * Removes a file, or an empty directory. The bytes of a file go with it, or later, when it is not
   * open any more.
   */
  public void remove(String path) throws IOException {
    discard(new CoordinatorRequest.Unlink(path, ""));
  }

  /** As {@link #remove}, but refused with IN_USE while the file is open. */
  public void removeUnused(String path) throws IOException {
    discard(new CoordinatorRequest.Remove(path));
  }

  private void discard(CoordinatorRequest request) throws IOException {
    if (session.ask(request) instanceof CoordinatorReply.About gone) {
      removeStrands(session, gone.entry().id(), gone.entry().layout());
    }
  }

  /** Changes the mode bits, as chmod does. */
  public void setPermissions(String path, int permissions) throws IOException {
    session.ask(new CoordinatorRequest.SetPermissions(path, permissions));
  }

  /**
   * Says on how many nodes the strands of new files in a directory are, and of those in directories
   * below it that say nothing else; 0: as the directory above says. The root's number is the
   * cluster's.
   */
  public void setCopies(String directory, int copies) throws IOException {
    session.ask(new CoordinatorRequest.SetCopies(directory, copies));
  }

  /** Removes what nodes keep of a file whose name is gone. */
  static void removeStrands(Session session, long id, Optional<Layout> of) throws IOException {
    List<Pending> pending = new ArrayList<>();
    of.ifPresent(
        layout -> {
          for (int s = 0; s < layout.strands(); s++) {
            if (session.nodes().isGuarded(layout.nodes().get(s))) {
              continue; // a node elsewhere asks the coordinator what to remove
            }
            var request = new NodeRequest.Remove(new StrandId(id, s));
            pending.add(session.node(layout.nodes().get(s)).start(request, Session.NOTHING));
          }
        });
    for (Pending one : pending) {
      try {
        one.await(session.deadline());
      } catch (MillraceException e) {
        if (e.code() != ErrorCode.NOT_PERMITTED) {
          throw e;
        } // who may remove a name need not be able to write the file: then its nodes remove it
      }
    }
  }
}
