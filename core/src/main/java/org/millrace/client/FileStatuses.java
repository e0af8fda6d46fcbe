package org.millrace.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FileStatus;
import org.millrace.layout.Copies;
import org.millrace.layout.Layout;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Pending;
import org.millrace.protocol.Asking;
import org.millrace.protocol.FileFacts;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;
import org.millrace.transfer.NodeLinks;
import org.millrace.transfer.Strands;

/**
 * Completes what the coordinator says of files with what nodes know: sizes and times of writes. Of
 * many files each node is asked once, all at the same time; those with copies are asked about one
 * by one, because their strands may be moving. Nothing is opened.
 *
 * <p>Safe for use by several threads: holds no state.
 */
final class FileStatuses {

  private final Session session;

  FileStatuses(Session session) {
    this.session = session;
  }

  /** A file, and what its strands are. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Known(FileFacts facts, StrandStatus[] strands) {

    /** The sum of times, of which {@link FileFacts} says what it is good for. */
    long witness() {
      long sum = 0;
      for (StrandStatus strand : strands) {
        sum += strand.modified();
      }
      return sum;
    }

    private long lastWrite() {
      long last = 0;
      for (StrandStatus strand : strands) {
        last = Math.max(last, strand.modified());
      }
      return last;
    }

    void checkSize() throws MillraceException {
      for (int s = 0; s < strands.length; s++) {
        if (strands[s].end() == StrandStatus.UNKNOWN) {
          throw new MillraceException(
              ErrorCode.CORRUPT,
              "strand %s of file %s, on node %s, cannot be opened, so nobody knows how long the file is: millrace scrub says more, millrace get --skip-bad saves the rest"
                  .formatted(s, facts.status().id(), facts.layout().orElseThrow().node(s)));
        }
      }
    }

    FileStatus status() {
      FileStatus told = facts.status();
      if (strands.length == 0) {
        return told;
      }
      long[] ends = new long[strands.length];
      for (int s = 0; s < ends.length; s++) {
        ends[s] =
            Math.max(0, strands[s].end()); // in a list, one that cannot be opened says nothing
      }
      long size = facts.layout().orElseThrow().fileSize(ends);
      FileStatus.Times times = told.times();
      boolean written = witness() != facts.witness();
      long modified = written ? lastWrite() : times.modified();
      long changed = written ? Math.max(times.changed(), lastWrite()) : times.changed();
      return new FileStatus(
          told.id(),
          told.kind(),
          told.permissions(),
          told.owner(),
          told.group(),
          told.links(),
          size,
          new FileStatus.Times(times.accessed(), modified, changed, times.created()),
          told.device());
    }
  }

  /**
   * The whole status of one file, directory or whatever it is; CORRUPT if a node cannot open its
   * strand, because nobody knows the size then, and one that is too small would pass for it.
   */
  FileStatus of(FileFacts facts, Asking asking) throws IOException {
    Known one = known(List.of(facts), asking).getFirst();
    one.checkSize();
    return one.status();
  }

  /** The whole status of several, in one round. */
  List<FileStatus> of(List<FileFacts> all, Asking asking) throws IOException {
    return known(all, asking).stream().map(Known::status).toList();
  }

  /** By which it is seen later whether a file was written since. */
  long witness(FileFacts facts, Asking asking) throws IOException {
    return known(List.of(facts), asking).getFirst().witness();
  }

  private List<Known> known(List<FileFacts> all, Asking asking) throws IOException {
    List<Known> known = new ArrayList<>(all.size());
    List<Long> files = new ArrayList<>();
    Map<Integer, Question> byNode = new TreeMap<>();
    for (FileFacts facts : all) {
      int strands = facts.layout().map(Layout::strands).orElse(0);
      Known one = new Known(facts, new StrandStatus[strands]);
      known.add(one);
      if (strands > 0) {
        files.add(facts.status().id());
        ask(one, byNode);
      }
    }
    List<Long> shown = asking.seal().isEmpty() ? List.of() : files;
    List<Asked> asked = new ArrayList<>();
    byNode.forEach((node, question) -> asked.add(start(node, question, asking, shown)));
    for (Asked one : asked) {
      await(one);
    }
    for (Known one : known) {
      if (one.strands.length > 0 && Copies.hasCopies(one.facts.status().id())) {
        Layout layout = one.facts.layout().orElseThrow();
        Strands copied =
            Strands.ofHandle(
                session.carrier(), one.facts.status().id(), layout, one.facts.copyEpoch());
        StrandStatus[] found = copied.statuses(asking, shown);
        System.arraycopy(found, 0, one.strands, 0, found.length);
      }
    }
    return known;
  }

  private void ask(Known one, Map<Integer, Question> byNode) {
    long id = one.facts.status().id();
    if (Copies.hasCopies(id)) {
      return;
    }
    List<Integer> nodes = one.facts.layout().orElseThrow().nodes();
    for (int s = 0; s < nodes.size(); s++) {
      Question question = byNode.computeIfAbsent(nodes.get(s), _ -> new Question());
      question.strands.add(new StrandId(id, s));
      question.into.add(one);
    }
  }

  /** What one node is asked. */
  private static final class Question {
    final List<StrandId> strands = new ArrayList<>();
    final List<Known> into = new ArrayList<>();
  }

  /** What one node was asked. */
  private record Asked(
      Question question, int node, Link link, NodeRequest request, Pending pending) {}

  private Asked start(int node, Question question, Asking asking, List<Long> files) {
    NodeRequest request = new NodeRequest.AskStatuses(asking, files, question.strands);
    Link link = session.node(node);
    return new Asked(question, node, link, request, link.start(request, MemorySegment.NULL));
  }

  private void await(Asked asked) throws IOException {
    NodeReply.Statuses reply = (NodeReply.Statuses) answer(asked);
    Question question = asked.question;
    for (int i = 0; i < question.strands.size(); i++) {
      int strand = question.strands.get(i).strand();
      question.into.get(i).strands[strand] = reply.strands().get(i);
    }
  }

  private Message answer(Asked asked) throws IOException {
    try {
      return asked.pending.await(session.deadline());
    } catch (MillraceException e) {
      if (!NodeLinks.isDead(e)) {
        throw e;
      } // else it may have come back meanwhile
      Link fresh = session.nodes().replace(asked.node, asked.link);
      return fresh.call(asked.request, MemorySegment.NULL, session.deadline());
    }
  }
}
