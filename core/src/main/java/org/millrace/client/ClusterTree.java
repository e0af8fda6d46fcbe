package org.millrace.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.DelegationHolder;
import org.millrace.files.FileChange;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileSpace;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.files.NewFile;
import org.millrace.files.Striping;
import org.millrace.layout.Layout;
import org.millrace.message.Message;
import org.millrace.protocol.Bytes;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.CoordinatorRequest.OfFile;
import org.millrace.protocol.FileFacts;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;

/**
 * The files of a cluster for a program that is no rank. The coordinator has the names, nodes have
 * sizes and times of writes.
 *
 * <p>Safe for use by several threads. Closing closes the session, and with it all handles.
 */
final class ClusterTree implements FileTree {

  // constant after construction
  private final Session session;
  private final AutoCloseable afterwards;
  private final FileStatuses statuses;
  private final HandleOpening opening;
  private final HeldDelegations delegations;
  private final Map<Long, ClusterHandle> handles = new ConcurrentSkipListMap<>(); // by open
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * The files that a session sees.
   *
   * @param afterwards closed after the session
   */
  ClusterTree(Session session, AutoCloseable afterwards) {
    this.session = session;
    this.afterwards = afterwards;
    this.statuses = new FileStatuses(session);
    this.opening = new HandleOpening(this, session);
    this.delegations = new HeldDelegations(session, handles);
  }

  private Message ask(OfFile request) throws IOException {
    if (closed.get()) {
      throw new MillraceException(ErrorCode.CLOSED, "the files of the cluster are closed");
    }
    return session.ask(request);
  }

  private FileStatus status(Message reply) throws IOException {
    CoordinatorReply.FileAt at = (CoordinatorReply.FileAt) reply;
    return statuses.of(at.facts(), at.asking());
  }

  @Override
  public FileStatus stat(FilePath path) throws IOException {
    return status(ask(new OfFile.Stat(path)));
  }

  @Override
  public FileListing list(FilePath directory, String after, int most) throws IOException {
    if (most < 1) {
      throw new IllegalArgumentException("at most " + most + " names, must be at least 1");
    }
    var part = (CoordinatorReply.Entries) ask(new OfFile.ListEntries(directory, after, most));
    List<FileFacts> facts =
        part.entries().stream().map(CoordinatorReply.Entries.Entry::facts).toList();
    List<FileStatus> all = statuses.of(facts, part.asking());
    List<FileListing.Entry> entries = new ArrayList<>(all.size());
    for (int i = 0; i < all.size(); i++) {
      entries.add(new FileListing.Entry(part.entries().get(i).name(), all.get(i)));
    }
    return new FileListing(entries, part.more());
  }

  @Override
  public FileStatus makeDirectory(FilePath path, NewFile attributes) throws IOException {
    return status(ask(new OfFile.MakeDirectory(path, attributes)));
  }

  @Override
  public FileStatus makeLink(FilePath path, String target, NewFile attributes) throws IOException {
    return status(ask(new OfFile.MakeLink(path, target, attributes)));
  }

  @Override
  public FileStatus makeSpecial(FilePath path, FileKind kind, long device, NewFile attributes)
      throws IOException {
    return status(ask(new OfFile.MakeSpecial(path, kind, device, attributes)));
  }

  @Override
  public String readLink(FilePath path) throws IOException {
    return ((CoordinatorReply.Target) ask(new OfFile.ReadLink(path))).target();
  }

  @Override
  public FileStatus link(FilePath existing, FilePath name) throws IOException {
    return status(ask(new OfFile.Link(existing, name)));
  }

  @Override
  public void remove(FilePath path, Removing what) throws IOException {
    removeStrands((CoordinatorReply.FileGone) ask(new OfFile.Remove(path, what)));
  }

  @Override
  public void rename(FilePath from, FilePath to, Replacing replacing) throws IOException {
    removeStrands((CoordinatorReply.FileGone) ask(new OfFile.Rename(from, to, replacing)));
  }

  /** Removes the strands of a file that is gone, where its nodes do not do so by themselves. */
  void removeStrands(CoordinatorReply.FileGone reply) throws IOException {
    if (reply.gone().isPresent()) {
      FileFacts gone = reply.gone().get();
      FileNames.removeStrands(session, gone.status().id(), gone.layout());
    }
  }

