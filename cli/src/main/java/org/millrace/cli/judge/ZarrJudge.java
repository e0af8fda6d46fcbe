package org.millrace.cli.judge;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.millrace.Cluster;
import org.millrace.access.Distribution;
import org.millrace.access.Range;
import org.millrace.access.Section;
import org.millrace.array.GlobalArray;
import org.millrace.array.Local;
import org.millrace.array.zarr.SharedZarr;
import org.millrace.array.zarr.ZarrArray;
import org.millrace.array.zarr.ZarrStore;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.mount.TrialMount;
import org.millrace.client.ClusterOptions;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.mount.Mount;

/**
 * zarrita, and where they are installed zarr-python and tensorstore, on Zarr arrays: three ranks
 * write arrays, {@code millrace get} takes them out, and the judge reads them; the judge writes
 * arrays, {@code millrace put} brings them in, and Millrace reads them. On daemons the same is also
 * done by a mount. Immutable.
 *
 * @param daemons whether the cluster is made of processes, and mounted
 */
record ZarrJudge(boolean daemons) implements Judge {

  private static final String ZARRITA = "zarrita@0.7.5";
  private static final String RAW_FILL =
      "wants the fill value of raw bytes in base64; Zarr's specification has a list of integers";
  private static final int RANKS = 3;
  private static final int NODES = 2;

  /** Where arrays are, as programs see them: in folders to read from and to write to. */
  private record Way(String words, Path read, Path write) {}

  @Override
  public String name() {
    return "zarr";
  }

  @Override
  public Optional<Judge> onDaemons() {
    return Optional.of(new ZarrJudge(true));
  }

  @Override
  public String about() {
    return "zarrita, zarr-python and tensorstore on Zarr arrays, by get and put"
        + (daemons ? ", and on a mount of daemons" : "");
  }

  @Override
  public Judgement run(Path sources) throws IOException {
    Path work = Files.createTempDirectory("millrace-zarr");
    try {
      if (!daemons) {
        return judge(work, work.resolve("cluster"), Optional.empty());
      }
      Mount.check(Files.createDirectory(work.resolve("probe")));
      try (TrialMount trial = TrialMount.start(work, NODES)) {
        return judge(work, trial.cluster(), Optional.of(trial.mount("mount")));
      }
    } finally {
      remove(work);
    }
  }

  private Judgement judge(Path work, Path cluster, Optional<Path> mount) throws IOException {
    List<ZarrCase> cases = ZarrCase.all();
    Path list = prepare(work, "list", cases);
    try (Cluster made = cluster(cluster)) {
      made.run(
          RANKS,
          rank -> {
            for (ZarrCase one : cases) {
              write(rank, one);
            }
          });
    }
    List<Outcome> outcomes = new ArrayList<>();
    Path got = work.resolve("got");
    millrace(work, "get", "-r", "--dir", cluster.toString(), "arrays", got.toString());
    Way copied = new Way("", got, Files.createDirectories(work.resolve("made")));
    outcomes.addAll(oneWay(work, list, copied, cases, cluster));
    if (mount.isPresent()) {
      Path at = mount.get();
      Way mounted =
          new Way(
              "through the mount, ",
              at.resolve("arrays"),
              Files.createDirectory(at.resolve("mounted")));
      outcomes.addAll(oneWay(work, list, mounted, cases, cluster));
    }
    return new Judgement(outcomes);
  }

  private Cluster cluster(Path directory) throws IOException {
    return daemons
        ? Cluster.connect(directory.toString(), ClusterOptions.DEFAULT)
        : Cluster.embedded(directory, NODES);
  }

  private List<Outcome> oneWay(Path work, Path list, Way way, List<ZarrCase> cases, Path cluster)
      throws IOException {
    List<Outcome> outcomes = new ArrayList<>(zarrita(work, list, way, cluster, cases));
    for (String library : List.of("zarr", "tensorstore")) {
      outcomes.addAll(python(work, library, list, way.read));
    }
    return outcomes.stream().map(one -> named(way.words, one)).toList();
  }

