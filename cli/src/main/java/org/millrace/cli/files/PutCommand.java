package org.millrace.cli.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.cluster.ClusterPlace;
import org.millrace.cli.cluster.FilePaths;
import org.millrace.cli.copy.CopiesOutcome;
import org.millrace.cli.copy.CopyJobs;
import org.millrace.cli.copy.CopyRun;
import org.millrace.cli.copy.SmallFiles;
import org.millrace.cli.copy.SmallUploads;
import org.millrace.cli.copy.Uploads;
import org.millrace.cli.terminal.ByteCount;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.client.FileNames;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.cluster.RunningCluster;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.error.NoSuchNameException;
import org.millrace.files.FilePath;
import org.millrace.files.FileStatus;
import org.millrace.files.FileTree;
import org.millrace.layout.Layout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code millrace put}: files into the cluster. Used by one thread. */
@Command(
    name = "put",
    description = {
      "Put files into the cluster, several at a time.",
      "A file appears only when its copy is complete: an interrupted copy leaves what was there"
          + " before."
    })
public final class PutCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Mixin private ClusterPlace place;

  @Option(names = "-f", description = "Replace files that exist.")
  private boolean replace;

  @Option(names = "-r", description = "Put folders with their contents.")
  private boolean recursive;

  @Option(
      names = {"-u", "--update"},
      description =
          "Put only what is missing, has another size or is older in the cluster, and replace it.")
  private boolean update;

  @Option(names = "--no-verify", description = "Do not read the file back to compare its checksum.")
  private boolean noVerify;

  @Option(
      names = "--stripe-unit",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description = "Stripe unit: contiguous bytes on one strand.")
  private @Nullable Long stripeUnit;

  @Option(
      names = "--block-size",
      paramLabel = "BYTES",
      converter = ByteCount.class,
      description =
          "Bytes of a block, the unit of caching, checksums and disk transfers: a power of two from"
              + " 4k to 4m (default: 64k).")
  private @Nullable Long blockSize;

  @Option(names = "--strands", paramLabel = "N", description = "Number of strands.")
  private @Nullable Integer strands;

  @Parameters(
      arity = "2..*",
      paramLabel = "FILE",
      description =
          "Files, or - for standard input; the last is the path in the cluster, or a directory.")
  private List<String> files = List.of();

  @Override
  public Integer call() throws IOException {
    OpenOptions how = options();
    List<Path> sources = files.subList(0, files.size() - 1).stream().map(Path::of).toList();
    String target = files.getLast();
    long total = 0;
    for (Path source : sources) {
      total += bytes(source);
    }
    try (CopyRun passage = new CopyRun(spec.commandLine(), "put", total, noVerify ? 1 : 2);
        RunningCluster cluster = place.open()) {
      List<Uploads.Wanted> several =
          ClusterPlace.as(
              cluster,
              rank -> {
                List<Uploads.Wanted> wanted = wanted(rank.names(), sources, target);
                if (wanted.size() != 1 || update) {
                  return wanted;
                }
                CopiesOutcome outcome = new CopiesOutcome(1, "put");
                outcome.of(() -> put(rank, passage, how, wanted.getFirst(), outcome));
                return List.of();
              });
      List<Uploads.Wanted> left = update ? changed(cluster, several, passage) : several;
      CopiesOutcome outcome = new CopiesOutcome(left.size(), "put");
      outcome.of(() -> putAll(cluster, passage, how, left, outcome));
      return ExitCode.OK;
    }
  }

  /** Small files first: among the others there may be some that take long. */
  private void putAll(
      RunningCluster cluster,
      CopyRun passage,
      OpenOptions how,
      List<Uploads.Wanted> wanted,
      CopiesOutcome outcome)
      throws IOException {
    List<Uploads.Wanted> small = new ArrayList<>();
    List<CopyJobs.Job> large = new ArrayList<>();
    for (Uploads.Wanted one : wanted) {
      if (!isLaidOut() && one.isSmall()) {
        small.add(one);
      } else {
        large.add(rank -> put(rank, passage, how, one, outcome));
      }
    }
    try (SmallFiles files = new SmallFiles(Env.real(), cluster::files)) {
      new SmallUploads(passage.courier(), replace || update, !noVerify, outcome).put(files, small);
    }
    CopyJobs.run(cluster, large);
  }

  /** Whether the files shall have a layout of their own, which needs ranks. */
  private boolean isLaidOut() {
    return stripeUnit != null || blockSize != null || strands != null;
  }

  /** The files that the cluster does not have, or has with another size or from before. */
  private static List<Uploads.Wanted> changed(
      RunningCluster cluster, List<Uploads.Wanted> all, CopyRun passage) throws IOException {
    List<Uploads.Wanted> changed = new ArrayList<>();
    try (FileTree tree = cluster.files()) {
      for (Uploads.Wanted one : all) {
        if (one.source().equals(Uploads.STDIN) || !isSame(tree, one)) {
          changed.add(one);
        } else {
          passage.advance(2 * Files.size(one.source()));
        }
      }
    }
    return changed;
  }

  private static boolean isSame(FileTree tree, Uploads.Wanted one) throws IOException {
    try {
      FileStatus there = tree.stat(FilePath.of(one.path()));
      long modified = Files.getLastModifiedTime(one.source()).to(TimeUnit.NANOSECONDS);
      return there.size() == Files.size(one.source()) && there.times().modified() >= modified;
    } catch (NoSuchNameException e) {
      return false;
    }
  }

  private void put(
      Rank rank, CopyRun passage, OpenOptions how, Uploads.Wanted wanted, CopiesOutcome outcome)
      throws IOException {
    passage.checkGoesOn();
    passage.name(wanted.source().toString());
    new Uploads(rank, passage.courier(), how, replace || update, !noVerify)
        .put(wanted.source(), wanted.path());
    outcome.done();
  }

  private OpenOptions options() {
    OpenOptions how = OpenOptions.create();
    try {
      if (stripeUnit != null) {
        how = how.withStripeUnit(stripeUnit);
      }
      if (blockSize != null) {
        how = how.withBlockSize(Layout.requireBlockBytes(blockSize));
      }
      return strands == null ? how : how.withStrands(strands);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private long bytes(Path source) throws IOException {
    if (source.equals(Uploads.STDIN)) {
      return 0;
    }
    if (!Files.isDirectory(source)) {
      return Files.size(source);
    }
    if (!recursive) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND, source + " is a folder; -r puts it with all that is in it");
    }
    try (Stream<Path> all = Files.walk(source)) {
      long sum = 0;
      for (Path file : (Iterable<Path>) all::iterator) {
        sum += Files.isRegularFile(file) ? Files.size(file) : 0;
      }
      return sum;
    }
  }

  /** All files, when the directories for them are there. */
  private List<Uploads.Wanted> wanted(FileNames names, List<Path> sources, String target)
      throws IOException {
    String path = FilePaths.of(target);
    boolean into = target.endsWith("/") || FilePaths.isDirectory(names, path);
    if (sources.size() > 1 && !into) {
      throw new MillraceException(
          ErrorCode.WRONG_KIND,
          FilePaths.shown(path) + " is not a directory; make it with: millrace mkdir");
    }
    Set<String> taken = into && sources.size() > 1 ? Uploads.takenIn(names, path) : Set.of();
    Map<String, Path> known = new HashMap<>();
    List<Uploads.Wanted> wanted = new ArrayList<>();
    for (Path source : sources) {
      String to = into ? FilePaths.in(path, name(source)) : path;
      Path before = known.put(to, source);
      if (before != null) { // they are put at the same time: neither would be the last
        throw new MillraceException(
            ErrorCode.INVALID,
            "%s and %s would both become %s".formatted(before, source, FilePaths.shown(to)));
      }
      if (Files.isDirectory(source)) {
        Uploads.addTree(names, source, to, wanted);
      } else {
        wanted.add(new Uploads.Wanted(source, to, taken.contains(FilePaths.name(to))));
      }
    }
    return wanted;
  }

  private String name(Path source) throws IOException {
    if (source.equals(Uploads.STDIN)) {
      throw new MillraceException(
          ErrorCode.INVALID, "standard input has no name; give one after the directory's");
    }
    return source.toRealPath().getFileName().toString();
  }
}
