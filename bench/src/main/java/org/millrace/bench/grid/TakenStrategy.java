package org.millrace.bench.grid;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/**
 * Looks which strategy collective calls of this JVM take, as the flight recorder has it. Only calls
 * that are not timed are watched. Used by one thread.
 */
public final class TakenStrategy {

  private static final String EVENT = "millrace.Transfer";

  // constant after construction
  private final Path file;
  private final Recording recording = new Recording();

  /** Watches from now on; {@code file} is written and removed again. */
  public TakenStrategy(Path file) {
    this.file = file;
    recording.enable(EVENT);
    recording.start();
  }

  /** The strategy of the last transfer since; empty if there was none. */
  public String end() throws IOException {
    recording.stop();
    try {
      recording.dump(file);
      String last = "";
      for (RecordedEvent event : RecordingFile.readAllEvents(file)) {
        if (event.getEventType().getName().equals(EVENT)) {
          last = event.getString("strategy");
        }
      }
      return last;
    } finally {
      recording.close();
      Files.deleteIfExists(file);
    }
  }
}
