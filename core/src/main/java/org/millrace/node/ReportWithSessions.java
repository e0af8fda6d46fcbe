package org.millrace.node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.millrace.error.MillraceException;
import org.millrace.message.KeyTable;
import org.millrace.message.Message;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply;

/**
 * Adds the most active sessions to a node's report: counters {@code session.<user>/<number>.bytes}
 * and {@code .operations}; and what the guard knows. Immutable.
 */
record ReportWithSessions(ReplyTo to, KeyTable<Grants> sessions, Consumer<Map<String, Long>> more)
    implements ReplyTo {

  /** Reports must fit into a message however many sessions there are. */
  private static final int MAX = 128;

  @Override
  public void reply(Message reply) {
    to.reply(reply instanceof NodeReply.Report report ? with(report) : reply);
  }

  private NodeReply.Report with(NodeReply.Report report) {
    List<Usage> all = new ArrayList<>();
    sessions.forEach(grants -> all.add(grants.usage));
    Map<String, Long> counters = new LinkedHashMap<>(report.counters());
    all.stream()
        .sorted(Comparator.comparingLong(Usage::bytes).reversed())
        .limit(MAX)
        .forEach(
            usage -> {
              counters.put(usage.name() + ".bytes", usage.bytes());
              counters.put(usage.name() + ".operations", usage.operations());
            });
    more.accept(counters);
    return new NodeReply.Report(counters);
  }

  @Override
  public void fail(MillraceException error) {
    to.fail(error);
  }
}
