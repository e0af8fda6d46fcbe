package org.millrace.env;

/**
 * Makes the events that spans are while the JDK's flight recorder records. Stateless.
 *
 * <p>The classes of events are loaded here, once, when this class is: the recorder of JDK 25
 * changes such classes as they are loaded, and fails with a {@code LinkageError} if several threads
 * load one at the same time, or if the loading begins in their superclass.
 */
final class FlightRecorder {

  static {
    for (Span.Kind kind : Span.Kind.values()) {
      make(kind);
    }
  }

  private FlightRecorder() {}

  private static RecordedSpan make(Span.Kind kind) {
    return switch (kind) {
      case COLLECTIVE -> new RecordedSpan.Collective();
      case MEETING -> new RecordedSpan.Meeting();
      case TRANSFER -> new RecordedSpan.Transfer();
    };
  }

  /** Begins a span, if a recording wants it. */
  static Span begin(Span.Kind kind) {
    RecordedSpan event = make(kind);
    if (!event.isEnabled()) {
      return Span.NONE;
    }
    event.begin();
    return event;
  }
}
