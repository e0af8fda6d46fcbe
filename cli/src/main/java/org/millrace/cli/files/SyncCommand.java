package org.millrace.cli.files;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.files.FileHandle;
import org.millrace.files.FileKind;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree.Opening;
import org.millrace.files.NewFile;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace sync}: makes files durable. Used by one thread. */
@Command(
    name = "sync",
    description = {
      "Return when all that was written to files is on the nodes' disks, on every copy in sync.",
      "put, cp and collective closes do that by themselves; programs that write through a mount or"
          + " java.nio.file may not. To copy only what has changed, use put -r -u or get -r -u."
    })
public final class SyncCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Parameters(
      arity = "0..*",
      paramLabel = "PATH",
      description =
          "Files, and directories with all that is in them, or patterns in quotes; all files if"
              + " none is given.")
  private List<String> paths = List.of("");

  @Override
  public Integer call() throws IOException {
    return new TreeChange(spec.commandLine(), "made durable", true)
        .run(
            place,
            paths,
            (tree, path, status) -> {
              if (status.kind() == FileKind.FILE) {
                try (FileHandle file =
                    tree.open(FilePath.of(path), Set.of(Opening.READ), NewFile.with(0))) {
                  file.force(true);
                }
              }
            });
  }
}
