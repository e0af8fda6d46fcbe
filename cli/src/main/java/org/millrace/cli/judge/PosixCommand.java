package org.millrace.cli.judge;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code millrace judge posix}: programs of others on the mount. Used by one thread. */
@Command(
    name = "posix",
    description = {
      "Mount a cluster of two nodes and run on it what is installed here: fio, stress-ng, dbench,"
          + " git, sqlite3, NumPy, h5py; and what you have built from its sources and name here.",
      "Needs /dev/fuse, and root for pjdfstest. Ends with 1 if a program failed."
    })
final class PosixCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--pjdfstest",
      paramLabel = "FOLDER",
      description = "Its sources, built; needs prove, of Perl.")
  private @Nullable Path pjdfstest;

  @Option(names = "--fsx", paramLabel = "FILE", description = "The program fsx of xfstests.")
  private @Nullable Path fsx;

  @Option(names = "--ior", paramLabel = "FILE", description = "The program ior; needs mpiexec.")
  private @Nullable Path ior;

  @Option(
      names = "--mdtest",
      paramLabel = "FILE",
      description = "The program mdtest; needs mpiexec.")
  private @Nullable Path mdtest;

  @Option(
      names = "--romio",
      paramLabel = "FOLDER",
      description = "The folder of ROMIO's test programs, built by MPICH's mpicc; needs mpiexec.")
  private @Nullable Path romio;

  @Option(
      names = "--build",
      description = "Also clone and build this repository on the mount; takes minutes.")
  private boolean build;

  @Option(
      names = "--operations",
      paramLabel = "N",
      description = "Operations of each run of fsx (default: ${DEFAULT-VALUE}).")
  private int operations = PosixTools.USUAL.operations();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Option(
      names = "--sources",
      paramLabel = "FOLDER",
      description = "The folder of Millrace's sources (default: the current one).")
  private Path sources = Path.of("");

  @Override
  public Integer call() throws IOException {
    PosixJudge judge = new PosixJudge(tools());
    Judgement judgement = judge.run(sources.toAbsolutePath().normalize());
    return JudgeCommand.show(spec.commandLine().getOut(), judge, judgement, json);
  }

  private PosixTools tools() {
    try {
      return new PosixTools(
          absolute(pjdfstest),
          absolute(fsx),
          absolute(ior),
          absolute(mdtest),
          absolute(romio),
          build,
          operations);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static Optional<Path> absolute(@Nullable Path path) {
    return Optional.ofNullable(path).map(Path::toAbsolutePath);
  }
}
