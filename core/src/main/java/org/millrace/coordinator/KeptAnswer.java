package org.millrace.coordinator;

import java.util.Optional;
import java.util.function.Function;
import org.millrace.layout.FileEntry;
import org.millrace.message.Message;
import org.millrace.protocol.Asking;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.FileFacts;

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

  /** What was made or changed. Who asks again gets a right to ask nodes of it anew. */
  record At(FileFacts facts) implements KeptAnswer {}

  /** A name went, and perhaps a file with it. */
  record Gone(Optional<FileFacts> file) implements KeptAnswer {}

  /** A session's open has made a file. Who asks again opens it. */
  record Opened(long file) implements KeptAnswer {}

  /** What is kept of a reply. */
  static KeptAnswer of(Message reply) {
    return switch (reply) {
      case CoordinatorReply.Done _ -> new Done();
      case CoordinatorReply.Value(long value) -> new Value(value);
      case CoordinatorReply.About(FileEntry entry) -> new About(entry);
      case CoordinatorReply.FileAt at -> new At(at.facts());
      case CoordinatorReply.FileGone(Optional<FileFacts> file) -> new Gone(file);
      case CoordinatorReply.FileOpened opened -> new Opened(opened.opened().file());
      default -> throw new IllegalArgumentException("no answer to a change of names: " + reply);
    };
  }

  /**
   * The same reply again; empty if there is none.
   *
   * @param asking makes the right to ask nodes of files
   */
  default Optional<Message> reply(Function<FileFacts, Asking> asking) {
    return switch (this) {
      case None _, Opened _ -> Optional.empty();
      case At(FileFacts facts) ->
          Optional.of(new CoordinatorReply.FileAt(facts, asking.apply(facts)));
      case Gone(Optional<FileFacts> file) -> Optional.of(new CoordinatorReply.FileGone(file));
      case Done _ -> Optional.of(new CoordinatorReply.Done());
      case Value(long value) -> Optional.of(new CoordinatorReply.Value(value));
      case About(FileEntry entry) -> Optional.of(new CoordinatorReply.About(entry));
    };
  }
}
