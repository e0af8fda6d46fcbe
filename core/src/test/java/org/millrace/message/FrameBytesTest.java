package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;

/** The bytes of frames, as docs/protocol.md shows them. */
final class FrameBytesTest {

  private static final Path PAGE = Path.of("..", "docs", "protocol.md");

  private static String hex(FrameKind kind, long id, ByteBuffer body) {
    Frame frame = new Frame(kind, 0, 0, id, id, body.remaining(), 0);
    Outgoing out = Outgoing.of(frame, body, ByteBuffer.allocate(0), true, () -> {});
    ByteBuffer bytes = out.buffers()[0];
    byte[] all = new byte[bytes.remaining()];
    bytes.get(all);
    return HexFormat.of().formatHex(all);
  }

  private static String hello() {
    Greeting.Hello hello = new Greeting.Hello(Greeting.VERSION, "node 3", 0, "", "00ff", "");
    return hex(FrameKind.HELLO, 0, hello.bytes());
  }

  private static String get() {
    ByteBuffer body = ByteBuffer.allocate(24).order(ByteOrder.LITTLE_ENDIAN);
    return hex(FrameKind.GET, 7, body.putLong(1L << 16).putLong(4096).putLong(64).flip());
  }

  @Test
  void thePageShowsTheBytesThatAreSent() throws IOException {
    String page = Files.readString(PAGE);
    String right = page;
    for (String[] one : new String[][] {{"hello", hello()}, {"get  ", get()}}) {
      right = right.replaceAll("(?m)^" + one[0] + "  [0-9a-z]+$", one[0] + "  " + one[1]);
    }
    if (System.getProperty("millrace.golden", "").equals("write")) {
      Files.writeString(PAGE, right);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(right).contains(hello(), get());
  }

  @Test
  void aHeadIsReadAsItWasWritten() throws IOException {
    Frame frame = new Frame(FrameKind.PUT, Frame.NAMED, 1234, 99, 98, 40, 0);
    ByteBuffer bytes = Frame.buffer(Frame.HEAD);
    frame.put(bytes);
    assertThat(Frame.get(bytes.flip(), Frame.MOST_BODY)).isEqualTo(frame);
  }

  @Test
  void headsThatBreakARuleAreRefused() {
    for (int at : new int[] {3, 7, 8, 10}) { // lengths, kind, zeros
      ByteBuffer bytes = Frame.buffer(Frame.HEAD);
      new Frame(FrameKind.PUT, 0, 0, 1, 1, 40, 40).put(bytes);
      bytes.put(at, (byte) 0x7f).flip();
      assertThatThrownBy(() -> Frame.get(bytes, Frame.MOST_BODY))
          .as("byte %d", at)
          .isInstanceOf(MillraceException.class);
    }
  }
}
