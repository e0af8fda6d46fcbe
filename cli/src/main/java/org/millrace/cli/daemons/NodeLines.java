package org.millrace.cli.daemons;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.millrace.cluster.NodeAdministration.State;
import org.millrace.output.Table;
import org.millrace.protocol.NodeUse;

/** The nodes of a cluster as lines, and as values for JSON. Stateless. */
final class NodeLines {

  private NodeLines() {}

  private static String use(State one) {
    NodeUse use = one.holding().isFor();
    return use == NodeUse.REPLACED ? "to be replaced" : use.name().toLowerCase(Locale.ROOT);
  }

  static Table table(List<State> all) {
    Table table = new Table(">node", "state", "use", ">strands", ">missing", ">lost", "address");
    for (State one : all) {
      boolean removed = one.holding().isFor() == NodeUse.REMOVED;
      table.row(
          one.fact().number(),
          removed ? "-" : one.fact().up() ? "up" : "down",
          use(one),
          one.holding().strands(),
          one.holding().missing(),
          one.holding().lost(),
          one.fact().address().isEmpty() ? "-" : one.fact().address());
    }
    return table;
  }

  static List<Map<String, Object>> values(List<State> all) {
    return all.stream().map(NodeLines::value).toList();
  }

  private static Map<String, Object> value(State one) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("node", one.fact().number());
    value.put("up", one.fact().up());
    value.put("state", one.fact().state());
    value.put("use", use(one));
    value.put("strands", one.holding().strands());
    value.put("alone", one.holding().alone());
    value.put("missing", one.holding().missing());
    value.put("lost", one.holding().lost());
    value.put("address", one.fact().address());
    return value;
  }
}
