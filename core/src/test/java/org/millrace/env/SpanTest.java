package org.millrace.env;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans are there while somebody records, in real life, and nowhere else. */
final class SpanTest {

  private static final Span.Facts FACTS =
      new Span.Facts(7, 3, "barrier", "a/b", "direct", "all ranks at once", 4096);

  @TempDir private Path folder;

  @Test
  void withoutARecordingThereIsNoSpan() {
    for (Span.Kind kind : Span.Kind.values()) {
      Span span = Env.real().span(kind);
      assertThat(span).isSameAs(Span.NONE);
      assertThat(span.isWatched()).isFalse();
      span.end(FACTS); // does nothing
    }
  }

  @Test
  void aRecordingHasWhatWasSaidAtTheEnd() throws IOException {
    Path file = folder.resolve("r.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("millrace.Meeting");
      recording.disable("millrace.Transfer");
      recording.start();
      Span span = Env.real().span(Span.Kind.MEETING);
      assertThat(span.isWatched()).isTrue();
      span.end(FACTS);
      Env.real().span(Span.Kind.MEETING); // never ended
      assertThat(Env.real().span(Span.Kind.TRANSFER).isWatched()).isFalse(); // not wanted
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    assertThat(events).hasSize(1);
    RecordedEvent event = events.getFirst();
    assertThat(event.getEventType().getName()).isEqualTo("millrace.Meeting");
    assertThat(event.getLong("group")).isEqualTo(7);
    assertThat(event.getInt("rank")).isEqualTo(3);
    assertThat(event.getString("call")).isEqualTo("barrier");
    assertThat(event.getString("file")).isEqualTo("a/b");
    assertThat(event.getString("strategy")).isEqualTo("direct");
    assertThat(event.getString("plan")).isEqualTo("all ranks at once");
    assertThat(event.getLong("bytes")).isEqualTo(4096);
  }

  @Test
  void simulatedTimeIsNeverRecorded() {
    try (Recording recording = new Recording()) {
      recording.enable("millrace.Meeting");
      recording.start();
      AtomicReference<Span> seen = new AtomicReference<>();
      SeededEnv env = SeededEnv.of(1);
      env.run(() -> seen.set(env.span(Span.Kind.MEETING)));
      assertThat(seen.get()).isSameAs(Span.NONE);
    }
  }
}
