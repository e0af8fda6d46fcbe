package org.millrace.coordinator;

import java.util.Optional;
import org.millrace.layout.FileEntry;
import org.millrace.message.Message;
import org.millrace.protocol.CoordinatorReply;

/** The answer to a request that has changed names, as the journal keeps it. Immutable. */
sealed interface KeptAnswer {

  /** There is no answer: the change was taken back. */
  record None() implements KeptAnswer {}

  /** It is done. */
  record Done() implements KeptAnswer {}

  /** A number; of a group's open, the id of the file that it made. */
  record Value(long value) implements KeptAnswer {}

  /** What was removed or replaced. */
  record About(FileEntry entry) implements KeptAnswer {}

  /** What is kept of a reply. */
  static KeptAnswer of(Message reply) {
    return switch (reply) {
      case CoordinatorReply.Done _ -> new Done();
      case CoordinatorReply.Value(long value) -> new Value(value);
      case CoordinatorReply.About(FileEntry entry) -> new About(entry);
      default -> throw new IllegalArgumentException("no answer to a change of names: " + reply);
    };
  }

  /** The same reply again. */
  default Optional<Message> reply() {
    return switch (this) {
      case None _ -> Optional.empty();
      case Done _ -> Optional.of(new CoordinatorReply.Done());
      case Value(long value) -> Optional.of(new CoordinatorReply.Value(value));
      case About(FileEntry entry) -> Optional.of(new CoordinatorReply.About(entry));
    };
  }
}
