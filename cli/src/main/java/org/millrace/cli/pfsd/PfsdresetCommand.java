package org.millrace.cli.pfsd;

import java.util.List;
import java.util.concurrent.Callable;
import org.millrace.heritage.pfs.Pfs;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code millrace pfsdreset}: takes open files away. Used by one thread. */
@Command(
    name = "pfsdreset",
    description = {
      "Reset what pfsd knows of all open files, or of those named, as with millrace reset: their"
          + " descriptors are bad from then on (EPFSLBADFH); what was written stays."
    })
public final class PfsdresetCommand implements Callable<Integer> {

  @Mixin private PfsdHost host;

  @Parameters(
      index = "1..*",
      arity = "0..*",
      paramLabel = "FILE",
      description = "Files, by the names they were opened by; all if none is given.")
  private List<String> files = List.of();

  @Override
  public Integer call() {
    return host.run("reset", files.stream().map(Pfs::nameAtServer).toList());
  }
}
