package org.millrace.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** An endpoint to talk to: memory, a pointer, and a few messages of its own. */
final class Shop implements Endpoint {

  /** Answered by itself. */
  record Echo(String text) implements Message {}

  /** Counts; answered with how often it was handled. Not repeatable. */
  record Count(long by) implements Message {}

  /** The answer to {@link Count}. */
  record Total(long total) implements Message {}

  /** Copies memory to every second byte of the payload. */
  record Read(long offset, long bytes, boolean comb) implements Message {}

  /** The other way. */
  record Write(long offset, long bytes, boolean comb) implements Message {}

  /** Answered by an {@link Echo} of so many characters. */
  record Repeat(long characters) implements Message {}

  /** Is answered when somebody opens the shop's gate. */
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
        case Read m -> to.putByte(4).putLong(m.offset).putLong(m.bytes).putBoolean(m.comb);
        case Write m -> to.putByte(5).putLong(m.offset).putLong(m.bytes).putBoolean(m.comb);
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
            case 4 -> new Read(from.getLong(), from.getLong(), false);
            case 5 -> new Write(from.getLong(), from.getLong(), false);
            case 6 -> new Wait();
            case 7 -> new Repeat(from.getLong());
            default -> throw from.wrong("kind " + kind);
          };
      if (kind == 4 || kind == 5) {
        from.getBoolean(); // where the sender's bytes lie is its own affair
      }
      from.end();
      return message;
    }

    @Override
    public Cargo cargo(Message request, long payloadBytes) {
      return switch (request) {
        case Read m -> of(Cargo.Direction.TO_SENDER, m.bytes, m.comb);
        case Write m -> of(Cargo.Direction.TO_RECEIVER, m.bytes, m.comb);
        default -> Cargo.NOTHING;
      };
    }

    private static Cargo of(Cargo.Direction direction, long bytes, boolean comb) {
      return comb ? new EverySecond(direction, bytes) : Cargo.whole(direction, bytes);
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

  /** Every second byte of a payload. */
  record EverySecond(Direction direction, long bytes) implements Cargo {
    @Override
    public long memoryBytes() {
      return 2 * bytes;
    }

    @Override
    public Walk walk() {
      return new Walk() {
        private boolean taken = bytes == 0;

        @Override
        public boolean next() {
          boolean first = !taken;
          taken = true;
          return first;
        }

        @Override
        public long offset() {
          return 0;
        }

        @Override
        public long length() {
          return 1;
        }

        @Override
        public long stride() {
          return 2;
        }

        @Override
        public long count() {
          return bytes;
        }
      };
    }
  }

  final MemorySegment memory;
  final AtomicLong pointer = new AtomicLong();
  final AtomicLong counted = new AtomicLong();
  final ConcurrentLinkedQueue<String> gone = new ConcurrentLinkedQueue<>();
  final ConcurrentLinkedQueue<ReplyTo> waiting = new ConcurrentLinkedQueue<>();
  volatile long lastPayloadBytes;
  volatile Peer lastPeer = new Peer(0, "");

  Shop(int bytes) {
    memory = MemorySegment.ofArray(new byte[bytes]);
  }

  @Override
  public void onRequest(Peer from, Message request, MemorySegment payload, ReplyTo replyTo) {
    lastPeer = from;
    lastPayloadBytes = payload.byteSize();
    switch (request) {
      case Echo echo -> replyTo.reply(echo);
      case Repeat repeat -> replyTo.reply(new Echo("x".repeat((int) repeat.characters)));
      case Count count -> replyTo.reply(new Total(counted.addAndGet(count.by)));
      case Wait _ -> waiting.add(replyTo);
      case Read read -> {
        MemorySegment.copy(memory, read.offset, payload, 0, read.bytes);
        replyTo.reply(new Total(read.bytes));
      }
      case Write write -> {
        MemorySegment.copy(payload, 0, memory, write.offset, write.bytes);
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
  public void onGone(Peer from, String why) {
    gone.add(why);
  }
}
