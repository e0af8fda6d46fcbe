package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** An endpoint to talk to: memory, a pointer, and a few messages of its own. */
final class TestEndpoint implements Endpoint {

  /** Answered by itself. */
  record Echo(String text) implements Message {}

  /** Counts; answered with how often it was handled. Not repeatable. */
  record Count(long by) implements Message {}

  /** The answer to {@link Count}. */
  record Total(long total) implements Message {}

  /** Copies memory to the payload. */
  record Read(long offset, long bytes) implements Message {}

  /** The other way. */
  record Write(long offset, long bytes) implements Message {}

  /** Answered by an {@link Echo} of so many characters. */
  record Repeat(long characters) implements Message {}

  /** Is answered when somebody opens the endpoint's gate. */
  record Wait() implements Message {}

  /** The codec of these. */
  static final class Words implements Codec {

    private final boolean forgets;

    Words() {
      this(false);
    }

    /** With {@code forgets}, counting passes for repeatable: no answer to it is kept. */
    Words(boolean forgets) {
      this.forgets = forgets;
    }

    @Override
    public void encode(Message message, Encoder to) {
      switch (message) {
        case Echo m -> to.putByte(1).putText(m.text);
        case Count m -> to.putByte(2).putLong(m.by);
        case Total m -> to.putByte(3).putLong(m.total);
        case Read m -> to.putByte(4).putLong(m.offset).putLong(m.bytes);
        case Write m -> to.putByte(5).putLong(m.offset).putLong(m.bytes);
        case Wait _ -> to.putByte(6);
        case Repeat m -> to.putByte(7).putLong(m.characters);
        default -> throw new IllegalArgumentException("unknown: " + message);
      }
    }

    @Override
    public Message decode(Decoder from) throws MillraceException {
      int kind = from.getByte();
      Message message =
          switch (kind) {
            case 1 -> new Echo(from.getText());
            case 2 -> new Count(from.getLong());
            case 3 -> new Total(from.getLong());
            case 4 -> new Read(from.getLong(), from.getLong());
            case 5 -> new Write(from.getLong(), from.getLong());
            case 6 -> new Wait();
            case 7 -> new Repeat(from.getLong());
            default -> throw from.wrong("kind " + kind);
          };
      from.end();
      return message;
    }

    @Override
    public PayloadLayout payloadLayout(Message request) {
      return switch (request) {
        case Read m -> PayloadLayout.whole(PayloadLayout.Direction.TO_SENDER, m.bytes);
        case Write m -> PayloadLayout.whole(PayloadLayout.Direction.TO_RECEIVER, m.bytes);
        default -> PayloadLayout.NOTHING;
      };
    }

    @Override
    public @Nullable Message part(Message request, long from, long to) {
      return switch (request) {
        case Read m -> new Read(m.offset + from, to - from);
        case Write m -> new Write(m.offset + from, to - from);
        default -> null;
      };
    }

    @Override
    public boolean isRepeatable(Message request) {
      return request instanceof Echo
          || request instanceof Read
          || (forgets && request instanceof Count);
    }

    @Override
    public boolean isQuick(Message request) {
      return !(request instanceof Write);
    }
  }

  final MemorySegment memory;
  final AtomicLong pointer = new AtomicLong();
  final AtomicLong counted = new AtomicLong();
  final ConcurrentLinkedQueue<String> gone = new ConcurrentLinkedQueue<>();
  final ConcurrentLinkedQueue<ReplyTo> waiting = new ConcurrentLinkedQueue<>();
  volatile Runnable beforeReply = () -> {};
  final AtomicInteger requests = new AtomicInteger();
  volatile long lastPayloadBytes;
  volatile Peer lastPeer = new Peer(0, "");

  TestEndpoint(int bytes) {
    memory = MemorySegment.ofArray(new byte[bytes]);
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    lastPeer = from;
    requests.incrementAndGet();
    lastPayloadBytes = payload.bytes();
    switch (request) {
      case Echo echo -> replyTo.reply(echo);
      case Repeat repeat -> replyTo.reply(new Echo("x".repeat((int) repeat.characters)));
      case Count count -> {
        long total = counted.addAndGet(count.by);
        beforeReply.run();
        replyTo.reply(new Total(total));
      }
      case Wait _ -> waiting.add(replyTo);
      case Read read -> {
        payload.copyFrom(memory, read.offset);
        replyTo.reply(new Total(read.bytes));
      }
      case Write write -> {
        payload.copyTo(memory, write.offset);
        beforeReply.run();
        replyTo.reply(new Total(write.bytes));
      }
      default -> replyTo.fail(new MillraceException(ErrorCode.PROTOCOL, "what is " + request));
    }
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length) {
    long got = Math.clamp(memory.byteSize() - offset, 0, length);
    if (got > 0) {
      MemorySegment.copy(memory, offset, into, at, got);
    }
    return got;
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    if (offset + length > memory.byteSize()) {
      throw new MillraceException(ErrorCode.DISK_FULL, "no room for " + length + " at " + offset);
    }
    MemorySegment.copy(source, at, memory, offset, length);
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit) {
    return pointer.getAndAdd(delta);
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    gone.add(reason);
  }
}
