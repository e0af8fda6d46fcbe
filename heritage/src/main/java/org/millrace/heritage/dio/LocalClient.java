package org.millrace.heritage.dio;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.millrace.client.Rank;
import org.millrace.heritage.dio.LocalMessage.Kind;

/** Asks other ranks for bytes of their files, piece by piece. Safe for use by several threads. */
final class LocalClient {

  // constant after construction
  private final Rank group;
  private final AtomicInteger asked = new AtomicInteger();

  LocalClient(Rank group) {
    this.group = group;
  }

  private int replyTag() {
    return 1 + Math.floorMod(asked.getAndIncrement(), Integer.MAX_VALUE);
  }

  private ByteBuffer ask(int proc, LocalMessage request) throws IOException {
    group.send(proc, LocalMessage.REQUEST, request.encode());
    return LocalMessage.result(group.receive(proc, request.replyTag()).bytes());
  }

  long read(int proc, long offset, List<MemorySegment> into) throws IOException {
    long done = 0;
    for (MemorySegment part : into) {
      for (long at = 0; at < part.byteSize(); ) {
        long bytes = Math.min(LocalMessage.PIECE, part.byteSize() - at);
        ByteBuffer got = ask(proc, LocalMessage.of(Kind.READ, replyTag(), offset + done, bytes));
        int moved = got.remaining();
        MemorySegment.copy(MemorySegment.ofBuffer(got), 0, part, at, moved);
        done += moved;
        at += moved;
        if (moved < bytes) {
          return done;
        }
      }
    }
    return done;
  }

  long write(int proc, long offset, List<MemorySegment> from) throws IOException {
    long done = 0;
    for (MemorySegment part : from) {
      for (long at = 0; at < part.byteSize(); ) {
        long bytes = Math.min(LocalMessage.PIECE, part.byteSize() - at);
        byte[] data = part.asSlice(at, bytes).toArray(ValueLayout.JAVA_BYTE);
        ask(proc, new LocalMessage(Kind.WRITE, replyTag(), offset + done, bytes, data));
        done += bytes;
        at += bytes;
      }
    }
    return done;
  }

  long size(int proc) throws IOException {
    return ask(proc, LocalMessage.of(Kind.SIZE, replyTag(), 0, 0)).getLong();
  }

  void extend(int proc, long size) throws IOException {
    ask(proc, LocalMessage.of(Kind.EXTEND, replyTag(), 0, size));
  }
}
