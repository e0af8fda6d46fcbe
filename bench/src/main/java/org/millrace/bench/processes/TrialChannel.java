package org.millrace.bench.processes;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.millrace.env.Env;
import org.millrace.wire.Ring;
import org.millrace.wire.RingReader;
import org.millrace.wire.RingWriter;
import org.millrace.wire.Spin;

/**
 * One end of a {@link TrialWay}: sends and receives messages whose size both ends know. For one
 * thread. Closing closes the socket.
 */
sealed interface TrialChannel extends AutoCloseable {

  /** How large a ring is, each way. */
  int RING_BYTES = 256 << 10;

  void send(MemorySegment source, int bytes) throws IOException;

  void receive(MemorySegment target, int bytes) throws IOException;

  @Override
  void close() throws IOException;

  /** Through a socket alone. */
  record Socket(SocketChannel channel) implements TrialChannel {

    @Override
    public void send(MemorySegment source, int bytes) throws IOException {
      ByteBuffer buffer = source.asByteBuffer().limit(bytes);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    }

    @Override
    public void receive(MemorySegment target, int bytes) throws IOException {
      ByteBuffer buffer = target.asByteBuffer().limit(bytes);
      while (buffer.hasRemaining()) {
        if (channel.read(buffer) < 0) {
          throw new EOFException();
        }
      }
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /** Through two rings, with a socket as doorbell. */
  final class Rings implements TrialChannel {

    private final TrialWay way;
    private final SocketChannel bell;
    private final RingReader reader;
    private final RingWriter writer;
    private final Spin spin = new Spin(Env.real());
    private final Spin.Check readable;
    private final ByteBuffer one = ByteBuffer.allocateDirect(1);
    private final ByteBuffer some = ByteBuffer.allocateDirect(64);

    Rings(TrialWay way, SocketChannel bell, MemorySegment memory, boolean server) {
      this.way = way;
      this.bell = bell;
      MemorySegment first = memory.asSlice(0, Ring.bytesFor(RING_BYTES));
      MemorySegment second = memory.asSlice(Ring.bytesFor(RING_BYTES));
      this.reader = new RingReader(server ? first : second);
      this.writer = new RingWriter(server ? second : first);
      this.readable = () -> reader.readableBytes() > 0;
    }

    static long bytes() {
      return 2 * Ring.bytesFor(RING_BYTES);
    }

    @Override
    public void send(MemorySegment source, int bytes) throws IOException {
      for (int done = 0; done < bytes; ) {
        int wrote = writer.write(source, done, Math.min(bytes - done, RING_BYTES / 4));
        ring(writer.publish());
        done += wrote;
        if (wrote == 0) {
          awaitRoom();
        }
      }
    }

    @Override
    public void receive(MemorySegment target, int bytes) throws IOException {
      for (int done = 0; done < bytes; ) {
        int read = reader.read(target, done, Math.min(bytes - done, RING_BYTES / 4));
        ring(reader.release());
        done += read;
        if (read == 0) {
          awaitBytes();
        }
      }
    }

    private void awaitBytes() throws IOException {
      if (way == TrialWay.RING_LOOKING) {
        Thread.onSpinWait();
        return;
      }
      if (way != TrialWay.RING_SLEEPING && spin.await(readable)) {
        return;
      }
      if (reader.park()) {
        sleep();
      }
      reader.unpark();
      spin.woke();
    }

    private void awaitRoom() throws IOException {
      int wanted = RING_BYTES / 2;
      if (way == TrialWay.RING_LOOKING) {
        Thread.onSpinWait();
        return;
      }
      if (writer.park(wanted)) {
        sleep();
      }
      writer.unpark();
    }

    private void sleep() throws IOException {
      if (bell.read(some.clear()) < 0) {
        throw new EOFException();
      }
    }

    private void ring(boolean needed) throws IOException {
      if (needed) {
        bell.write(one.clear());
      }
    }

    @Override
    public void close() throws IOException {
      bell.close();
    }
  }

  /** Memory for messages. */
  static MemorySegment memory(long bytes) {
    return Arena.ofAuto().allocate(bytes, 4096);
  }
}
