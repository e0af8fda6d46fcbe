package org.millrace.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import org.millrace.launch.Launch;

/**
 * Records a run, with the events of ranks alone; the file is written when the JVM ends, however the
 * run does. Of ranks that are processes each has a file of its own, whose name has its number.
 * Stateless.
 */
final class RunRecording {

  private static final List<String> EVENTS =
      List.of("millrace.Collective", "millrace.Meeting", "millrace.Transfer");

  private RunRecording() {}

  /** Begins. */
  static void begin(Path file) throws IOException {
    Recording recording = new Recording();
    try {
      EVENTS.forEach(recording::enable);
      recording.setName("millrace run");
      recording.setDestination(own(file));
      recording.setDumpOnExit(true);
      recording.start();
    } catch (IOException | RuntimeException e) {
      recording.close();
      throw e;
    }
  }

  private static Path own(Path file) {
    return Launch.recognize()
        .map(
            launch -> {
              String name = file.getFileName().toString().replaceFirst("\\.jfr$", "");
              return file.resolveSibling("%s-%s.jfr".formatted(name, launch.rank()));
            })
        .orElse(file);
  }
}
