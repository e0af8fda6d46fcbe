package org.millrace.cli.files;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopiesOutcome;
import org.millrace.cli.copy.CopyJobs;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.copy.Downloads;
import org.millrace.cli.copy.Salvage;
import org.millrace.cli.copy.SmallDownloads;
import org.millrace.cli.copy.SmallFiles;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.tree.NameSource;
import org.millrace.cli.tree.TypedPaths;
import org.millrace.client.FileNames;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.files.FilePath;
import org.millrace.files.FileTree;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace get}: files out of the cluster. Used by one thread. */
@Command(
    name = "get",
    description = {
      "Get files from the cluster, several at a time.",
      "A file appears only when its copy is complete: an interrupted copy leaves what was there"
          + " before."
    })
public final class GetCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-f", description = "Replace files that exist.")
  private boolean replace;

  @Option(names = "-r", description = "Get directories with their contents.")
  private boolean recursive;

  @Option(
      names = {"-u", "--update"},
      description = "Get only what is missing, has another size or is older here, and replace it.")
  private boolean update;

  @Option(names = "--no-verify", description = "Do not read the file back to compare its checksum.")
  private boolean noVerify;

  @Option(
      names = "--skip-bad",
      description = {
        "Get what can be read of damaged files, and of files some of whose nodes are away, with"
            + " zeros instead of the rest, and list what is missing. If anything is, the exit"
            + " code is 1."
      })
  private boolean skipBad;

  @Parameters(
      arity = "2..*",
      paramLabel = "PATH",
      description =
          "Paths in the cluster, or patterns of them in quotes, such as 'dir/*.npy'; the last is a"
              + " file or folder outside, or - for standard output.")
  private List<String> paths = List.of();

  /** What could not be read, by several threads. */
  private final Queue<Salvage.Missing> missing = new ConcurrentLinkedQueue<>();

  @Override
  public Integer call() throws IOException {
    Path target = Path.of(paths.getLast());
    boolean into = paths.getLast().endsWith("/") || Files.isDirectory(target);
    boolean printed = target.equals(Downloads.STDOUT);
    if (skipBad && printed) {
      throw new ParameterException(
          spec.commandLine(), "--skip-bad needs a file or folder, not standard output");
    }
    boolean verify = !noVerify && !skipBad && !printed;
    try (RunningCluster cluster = place.open();
        SmallFiles files = new SmallFiles(Env.real(), cluster::files)) {
      List<Downloads.Wanted> several =
          ClusterPlace.as(
              cluster,
              rank -> {
                List<Downloads.Wanted> wanted = wanted(rank.names(), files, into);
                if (wanted.size() != 1 && !printed || update) {
                  return wanted;
                }
                CopiesOutcome outcome = new CopiesOutcome(wanted.size(), past(printed));
                try (CopyRun passage = passage(wanted, verify, printed)) {
                  for (Downloads.Wanted one : wanted) { // what is printed keeps its order
                    outcome.of(() -> get(rank, passage, verify, one, outcome));
                  }
                }
                return List.of();
              });
      List<Downloads.Wanted> left = update ? changed(cluster, several) : several;
      CopiesOutcome outcome = new CopiesOutcome(left.size(), past(false));
      try (CopyRun passage = passage(left, verify, false)) { // of nothing, if all is got already
        outcome.of(() -> getAll(cluster, files, passage, verify, left, outcome));
      }
      return tell();
    }
  }

  /** Small files first: among the others there may be some that take long. */
  private void getAll(
      RunningCluster cluster,
      SmallFiles files,
      CopyRun passage,
      boolean verify,
      List<Downloads.Wanted> wanted,
      CopiesOutcome outcome)
      throws IOException {
    List<Downloads.Wanted> small = new ArrayList<>();
    List<CopyJobs.Job> large = new ArrayList<>();
    for (Downloads.Wanted one : wanted) {
      if (!skipBad && one.isSmall()) {
        small.add(one);
      } else {
        large.add(rank -> get(rank, passage, verify, one, outcome));
      }
    }
    try {
      new SmallDownloads(passage.courier(), replace || update, verify, outcome).get(files, small);
    } catch (MillraceException e) {
      throw hinted(e);
    }
    CopyJobs.run(cluster, large);
  }

  /** The ranges that are missing, why, and how much that is; a reason once for all of its bytes. */
  private int tell() {
    PrintWriter out = spec.commandLine().getOut();
    List<Salvage.Missing> all = new ArrayList<>(missing);
    all.sort(Comparator.comparing(Salvage.Missing::path).thenComparingLong(Salvage.Missing::from));
    Set<List<String>> reasons = new LinkedHashSet<>();
    Set<String> damaged = new TreeSet<>();
    long bytes = 0;
    for (Salvage.Missing one : all) {
      boolean open = one.to() == Long.MAX_VALUE;
      out.printf(
          "missing: %s: bytes %s %s%n",
          one.path(), one.from(), open ? "on, in one strand" : "to " + one.to());
      reasons.add(List.of(one.path(), one.reason()));
      damaged.add(one.path());
      bytes += open ? 0 : one.to() - one.from();
    }
    reasons.forEach(one -> out.printf("why: %s: %s%n", one.getFirst(), one.getLast()));
    if (!all.isEmpty()) {
      out.printf(
          Locale.ROOT, "missing in all: %,d bytes of %s%n", bytes, String.join(", ", damaged));
    }
    out.flush();
    return all.isEmpty() ? ExitCode.OK : ExitCode.FAILED;
  }

  private static String past(boolean printed) {
    return printed ? "written whole" : "fetched";
  }

  /** The files that this host does not have, or has with another size or from before. */
  private static List<Downloads.Wanted> changed(RunningCluster cluster, List<Downloads.Wanted> all)
      throws IOException {
    List<Downloads.Wanted> changed = new ArrayList<>();
    try (FileTree tree = cluster.files()) {
      for (Downloads.Wanted one : all) {
        if (!Files.isRegularFile(one.target()) || Files.size(one.target()) != one.bytes()) {
          changed.add(one);
          continue;
        }
        long here = Files.getLastModifiedTime(one.target()).to(TimeUnit.NANOSECONDS);
        if (tree.stat(FilePath.of(one.path())).times().modified() > here) {
          changed.add(one);
        }
      }
    }
    return changed;
  }

  private CopyRun passage(List<Downloads.Wanted> wanted, boolean verify, boolean printed) {
    long total = wanted.stream().mapToLong(Downloads.Wanted::bytes).sum();
    return printed
        ? CopyRun.printing(spec.commandLine(), "get", total)
        : new CopyRun(spec.commandLine(), "get", total, verify ? 2 : 1);
  }

  private void get(
      Rank rank, CopyRun passage, boolean verify, Downloads.Wanted wanted, CopiesOutcome outcome)
      throws IOException {
    passage.checkGoesOn();
    passage.name(wanted.path());
    Salvage salvage = skipBad ? new Salvage(passage::advance) : null;
    Downloads downloads =
        new Downloads(rank, passage.courier(), replace || update, verify, salvage);
    try {
      if (wanted.target().equals(Downloads.STDOUT)) {
        downloads.print(wanted.path());
      } else {
        downloads.get(wanted.path(), wanted.target());
      }
    } catch (MillraceException e) {
      throw hinted(e);
    }
    outcome.done();
    missing.addAll(salvage == null ? List.of() : salvage.missing());
  }

  private long size(FileNames names, String source) throws IOException {
    try {
      return Downloads.size(names, source, skipBad);
    } catch (MillraceException e) {
      throw hinted(e);
    }
  }

  private static MillraceException hinted(MillraceException e) {
    if (e.code() != ErrorCode.CORRUPT && e.code() != ErrorCode.NODE) {
      return e;
    }
    var hinted = MillraceException.of(e.code(), e.getMessage() + ". get --skip-bad gets the rest");
    hinted.initCause(e);
    return hinted;
  }

  private static void addTree(
      Downloads.Lister lister, String source, Path to, List<Downloads.Wanted> wanted)
      throws IOException {
    try {
      Downloads.addTree(lister, source, to, wanted);
    } catch (MillraceException e) {
      throw hinted(e);
    }
  }

  /** All files, when the folders for them are there. */
  private List<Downloads.Wanted> wanted(FileNames names, SmallFiles files, boolean into)
      throws IOException {
    List<String> sources =
        TypedPaths.expand(NameSource.of(names), paths.subList(0, paths.size() - 1));
    Downloads.Lister lister =
        skipBad
            ? path -> Downloads.childrenOfDamaged(names, path)
            : path -> SmallDownloads.children(files.tree(), path);
    Path target = Path.of(paths.getLast());
    boolean printed = target.equals(Downloads.STDOUT);
    if (sources.size() > 1 && !into && !printed) {
      throw new MillraceException(ErrorCode.WRONG_KIND, target + " is not a folder; make it first");
    }
    Map<Path, String> known = new HashMap<>();
    List<Downloads.Wanted> wanted = new ArrayList<>();
    for (String source : sources) {
      boolean directory = FilePaths.isDirectory(names, source);
      if (directory && (printed || !recursive)) {
        FilePaths.requireFile(names, source, "; -r gets it with all that is in it");
      }
      Path to = into && !printed ? target.resolve(FilePaths.name(source)) : target;
      String before = known.put(to, source);
      if (before != null && !printed) { // they are got at the same time: neither would be the last
        throw new MillraceException(
            ErrorCode.INVALID, "%s and %s would both become %s".formatted(before, source, to));
      }
      if (directory) {
        addTree(lister, source, to, wanted);
      } else {
        int permissions = FilePaths.requireFile(names, source, "").permissions();
        wanted.add(new Downloads.Wanted(source, to, size(names, source), permissions));
      }
    }
    return wanted;
  }
}
