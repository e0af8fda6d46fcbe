package org.millrace.cli.cluster;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.cluster.Administration;
import org.millrace.cluster.RunningCluster;
import org.millrace.output.Json;
import org.millrace.output.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code millrace df}: how full the nodes are. Used by one thread. */
@Command(
    name = "df",
    description = {
      "Show how full each node's disk and cache are.",
      "Ends with 1 if a node could not be asked."
    })
public final class DfCommand implements Callable<Integer> {

  private static final List<String> COUNTERS =
      List.of("storedBytes", "diskFree", "diskTotal", "usedBytes", "limitBytes");

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    List<Administration.NodeReport> reports;
    try (RunningCluster cluster = place.open()) {
      reports = cluster.administration().reports();
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(reports.stream().map(DfCommand::values).toList()));
    } else {
      Table table = new Table("node", ">stored", ">free", ">disk", ">used", ">cache", "");
      for (var report : reports) {
        List<Object> row = new ArrayList<>();
        row.add(report.node());
        row.add(bytes(report, "storedBytes"));
        row.add(bytes(report, "diskFree"));
        row.add(bytes(report, "diskTotal"));
        long total = report.counter("diskTotal");
        row.add(Shown.percent(total - report.counter("diskFree"), total));
        row.add(bytes(report, "usedBytes") + "/" + bytes(report, "limitBytes"));
        row.add(report.error());
        table.row(row.toArray());
      }
      table.lines().forEach(out::println);
    }
    boolean well = reports.stream().allMatch(Administration.NodeReport::isHere);
    return well ? ExitCode.OK : ExitCode.FAILED;
  }

  private static String bytes(Administration.NodeReport report, String counter) {
    return report.isHere() ? Shown.bytes(report.counter(counter)) : "-";
  }

  private static Map<String, Object> values(Administration.NodeReport report) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("node", report.node());
    for (String counter : COUNTERS) {
      if (report.isHere()) {
        values.put(counter, report.counter(counter));
      }
    }
    if (!report.isHere()) {
      values.put("error", report.error());
    }
    return values;
  }
}
