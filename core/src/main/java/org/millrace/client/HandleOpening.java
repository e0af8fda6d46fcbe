package org.millrace.client;

import java.io.IOException;
import java.util.Set;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorReply.Opened;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.OpenFlags;
import org.millrace.transfer.Strands;
import org.millrace.transfer.Strands.Showing;

/**
 * Opens a file for one session. The coordinator finds or makes the name; nodes are asked only if
 * the file is to be cut, is new and has blocks of another size, or has a transaction to finish.
 *
 * <p>Safe for use by several threads: holds no state.
 */
final class HandleOpening {

  private final ClusterTree tree;
  private final Session session;

  HandleOpening(ClusterTree tree, Session session) {
    this.tree = tree;
    this.session = session;
  }

  /** What the coordinator is asked. */
  static OfFile.Open request(FilePath path, Set<Opening> how, NewFile attributes) {
    boolean exclusive = how.contains(Opening.EXCLUSIVE);
    boolean write = how.contains(Opening.WRITE);
    boolean truncate = how.contains(Opening.TRUNCATE);
    if (!write && !how.contains(Opening.READ)) {
      throw new IllegalArgumentException("a file must be opened for reading or writing");
    }
    if (truncate && !write) {
      throw new IllegalArgumentException("truncating needs a file opened for writing");
    }
    OpenFlags flags =
        new OpenFlags(
            how.contains(Opening.READ),
            write,
            exclusive || how.contains(Opening.CREATE),
            exclusive,
            truncate,
            false,
            false,
            attributes.permissions() & 0777,
            0,
            0);
    return new OfFile.Open(path, flags, attributes);
  }

  ClusterHandle open(OfFile.Open request, CoordinatorReply.FileOpened reply) throws IOException {
    Opened opened = reply.opened();
    OpenFlags flags = request.flags();
    Strands strands =
        Strands.ofHandle(session.carrier(), opened.file(), opened.layout(), opened.copyEpoch());
    try {
      Showing showing = flags.write() ? Showing.OPENING : Showing.OPENING_TO_READ;
      strands.present(opened.capability(), opened.holder(), showing);
      if (!opened.confirmed()) {
        strands.create();
        session.ask(new CoordinatorRequest.Confirm(opened.file()));
      }
      if (opened.unfinished()) {
        UnfinishedTransactions.finish(session, opened.file());
      }
      if (flags.truncate() && !opened.created()) {
        strands.resize(0);
        FilePointer.forgetEnd(session, opened);
      }
    } catch (IOException | RuntimeException e) {
      giveUp(opened, e);
      throw e;
    }
    session.renewals().add(0, opened.open(), strands, opened.capability());
    return new ClusterHandle(tree, session, request, reply, strands);
  }

  private void giveUp(Opened opened, Exception e) {
    try {
      tree.removeStrands(
          (CoordinatorReply.FileGone) session.ask(new OfFile.Close(opened.open(), false)));
    } catch (IOException suppressed) {
      e.addSuppressed(suppressed);
    }
  }
}
