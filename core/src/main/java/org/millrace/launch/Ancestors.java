package org.millrace.launch;

import java.util.List;
import java.util.Optional;

/** Finds the ancestors of this process. Stateless. */
final class Ancestors {

  private static final String HYDRA = "hydra_pmi_proxy";

  private Ancestors() {}

  /**
   * What tells one run of MPICH's {@code mpiexec} from another. It starts a proxy on each host, and
   * each proxy the host's ranks; all proxies are told at which port mpiexec listens. Where that
   * cannot be seen, the proxy's process is a name that the ranks of one host share.
   */
  static String hydraJob() {
    Optional<ProcessHandle> one = ProcessHandle.current().parent();
    String parent = one.map(handle -> "parent " + handle.pid()).orElse("");
    while (one.isPresent()) {
      ProcessHandle.Info info = one.get().info();
      if (info.command().orElse("").endsWith(HYDRA)) {
        String pid = "proxy " + one.get().pid();
        return hydraJob(List.of(info.arguments().orElse(new String[0]))).orElse(pid);
      }
      one = one.get().parent();
    }
    return parent;
  }

  static Optional<String> hydraJob(List<String> arguments) {
    int at = arguments.indexOf("--control-port");
    return at >= 0 && at + 1 < arguments.size()
        ? Optional.of("hydra " + arguments.get(at + 1))
        : Optional.empty();
  }
}
