package org.millrace.cli.keys;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.cli.terminal.Shown;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.output.Json;
import org.millrace.output.Table;
import org.millrace.wire.Tls;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code millrace keys}: certificates for TLS. Used by one thread. */
@Command(
    name = "keys",
    description = {
      "Make and show keys for connections between hosts (tls: addresses).",
      "A folder of keys is for one user or one host. Copy it there, keep it private, and give it as"
          + " --keys. The folder named authority makes new keys: keep it where no one else can read it."
    })
public final class KeysCommand implements Callable<Integer> {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.:-]{0,252})");

  @Spec private CommandSpec spec;

  private Path folder = Path.of(".millrace", "keys");

  @Option(
      names = "--dir",
      paramLabel = "K",
      scope = ScopeType.INHERIT,
      description = "Folder of the authority and its keys (default: .millrace/keys).")
  void setFolder(Path path) {
    folder = path;
  }

  @Override
  public Integer call() {
    throw new ParameterException(spec.commandLine(), "keys needs init, issue or show");
  }

  @Command(
      name = "init",
      description = {
        "Make an authority, and keys for each host and for the administrator.",
        "The processes of the cluster run with a host's keys, as that user."
      })
  int init(
      @Option(
              names = "--user",
              required = true,
              paramLabel = "NAME",
              description = "The user who runs the cluster's processes.")
          String user,
      @Option(
              names = "--host",
              required = true,
              paramLabel = "H",
              description =
                  "A host's name or IP address, by which others reach it. May be repeated.")
          List<String> hosts,
      @Option(
              names = "--days",
              paramLabel = "N",
              defaultValue = "365",
              description = "How long the keys are valid (default: ${DEFAULT-VALUE}).")
          int days)
      throws IOException {
    checkNames("--user", List.of(user), NAME);
    checkNames("--host", hosts, HOST);
    if (hosts.contains(user)
        || user.equals(KeyMaker.AUTHORITY)
        || hosts.contains(KeyMaker.AUTHORITY)) {
      throw new ParameterException(
          spec.commandLine(), "user, hosts and the authority need folders of different names");
    }
    KeyMaker maker = new KeyMaker(folder, checkDays(days));
    maker.makeAuthority();
    made(folder.resolve(KeyMaker.AUTHORITY), "the authority");
    for (String host : new LinkedHashSet<>(hosts)) {
      Path target = folder.resolve(host);
      maker.issue(target, user, List.of(), List.of(host));
      made(target, "processes of " + user + " at " + host);
    }
    Path target = folder.resolve(user);
    maker.issue(target, user, List.of(), List.of());
    made(target, "user " + user);
    return ExitCode.OK;
  }

  @Command(
      name = "issue",
      description = {
        "Make keys for a user, who can then use the cluster from another host.",
        "With --host they are also for processes that listen there: nodes, and ranks of runs over"
            + " several hosts. Others accept such a process as that host: give them to people you trust."
      })
  int issue(
      @Option(names = "--user", required = true, paramLabel = "NAME", description = "The user.")
          String user,
      @Option(
              names = "--group",
              paramLabel = "G",
              description = "A group that the user is in. May be repeated.")
          @Nullable List<String> groups,
      @Option(
              names = "--host",
              paramLabel = "H",
              description = "A host where processes of the user listen. May be repeated.")
          @Nullable List<String> hosts,
      @Option(
              names = "--out",
              paramLabel = "FOLDER",
              description = "Folder to create (default: one with the user's name in K).")
          @Nullable Path out,
      @Option(
              names = "--days",
              paramLabel = "N",
              defaultValue = "365",
              description = "How long the keys are valid (default: ${DEFAULT-VALUE}).")
          int days)
      throws IOException {
    List<String> inGroups = groups == null ? List.of() : groups;
    List<String> atHosts = hosts == null ? List.of() : hosts;
    checkNames("--user", List.of(user), NAME);
    checkNames("--group", inGroups, NAME);
    checkNames("--host", atHosts, HOST);
    Path target = out == null ? folder.resolve(user) : out;
    new KeyMaker(folder, checkDays(days)).issue(target, user, inGroups, atHosts);
    made(target, "user " + user);
    return ExitCode.OK;
  }

  @Command(name = "show", description = "Show whose keys there are and when they expire.")
  int show(
      @Parameters(
              arity = "0..*",
              paramLabel = "FOLDER",
              description = "Folders of keys; those in K if none is given.")
          @Nullable List<Path> folders,
      @Option(names = "--json", description = "Print JSON.") boolean json)
      throws IOException {
    List<KeyFacts> all = new ArrayList<>();
    for (Path one : folders == null ? keysIn(folder) : folders) {
      all.add(KeyFacts.of(one));
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.of(all.stream().map(KeyFacts::values).toList()));
      return ExitCode.OK;
    }
    Table table = new Table("folder", "whose", "hosts", "good until", "fingerprint");
    for (KeyFacts one : all) {
      table.row(
          one.folder(),
          one.subject(),
          String.join(",", one.hosts()),
          Shown.date(one.untilMillis()),
          one.fingerprint().substring(0, 16));
    }
    table.lines().forEach(out::println);
    return ExitCode.OK;
  }

  private void made(Path place, String whose) {
    spec.commandLine().getOut().println(place + ": keys of " + whose);
  }

  private int checkDays(int days) {
    if (days < 1 || days > 36_500) {
      throw new ParameterException(
          spec.commandLine(), "--days must be within 1..36500, was " + days);
    }
    return days;
  }

  private void checkNames(String option, List<String> names, Pattern form) {
    for (String name : names) {
      if (!form.matcher(name).matches()) {
        throw new ParameterException(
            spec.commandLine(),
            option + " takes letters, digits and . _ - in names, not '" + Shown.text(name) + "'");
      }
    }
  }

  private static List<Path> keysIn(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      throw new MillraceException(
          ErrorCode.REFUSED, "there is no " + folder + "; make keys with: millrace keys init");
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(one -> Files.exists(one.resolve(Tls.KEY))).sorted().toList();
    }
  }
}
