package org.millrace.bench.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A stream with the work of a file system. */
final class WorkedPipeTest {

  private static final int BYTES = 300 << 10; // no multiple of the pieces

  /** Keeps what is written; what is read is counted up. */
  private static final class Kept implements PlainStream.Pipe {

    final ByteBuffer written = ByteBuffer.allocate(2 * BYTES);
    byte next;
    boolean closed;

    @Override
    public void write(ByteBuffer from) {
      written.put(from);
    }

    @Override
    public void read(ByteBuffer into) {
      while (into.hasRemaining()) {
        into.put(next++);
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void whatIsSentComesOutOfTheFile() throws IOException {
    Kept below = new Kept();
    ByteBuffer file = WorkedPipe.file(BYTES);
    try (WorkedPipe pipe = new WorkedPipe(below, file.duplicate())) {
      pipe.write(ByteBuffer.allocateDirect(BYTES));
    }
    assertThat(below.written.flip()).isEqualTo(file);
    assertThat(below.closed).isTrue();
  }

  @Test
  void whatComesGoesIntoTheFileAndIntoTheMessage() throws IOException {
    ByteBuffer file = WorkedPipe.file(BYTES);
    ByteBuffer message = ByteBuffer.allocateDirect(BYTES);
    try (WorkedPipe pipe = new WorkedPipe(new Kept(), file.duplicate())) {
      pipe.read(message);
    }
    assertThat(message.hasRemaining()).isFalse();
    assertThat(file).isEqualTo(message.flip());
    assertThat(file.get(1)).isEqualTo((byte) 1);
  }

  @Test
  void withoutAFileTheMessageItselfIsSent() throws IOException {
    Kept below = new Kept();
    try (WorkedPipe pipe = new WorkedPipe(below, ByteBuffer.allocate(0))) {
      pipe.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
    assertThat(below.written.flip()).isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
  }
}
