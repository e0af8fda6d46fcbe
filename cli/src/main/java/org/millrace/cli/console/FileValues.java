package org.millrace.cli.console;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.RunningCluster;
import org.millrace.files.FileListing;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.layout.CopySet;
import org.millrace.layout.FileEntry;
import org.millrace.layout.Layout;
import org.millrace.output.Json;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.protocol.StrandId;

/** Files as values for JSON. Stateless. */
final class FileValues {

  private static final int PAGE = 100;

  /** A picture of more strands than that shows nothing. */
  private static final int MAX_STRANDS = 64;

  private FileValues() {}

  /** A page of the names in a directory. */
  static Map<String, @Nullable Object> listing(FileTree files, String directory, String after)
      throws IOException {
    FileListing page = files.list(FilePath.of(directory), after, PAGE);
    return Json.object(
        "path",
        directory,
        "more",
        page.more(),
        "entries",
        page.entries().stream().map(entry -> of(entry.name(), entry.status())).toList());
  }

  private static Map<String, @Nullable Object> of(String name, FileStatus status) {
    return Json.object(
        "name",
        name,
        "kind",
        status.kind().name().toLowerCase(Locale.ROOT),
        "size",
        status.size(),
        "owner",
        status.owner(),
        "mode",
        "%04o".formatted(status.permissions()),
        "modifiedMillis",
        status.times().modified() / 1_000_000);
  }

  /** All about one file, with the nodes of each strand and the state of each copy. */
  static Map<String, @Nullable Object> of(RunningCluster cluster, FileTree files, String path)
      throws IOException {
    FileStatus status = files.stat(FilePath.of(path));
    FileEntry entry =
        ((CoordinatorReply.About) cluster.ask(new CoordinatorRequest.Stat(path))).entry();
    Map<String, @Nullable Object> values = of(path, status);
    values.put("copies", entry.copies());
    values.put("missing", entry.missing());
    if (entry.layout().isPresent()) {
      Layout layout = entry.layout().get();
      values.put("stripeUnitBytes", layout.stripeUnitBytes());
      values.put("blockBytes", layout.blockBytes());
      values.put("strandCount", layout.strands());
      values.put("strands", strands(cluster, entry, layout, status.size()));
    }
    return values;
  }

  private static List<Map<String, @Nullable Object>> strands(
      RunningCluster cluster, FileEntry entry, Layout layout, long size) throws IOException {
    List<Map<String, @Nullable Object>> strands = new ArrayList<>();
    for (int s = 0; s < Math.min(layout.strands(), MAX_STRANDS); s++) {
      Map<String, @Nullable Object> strand =
          Json.object("strand", s, "node", layout.node(s), "bytes", layout.strandSize(s, size));
      if (entry.copies() > 1) {
        var question = new CoordinatorRequest.AskCopies(new StrandId(entry.id(), s));
        CopySet set = ((CoordinatorReply.CopiesAt) cluster.ask(question)).set();
        strand.put("node", set.owner());
        strand.put("inSync", set.inSync());
        strand.put("missing", set.missing());
      } else {
        strand.put("inSync", List.of(layout.node(s)));
        strand.put("missing", List.of());
      }
      strands.add(strand);
    }
    return strands;
  }
}
