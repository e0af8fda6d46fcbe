package org.millrace.cli.judge;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.millrace.Cluster;
import org.millrace.bench.measure.Scratch;
import org.millrace.env.Env;
import org.millrace.files.FileTree;
import org.millrace.server.HttpFiles;
import org.millrace.server.ServeOptions;

/**
 * fsspec's abstract tests, and what else Python has, on {@code millrace://}: pytest runs the files
 * in {@code python/judge} against a server on a cluster of two nodes in this process. Which Python
 * is said by {@code MILLRACE_PYTHON}, else it is {@code python3}. Stateless.
 */
final class PythonJudge implements Judge {

  private static final int NODES = 2;
  private static final int TOKEN_BYTES = 32;
  private static final String LOG = "python.log";

  @Override
  public String name() {
    return "python";
  }

  @Override
  public String about() {
    return "fsspec's abstract tests, xarray, zarr, h5py and pandas on millrace://";
  }

  @Override
  public Judgement run(Path sources) throws IOException {
    Path tests = sources.resolve("python/judge");
    if (!Files.isDirectory(tests)) {
      throw new IOException(
          sources + " is not the folder of Millrace's sources; name it with --sources");
    }
    Path build = Files.createDirectories(sources.resolve("target/judges"));
    Path result = build.resolve(name() + ".tsv");
    Files.deleteIfExists(result);
    String token = HexFormat.of().formatHex(Env.real().secretBytes(TOKEN_BYTES));
    ServeOptions options =
        ServeOptions.local(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), token, "judge");
    try (Scratch scratch = new Scratch(build);
        Cluster cluster = Cluster.embedded(scratch.folder("python"), NODES);
        FileTree tree = cluster.files();
        HttpFiles files = HttpFiles.start(Env.real(), tree, options)) {
      Path tokenFile = scratch.folder("private").resolve("token");
      write(tokenFile, token);
      pytest(
          tests,
          build.resolve(LOG),
          Map.of(
              "MILLRACE_URL", files.url(),
              "MILLRACE_TOKEN_FILE", tokenFile.toString(),
              "MILLRACE_JUDGED", result.toString(),
              "PYTHONDONTWRITEBYTECODE", "1",
              "PYTHONPATH", pythonPath(sources)));
    }
    if (!Files.isRegularFile(result)) {
      throw new IOException(
          "the judge did not run; it needs pytest, and its log is " + build.resolve(LOG));
    }
    return Judgement.read(result);
  }

  private static void write(Path tokenFile, String token) throws IOException {
    Files.createFile(
        tokenFile,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(tokenFile, token);
  }

  private static String pythonPath(Path sources) {
    String before = System.getenv("PYTHONPATH");
    String own = sources.resolve("python").toString();
    return before == null || before.isEmpty() ? own : own + ":" + before;
  }

  private static void pytest(Path tests, Path log, Map<String, String> more) throws IOException {
    String python = System.getenv().getOrDefault("MILLRACE_PYTHON", "python3");
    ProcessBuilder builder =
        new ProcessBuilder(
                List.of(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests.toString()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(more);
    try {
      builder.start().onExit().join();
    } catch (IOException e) {
      throw new IOException("this judge needs Python; install it, or set MILLRACE_PYTHON", e);
    }
  }
}
