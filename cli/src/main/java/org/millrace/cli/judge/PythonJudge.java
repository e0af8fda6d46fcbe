package org.millrace.cli.judge;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.Cluster;
import org.millrace.bench.measure.Scratch;
import org.millrace.cli.keys.KeyMaker;
import org.millrace.cli.mount.TrialMount;
import org.millrace.client.ClusterOptions;
import org.millrace.env.Env;
import org.millrace.files.FileTree;
import org.millrace.server.HttpFiles;
import org.millrace.server.ServeOptions;
import org.millrace.wire.Tls;

/**
 * fsspec's abstract tests, and what else Python has, on {@code millrace://}: pytest runs the files
 * in {@code python/judge} against a server on a cluster of two nodes in this process; or twice
 * against one on daemons, the second time over TLS. Which Python is said by {@code
 * MILLRACE_PYTHON}, else it is {@code python3}. Immutable.
 *
 * @param daemons whether the cluster is made of processes
 */
record PythonJudge(boolean daemons) implements Judge {

  private static final int NODES = 2;
  private static final int TOKEN_BYTES = 32;
  private static final String LOG = "python.log";
  private static final String TESTS = "python/judge";
  private static final String HERE = "127.0.0.1";

  @Override
  public String name() {
    return "python";
  }

  @Override
  public String about() {
    return "fsspec's abstract tests, xarray, zarr, h5py and pandas on millrace://"
        + (daemons ? ", daemons, also over TLS" : "");
  }

  @Override
  public Optional<Judge> onDaemons() {
    return Optional.of(new PythonJudge(true));
  }

  @Override
  public Judgement run(Path sources) throws IOException {
    Path tests = sources.resolve(TESTS);
    if (!Files.isDirectory(tests)) {
      throw new IOException(
          sources + " is not the folder of Millrace's sources; name it with --sources");
    }
    Path build = Files.createDirectories(sources.resolve("target/judges"));
    try (Scratch scratch = new Scratch(sources.resolve(".millrace"))) {
      Path folder = scratch.folder("python");
      Path ours = scratch.folder("private");
      if (!daemons) {
        try (Cluster cluster = Cluster.embedded(folder, NODES)) {
          return judge(sources, build, cluster, ours, false);
        }
      }
      try (TrialMount trial = TrialMount.start(folder, NODES);
          Cluster cluster = Cluster.connect(trial.cluster().toString(), ClusterOptions.DEFAULT)) {
        List<Outcome> all = new ArrayList<>(judge(sources, build, cluster, ours, false).outcomes());
        for (Outcome one : judge(sources, build, cluster, ours, true).outcomes()) {
          all.add(new Outcome("over TLS, " + one.test(), one.ending(), one.reason()));
        }
        return new Judgement(all);
      }
    }
  }

  /**
   * Serves a cluster, and runs the tests.
   *
   * @param ours a folder for what nobody else may read
   */
  private Judgement judge(Path sources, Path build, Cluster cluster, Path ours, boolean tls)
      throws IOException {
    Path result = build.resolve(name() + ".tsv");
    Files.deleteIfExists(result);
    String token = HexFormat.of().formatHex(Env.real().secretBytes(TOKEN_BYTES));
    ServeOptions plain =
        ServeOptions.local(new InetSocketAddress(InetAddress.ofLiteral(HERE), 0), token, "judge");
    Map<String, String> more = new HashMap<>();
    ServeOptions options = tls ? overTls(plain, ours, more) : plain;
    Path tokenFile = ours.resolve(tls ? "token-tls" : "token");
    write(tokenFile, token);
    try (FileTree tree = cluster.files();
        HttpFiles files = HttpFiles.start(Env.real(), tree, options)) {
      more.put("MILLRACE_URL", files.url());
      more.put("MILLRACE_TOKEN_FILE", tokenFile.toString());
      more.put("MILLRACE_JUDGED", result.toString());
      more.put("PYTHONDONTWRITEBYTECODE", "1");
      more.put("PYTHONPATH", pythonPath(sources));
      pytest(sources.resolve(TESTS), build.resolve(LOG), more);
    }
    if (!Files.isRegularFile(result)) {
      throw new IOException(
          "the judge did not run; it needs pytest, and its log is " + build.resolve(LOG));
    }
    return Judgement.read(result);
  }

  /** New keys, and for Python the certificate of who has signed them. */
  private static ServeOptions overTls(ServeOptions plain, Path ours, Map<String, String> more)
      throws IOException {
    Path keys = KeyMaker.forThisHost(ours.resolve("keys"), HERE);
    Path authority = ours.resolve("authority.pem");
    try {
      KeyStore trusted = KeyStore.getInstance(keys.resolve(Tls.TRUST).toFile(), Tls.password(keys));
      StringBuilder text = new StringBuilder();
      for (String alias : Collections.list(trusted.aliases())) {
        byte[] encoded = trusted.getCertificate(alias).getEncoded();
        text.append("-----BEGIN CERTIFICATE-----\n")
            .append(Base64.getMimeEncoder().encodeToString(encoded))
            .append("\n-----END CERTIFICATE-----\n");
      }
      Files.writeString(authority, text);
    } catch (GeneralSecurityException e) {
      throw new IOException("the keys in %s cannot be read".formatted(keys), e);
    }
    more.put("MILLRACE_CA", authority.toString());
    return plain.withTls(Tls.load(keys));
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
