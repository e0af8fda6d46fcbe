package org.millrace.cli.pfsd;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace pfsdexit}: ends PFSLib's server. Used by one thread. */
@Command(
    name = "pfsdexit",
    description = {
      "Tell pfsd to exit: it ends all its I/O daemons and itself, and everything is durable, as"
          + " with millrace stop. Waits until they have ended, so that their end is no error."
    })
public final class PfsdexitCommand implements Callable<Integer> {

  @Mixin private PfsdHost host;

  @Override
  public Integer call() {
    return host.run("stop", List.of());
  }
}