  /** A size goes to the nodes, before the rest goes to the coordinator. */
  @Override
  public FileStatus change(FilePath path, FileChange change) throws IOException {
    if (change.size().isPresent()) {
      try (FileHandle file = open(path, Set.of(Opening.WRITE), NewFile.with(0))) {
        file.resize(change.size().getAsLong());
      }
    }
    FileChange rest =
        new FileChange(
            change.permissions(),
            change.owner(),
            change.group(),
            OptionalLong.empty(),
            change.accessed(),
            change.modified());
    if (change.size().isPresent() && rest.equals(FileChange.NONE)) {
      return stat(path); // whoever may write the file may cut it, and need not own it
    }
    long witness = 0;
    if (change.modified().isPresent()) {
      var now = (CoordinatorReply.FileAt) ask(new OfFile.Stat(path));
      witness = statuses.witness(now.facts(), now.asking());
    }
    return status(ask(new OfFile.Change(path, rest, witness)));
  }

  @Override
  public List<String> attributes(FilePath path) throws IOException {
    return ((CoordinatorReply.Names) ask(new OfFile.ListAttributes(path))).names();
  }

  @Override
  public byte[] attribute(FilePath path, String name) throws IOException {
    var reply = (CoordinatorReply.Attribute) ask(new OfFile.GetAttribute(path, name));
    return reply.value().toArray();
  }

  @Override
  public void setAttribute(FilePath path, String name, byte[] value, Setting setting)
      throws IOException {
    ask(new OfFile.SetAttribute(path, name, Bytes.of(value), setting));
  }

  @Override
  public void removeAttribute(FilePath path, String name) throws IOException {
    ask(new OfFile.RemoveAttribute(path, name));
  }

  @Override
  public FileHandle open(FilePath path, Set<Opening> how, NewFile attributes) throws IOException {
    OfFile.Open request = HandleOpening.request(path, how, attributes);
    long era = delegations.begin();
    ClusterHandle handle = null;
    try {
      handle = opening.open(request, (CoordinatorReply.FileOpened) ask(request));
      handles.put(handle.open(), handle);
      return handle;
    } finally {
      delegations.end(era, handle);
    }
  }

  @Override
  public void delegateTo(DelegationHolder holder) {
    delegations.start(holder);
  }

  void onClosed(ClusterHandle handle) {
    handles.remove(handle.open());
  }

  @Override
  public Striping striping(FilePath path) throws IOException {
    FileFacts file = ((CoordinatorReply.FileAt) ask(new OfFile.Stat(path))).facts();
    if (file.layout().isEmpty()) {
      boolean directory = file.status().kind() == FileKind.DIRECTORY;
      throw new MillraceException(
          directory ? ErrorCode.IS_DIRECTORY : ErrorCode.INVALID, path + " has no bytes");
    }
    Map<Integer, String> addresses = new HashMap<>();
    var facts = (CoordinatorReply.Facts) session.ask(new CoordinatorRequest.AskCluster());
    facts.nodes().forEach(node -> addresses.put(node.number(), node.address()));
    Layout layout = file.layout().get();
    return new Striping(
        layout.stripeUnitBytes(),
        layout.nodes().stream().map(node -> addresses.getOrDefault(node, "")).toList());
  }

  @Override
  public FileSpace space() throws IOException {
    long total = 0;
    long free = 0;
    for (Message reply : session.askNodes(new NodeRequest.AskReport())) {
      var counters = ((NodeReply.Report) reply).counters();
      total += counters.getOrDefault("diskTotal", 0L);
      free += counters.getOrDefault("diskFree", 0L);
    }
    long files = ((CoordinatorReply.Value) ask(new OfFile.CountFiles())).value();
    return new FileSpace(total, free, files);
  }

  @Override
  public boolean isOver() {
    return closed.get() || session.coordinator().isBroken();
  }

  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    delegations.close();
    IOException failure = null;
    for (ClusterHandle handle : handles.values()) { // the oldest first, in every run
      try {
        handle.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    session.close();
    try {
      afterwards.close();
    } catch (IOException e) {
      failure = e;
    } catch (Exception e) {
      throw new IllegalStateException("closing the files of the cluster failed", e);
    }
    if (failure != null) {
      throw failure;
    }
  }
}