  /** Writes what the judges compare with; returns the list of names. */
  private static Path prepare(Path work, String file, List<ZarrCase> cases) throws IOException {
    Files.createDirectories(work.resolve("metadata"));
    Files.createDirectories(work.resolve("elements"));
    StringBuilder names = new StringBuilder();
    for (ZarrCase one : cases) {
      names.append(one.name()).append('\n');
      Path metadata = work.resolve("metadata").resolve(one.name() + ".json");
      Files.writeString(metadata, one.metadata().toString());
      Files.write(
          work.resolve("elements").resolve(one.name()), one.elements(ByteOrder.LITTLE_ENDIAN));
    }
    Path list = work.resolve(file);
    Files.writeString(list, names);
    return list;
  }

  /** All ranks together into one file, or each rank some chunks of the first dimension. */
  private static void write(Rank rank, ZarrCase one) throws IOException {
    String path = "arrays/" + one.name();
    if (rank.number() == 0 && rank.names().list("").isEmpty()) {
      rank.names().makeDirectory("arrays");
    }
    rank.barrier();
    if (one.isShared()) {
      try (GlobalArray array =
          SharedZarr.create(rank, path, one.metadata(), OpenOptions.create())) {
        Distribution columns = Distribution.columns(array.shape(), rank.size());
        writeColumns(rank, array, columns, one);
      }
      return;
    }
    try (ZarrStore store = ZarrStore.of(rank, path)) {
      if (rank.number() == 0) {
        ZarrArray.create(store, one.metadata());
      }
      rank.barrier();
      ZarrArray array = ZarrArray.open(store);
      long size = array.chunk().dimension(0);
      long chunks = Math.ceilDiv(array.shape().dimension(0), size);
      for (long c = rank.number(); c < chunks; c += rank.size()) {
        long last = Math.min((c + 1) * size, array.shape().dimension(0)) - 1;
        Section mine = rows(one, c * size, last);
        long[] from = new long[mine.dimensions()];
        from[0] = c * size;
        array.writeSection(mine, one.local().from(from));
      }
    }
    rank.barrier();
  }

  private static void writeColumns(Rank rank, GlobalArray array, Distribution columns, ZarrCase one)
      throws IOException {
    int last = one.shape().dimensions() - 1;
    long[] from = new long[last + 1];
    boolean some = columns.localShape(rank.number()).elements() > 0;
    if (some) {
      from = columns.global(rank.number(), new long[last + 1]);
    }
    array.writeDistributed(columns, one.local().from(from));
  }

  private static Section rows(ZarrCase one, long first, long last) {
    Section whole = one.whole();
    List<Range> ranges = new ArrayList<>(whole.ranges());
    ranges.set(0, Range.of(first, last));
    return new Section(ranges);
  }

  private List<Outcome> zarrita(Path work, Path list, Way way, Path cluster, List<ZarrCase> cases)
      throws IOException {
    if (run(work, List.of("npm", "--version")) != 0) {
      return List.of(
          Outcome.skipped("zarrita", "npm is not installed; install it: apt-get install npm"));
    }
    Path npm = Files.createDirectories(work.resolve("npm"));
    Files.writeString(npm.resolve("package.json"), "{\"private\": true}\n");
    if (run(npm, List.of("npm", "install", "--no-audit", "--no-fund", ZARRITA)) != 0) {
      return List.of(Outcome.skipped("zarrita", "npm cannot install " + ZARRITA));
    }
    String script = resource(npm, "zarrita.mjs");
    List<Outcome> outcomes = new ArrayList<>();
    List<String> read = List.of("node", script, "read", list.toString(), way.read.toString());
    for (Outcome one : outcomes(npm, read)) {
      outcomes.add(named("zarrita reads ", one));
    }
    Path plain = prepare(work, "plain", cases.stream().filter(one -> !one.isSharded()).toList());
    outcomes.add(Outcome.skipped("Millrace reads shards from zarrita", "it does not write shards"));
    List<String> write = List.of("node", script, "write", plain.toString(), way.write.toString());
    List<Outcome> written = outcomes(npm, write);
    String name = way.write.getFileName().toString();
    if (way.words.isEmpty()) {
      millrace(work, "put", "-r", "--dir", cluster.toString(), way.write.toString(), name);
    }
    try (Cluster again = cluster(cluster)) {
      again.run(
          1,
          rank -> {
            for (Outcome one : written) {
              boolean readable = one.ending() == Outcome.Ending.PASSED;
              Outcome its =
                  readable
                      ? compare(
                          rank,
                          name,
                          cases.stream()
                              .filter(any -> any.name().equals(one.test()))
                              .findFirst()
                              .orElseThrow())
                      : one;
              outcomes.add(named("Millrace reads from zarrita ", its));
            }
          });
    }
    return outcomes;
  }

