package org.millrace.bench.peers;

import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.bench.measure.Launch;
import org.millrace.env.Env;

/**
 * The compilers and launchers of MPICH and Open MPI under the names that Debian gives them, so that
 * both can be there at once. Immutable.
 *
 * @param mpichCompiler of MPICH
 * @param mpichLauncher of MPICH
 * @param openCompiler of Open MPI
 * @param openLauncher of Open MPI
 * @param openDetails says what an Open MPI consists of
 */
public record MpiTools(
    Path mpichCompiler,
    Path mpichLauncher,
    Path openCompiler,
    Path openLauncher,
    Path openDetails) {

  private static final String INSTALL =
      "apt-get install mpich libmpich-dev openmpi-bin libopenmpi-dev";

  private static final List<String> NAMES =
      List.of("mpicc.mpich", "mpirun.mpich", "mpicc.openmpi", "mpirun.openmpi", "ompi_info");

  private static final Pattern IO_COMPONENT =
      Pattern.compile("mca:io:(ompio|romio\\d*):version:.*");

  private static final long COMPILE_NANOS = 120_000_000_000L;

  /** The folders of the environment's PATH. */
  public static List<Path> path() {
    String path = Objects.requireNonNullElse(System.getenv("PATH"), "");
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(path)
        .filter(folder -> !folder.isEmpty())
        .map(Path::of)
        .toList();
  }

  /** Looks in these folders; throws, and says how to get them, if one is missing. */
  public static MpiTools find(List<Path> folders) throws IOException {
    List<Path> found = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    for (String name : NAMES) {
      Optional<Path> tool =
          folders.stream().map(f -> f.resolve(name)).filter(Files::isExecutable).findFirst();
      tool.ifPresentOrElse(found::add, () -> missing.add(name));
    }
    if (!missing.isEmpty()) {
      throw new FileNotFoundException(
          String.join(", ", missing)
              + " not found on the PATH; on Debian, install with: "
              + INSTALL);
    }
    return new MpiTools(found.get(0), found.get(1), found.get(2), found.get(3), found.get(4));
  }

  /**
   * Compiles the C program in a folder and returns who can run it.
   *
   * @param hints for all; those whose key begins with {@code romio} or {@code cb_} mean something
   *     to both kinds
   */
  public List<Peer> peers(Env env, Path folder, List<String> hints) throws IOException {
    return peers(env, folder, "mpiio", hints);
  }

  /** The same with another C program. */
  public List<Peer> peers(Env env, Path folder, String program, List<String> hints)
      throws IOException {
    Path main = unpack(program + ".c", folder);
    Path yield = unpack("yield.c", folder);
    Path mpich = folder.resolve(program + ".mpich");
    compile(env, folder, List.of(mpichCompiler, "-rdynamic", "-o", mpich, main, yield, "-ldl"));
    Path open = folder.resolve(program + ".openmpi");
    compile(env, folder, List.of(openCompiler, "-o", open, main));
    List<Peer> peers = new ArrayList<>();
    peers.add(new Peer("mpich", mpichLauncher, List.of(), mpich, romio(hints)));
    for (String component : components(env, folder)) {
      boolean ompio = component.equals("ompio");
      List<String> options =
          List.of(
              "--oversubscribe",
              "--bind-to",
              "none",
              "--mca",
              "mpi_yield_when_idle",
              "1",
              "--mca",
              "io",
              component);
      String name = ompio ? "ompio" : "ompi-romio";
      peers.add(new Peer(name, openLauncher, options, open, ompio ? hints : romio(hints)));
    }
    return List.copyOf(peers);
  }

  /**
   * ROMIO takes one aggregator for each machine unless told otherwise; it gets one for each
   * processor, so that its collectives use them all.
   */
  private static List<String> romio(List<String> hints) {
    if (hints.stream().anyMatch(hint -> hint.startsWith("cb_"))) {
      return hints;
    }
    int processors = Runtime.getRuntime().availableProcessors();
    List<String> all = new ArrayList<>(hints);
    all.add("cb_config_list=*:" + processors);
    all.add("cb_nodes=" + processors);
    return all;
  }

  /** The parts of the installed Open MPI that do file I/O. */
  private List<String> components(Env env, Path folder) throws IOException {
    List<String> command = List.of(openDetails.toString(), "--parsable", "--param", "io", "all");
    List<String> components = new ArrayList<>();
    Launch launch = new Launch(env, folder.resolve("ompi_info.err"), COMPILE_NANOS);
    launch.run(
        command,
        line -> {
          Matcher match = IO_COMPONENT.matcher(line);
          if (match.matches() && !components.contains(match.group(1))) {
            components.add(match.group(1));
          }
        });
    if (components.isEmpty()) {
      throw new IOException(openDetails + " names no component for file I/O");
    }
    return components;
  }

  private static void compile(Env env, Path folder, List<?> words) throws IOException {
    List<String> command = new ArrayList<>();
    words.forEach(word -> command.add(word.toString()));
    command.addAll(1, List.of("-std=c11", "-O2", "-Wall"));
    Launch launch = new Launch(env, folder.resolve("compiler.err"), COMPILE_NANOS);
    Launch.End end = launch.run(command, line -> {});
    if (end.status() != 0) {
      throw new IOException(words.getFirst() + " failed: " + launch.errors());
    }
  }

  private static Path unpack(String name, Path folder) throws IOException {
    Path file = folder.resolve(name);
    if (Files.exists(file)) {
      return file; // of another program
    }
    try (InputStream in = MpiTools.class.getResourceAsStream("mpi/" + name)) {
      Files.copy(Objects.requireNonNull(in, name), file);
    }
    return file;
  }
}
