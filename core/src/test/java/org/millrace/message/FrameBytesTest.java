package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.millrace.error.MillraceException;

/** The bytes of frames, as docs/protocol.md shows them. */
final class FrameBytesTest {

  private static final Path PAGE = Path.of("..", "docs", "protocol.md");

  private static String hex(FrameKind kind, long id, ByteBuffer body) throws IOException {
    FrameHeader frame = new FrameHeader(kind, 0, 0, id, id, body.remaining(), 0);
    Outgoing out = Outgoing.of(frame, body, ByteBuffer.allocate(0), true, () -> {});
    return HexFormat.of().formatHex(written(out, Integer.MAX_VALUE));
  }

  /** The bytes of a frame, taken by a wire that has room for {@code max} at a time. */
  private static byte[] written(Outgoing out, int max) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (!out.isWritten()) {
      assertThat(out.writeTo((from, first, count) -> take(from, first, count, max, all)))
          .isPositive();
    }
    return all.toByteArray();
  }

  private static long take(
      ByteBuffer[] from, int first, int count, int max, ByteArrayOutputStream all) {
    int taken = 0;
    for (int i = first; i < first + count; i++) {
      while (from[i].hasRemaining() && taken < max) {
        all.write(from[i].get());
        taken++;
      }
    }
    return taken;
  }

  @Test
  void aPayloadThatIsSummedPieceByPieceHasTheSumOfAllOfIt() throws IOException {
    for (int bytes : new int[] {4 << 10, 256 << 10, (256 << 10) + 1, (1 << 20) + 77}) {
      byte[] payload = new byte[bytes];
      new Random(bytes).nextBytes(payload);
      FrameHeader frame = new FrameHeader(FrameKind.PAYLOAD, 0, 0, 5, 4, 0, bytes);
      ByteBuffer head = FrameHeader.buffer(FrameHeader.HEAD);
      frame.put(head);
      CRC32C sum = new CRC32C();
      sum.update(head.flip().duplicate());
      sum.update(payload);
      byte[] right = new byte[FrameHeader.HEAD + bytes + FrameHeader.SUM];
      ByteBuffer.wrap(right)
          .order(ByteOrder.LITTLE_ENDIAN)
          .put(head)
          .put(payload)
          .putInt((int) sum.getValue());
      for (int max : new int[] {1000, 100_000, 256 << 10, 300_000, Integer.MAX_VALUE}) {
        for (boolean own : new boolean[] {false, true}) {
          byte[] mine = payload.clone();
          Outgoing out =
              Outgoing.of(frame, ByteBuffer.allocate(0), ByteBuffer.wrap(mine), true, () -> {});
          ByteArrayOutputStream begin = new ByteArrayOutputStream();
          if (own) {
            long _ = out.writeTo((from, first, count) -> take(from, first, count, 5000, begin));
            out.own();
            Arrays.fill(mine, (byte) 0); // it is its sender's again
          }
          begin.writeBytes(written(out, max));
          assertThat(begin.toByteArray()).as("%d by %d", bytes, max).isEqualTo(right);
        }
      }
    }
  }

  private static String hello() throws IOException {
    Handshake.Hello hello = new Handshake.Hello(Handshake.VERSION, "node 3", 0, "", "00ff", "");
    return hex(FrameKind.HELLO, 0, hello.bytes());
  }

  private static String get() throws IOException {
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
    FrameHeader frame = new FrameHeader(FrameKind.PUT, FrameHeader.NAMED, 1234, 99, 98, 40, 0);
    ByteBuffer bytes = FrameHeader.buffer(FrameHeader.HEAD);
    frame.put(bytes);
    assertThat(FrameHeader.get(bytes.flip(), FrameHeader.MAX_BODY)).isEqualTo(frame);
  }

  @Test
  void headsThatBreakARuleAreRefused() {
    for (int at : new int[] {3, 7, 8, 10}) { // lengths, kind, zeros
      ByteBuffer bytes = FrameHeader.buffer(FrameHeader.HEAD);
      new FrameHeader(FrameKind.PUT, 0, 0, 1, 1, 40, 40).put(bytes);
      bytes.put(at, (byte) 0x7f).flip();
      assertThatThrownBy(() -> FrameHeader.get(bytes, FrameHeader.MAX_BODY))
          .as("byte %d", at)
          .isInstanceOf(MillraceException.class);
    }
  }
}