  private static Outcome named(String who, Outcome one) {
    return new Outcome(who + one.test(), one.ending(), one.reason());
  }

  private static Outcome compare(Rank rank, String folder, ZarrCase one) throws IOException {
    try (ZarrStore store = ZarrStore.of(rank, folder + "/" + one.name())) {
      ZarrArray array = ZarrArray.open(store);
      byte[] found = new byte[one.elements(ByteOrder.LITTLE_ENDIAN).length];
      array.readSection(one.whole(), Local.of(MemorySegment.ofArray(found), one.shape()));
      return Arrays.equals(found, one.elements(array.type().order()))
          ? Outcome.passed(one.name())
          : Outcome.unexpected(one.name(), "the elements differ");
    } catch (IOException e) {
      return Outcome.unexpected(one.name(), String.valueOf(e.getMessage()));
    }
  }

  private static List<Outcome> python(Path work, String library, Path list, Path got)
      throws IOException {
    String check =
        library.equals("zarr")
            ? "import zarr; assert zarr.__version__ >= '3'"
            : "import " + library;
    if (run(work, List.of("python3", "-c", check)) != 0) {
      String version = library.equals("zarr") ? " of version 3" : "";
      return List.of(
          Outcome.skipped(library, "python3 has no module %s%s".formatted(library, version)));
    }
    String script = resource(work, "zarr_python.py");
    List<String> line = List.of("python3", script, library, list.toString(), got.toString());
    return outcomes(work, line).stream()
        .map(
            one ->
                named(
                    library + " reads ",
                    isRawFill(library, one) ? Outcome.failed(one.test(), RAW_FILL) : one))
        .toList();
  }

  /** Whether a library does not read the fill value of raw bytes as the specification has it. */
  private static boolean isRawFill(String library, Outcome one) {
    return library.equals("tensorstore")
        && one.reason().contains("Expected base64-encoded string for raw_bytes fill_value");
  }

  /** Runs a script of a judge and reads its lines. */
  private static List<Outcome> outcomes(Path folder, List<String> line) throws IOException {
    File out = folder.resolve("outcomes").toFile();
    File err = folder.resolve("errors").toFile();
    int code = start(folder, line, out, err);
    List<Outcome> all = new ArrayList<>();
    for (String one : Files.readAllLines(out.toPath(), StandardCharsets.UTF_8)) {
      String[] cells = one.split("\t", 3);
      if (cells.length != 3) {
        continue; // a library's own words
      }
      all.add(
          switch (cells[0]) {
            case "passed" -> Outcome.passed(cells[1]);
            case "unsupported" -> Outcome.skipped(cells[1], "it has no such: " + cells[2]);
            default -> Outcome.unexpected(cells[1], cells[2]);
          });
    }
    if (code != 0 || all.isEmpty()) {
      throw new IOException(
          "%s ended with %s: %s".formatted(line, code, Files.readString(err.toPath())));
    }
    return all;
  }

  private static void millrace(Path work, String... args) throws IOException {
    File out = work.resolve("millrace.out").toFile();
    int code = start(work, JavaCommand.of(List.of(args)), out, out);
    if (code != 0) {
      throw new IOException(
          "millrace %s ended with %s: %s"
              .formatted(List.of(args), code, Files.readString(out.toPath())));
    }
  }

  private static int run(Path folder, List<String> line) {
    File out = folder.resolve("output").toFile();
    try {
      return start(folder, line, out, out);
    } catch (IOException e) { // there is no such program
      return -1;
    }
  }

  private static int start(Path folder, List<String> line, File out, File err) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(line).directory(folder.toFile());
    builder.redirectOutput(out);
    if (out.equals(err)) {
      builder.redirectErrorStream(true);
    } else {
      builder.redirectError(err);
    }
    return builder.start().onExit().join().exitValue();
  }

  private static String resource(Path folder, String name) throws IOException {
    Path file = folder.resolve(name);
    try (InputStream in = ZarrJudge.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("the command was built without " + name);
      }
      Files.write(file, in.readAllBytes());
    }
    return file.toString();
  }

  private static void remove(Path work) throws IOException {
    List<Path> all;
    try (Stream<Path> found = Files.walk(work)) {
      all = new ArrayList<>(found.toList());
    }
    for (Path one : all.reversed()) {
      Files.deleteIfExists(one);
    }
  }
}
