package org.millrace.cli.mount;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.millrace.cli.daemons.JavaCommand;
import org.millrace.cli.daemons.Launching;
import org.millrace.disk.RunFolder;

/** The process in the background that serves a mount. Used by one thread. */
final class MountProcess {

  /** What the process says when the mount can be used. */
  static final String READY = "mounted";

  private static final Path SETSID = Path.of("/usr/bin/setsid");
  private static final String ERROR = "millrace: ";

  private final Path mountPoint;

  MountProcess(Path mountPoint) {
    this.mountPoint = mountPoint;
  }

  /** Starts it; returns, when the mount can be used, what to tell the user. */
  String start(List<String> arguments) throws IOException {
    Path log = RunFolder.ofUser().file("mount" + number(mountPoint) + ".log");
    List<String> line = new ArrayList<>();
    if (Files.isExecutable(SETSID)) { // or closing the terminal would end it
      line.add(SETSID.toString());
    }
    line.addAll(JavaCommand.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
            .redirectError(ProcessBuilder.Redirect.to(log.toFile()));
    builder.environment().keySet().removeIf(Launching::isLaunchers);
    Process process = builder.start();
    try (BufferedReader said =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String next = said.readLine(); next != null; next = said.readLine()) {
        if (next.equals(READY)) {
          return "mounted at %s; log in %s; end it with: millrace umount %s"
              .formatted(mountPoint, log, mountPoint);
        }
      }
    }
    throw new IOException(reason(log));
  }

  private static String reason(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return lines.reversed().stream()
        .filter(line -> line.startsWith(ERROR))
        .findFirst()
        .map(line -> line.substring(ERROR.length()))
        .orElse("the process that serves the mount has ended; its log is " + log);
  }

  /** Tells the logs of mounts apart, by the place. */
  private static String number(Path place) {
    return Integer.toUnsignedString(place.toAbsolutePath().normalize().toString().hashCode(), 16);
  }
}
