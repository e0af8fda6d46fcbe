package org.millrace.cli.daemons;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The unit by which systemd brings a cluster up when the host starts, and stops it in order when
 * the host ends. Immutable.
 *
 * @param directory of the cluster, absolute
 * @param user whose processes they are
 * @param options of {@code up} beside the directory
 */
record ServiceUnit(Path directory, String user, List<String> options) {

  private static final String UNITS = "etc/systemd/system";
  private static final String STARTED_WITH_HOST = "multi-user.target.wants";

  /** Its name: one for each directory. */
  String name() {
    String plain = directory.toString().replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
    return "millrace-" + plain + ".service";
  }

  /** What the file says. */
  String text() {
    List<String> up = new ArrayList<>(List.of("up", "--dir", directory.toString()));
    up.addAll(options);
    List<String> stop = List.of("stop", "--dir", directory.toString());
    return """
    # Written by millrace up --install-service; the same command writes it anew.
    [Unit]
    Description=Millrace cluster in %s
    Wants=network-online.target
    After=network-online.target local-fs.target time-sync.target
    RequiresMountsFor=%s

    [Service]
    Type=oneshot
    RemainAfterExit=yes
    User=%s
    WorkingDirectory=%s
    Environment=%s
    ExecStart=%s
    # a node that cannot come back does not keep the others from serving; millrace status names it
    SuccessExitStatus=4
    ExecStop=%s
    TimeoutStartSec=180
    TimeoutStopSec=300
    LimitNOFILE=65536

    [Install]
    WantedBy=multi-user.target
    """
        .formatted(
            escaped(directory.toString()),
            quoted(directory.toString()),
            user,
            escaped(directory.toString()),
            quoted("MILLRACE_JAVA_HOME=" + System.getProperty("java.home")),
            line(JavaCommand.later(up)),
            line(JavaCommand.later(stop)));
  }

  private static String line(List<String> words) {
    String program = quoted(words.getFirst()); // only behind it are variables replaced
    return words.stream()
        .skip(1)
        .map(word -> quoted(word).replace("$", "$$"))
        .collect(Collectors.joining(" ", program + " ", ""));
  }

  private static String quoted(String word) {
    return "\"" + escaped(word).replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }

  private static String escaped(String text) {
    return text.replace("%", "%%");
  }

  /**
   * Writes it below {@code root}, and has it started with the host, as {@code systemctl enable}
   * would. Returns where it is.
   */
  Path install(Path root) throws IOException {
    Path units = root.resolve(UNITS);
    Path wants = Files.createDirectories(units.resolve(STARTED_WITH_HOST));
    Path unit = units.resolve(name());
    Files.writeString(unit, text());
    try {
      Files.createSymbolicLink(wants.resolve(name()), Path.of("..").resolve(name()));
    } catch (FileAlreadyExistsException e) {
      return unit; // it was installed before
    }
    return unit;
  }
}
