package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.millrace.env.ThreadKind;
import org.millrace.error.CorruptBlockException;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;

/** Bugs in gets, puts and advances. Stateless; what they remember belongs to one world. */
final class PlantedVerbs {

  private static final long BLOCK = 64 << 10;

  private PlantedVerbs() {}

  /** Makes the endpoint with the bug. */
  private interface Front {
    Endpoint of(Daemon daemon, Endpoint real, RandomGenerator random);
  }

  private static Planted atNodes(Front front) {
    return planted(front, true);
  }

  private static Planted planted(Front front, boolean ofNodes) {
    return new Planted() {
      @Override
      public Endpoint front(Daemon daemon, Endpoint real) {
        boolean isNode = daemon.isNode();
        RandomGenerator random = daemon.env().random("planted");
        return isNode == ofNodes ? front.of(daemon, real, random) : real;
      }
    };
  }

  static Planted skippedChecksum() {
    return atNodes(
        (_, real, _) ->
            new ForwardingEndpoint(real) {
              @Override
              public long onGet(
                  Peer from, long key, long offset, MemorySegment into, long at, long length)
                  throws IOException {
                try {
                  return super.onGet(from, key, offset, into, at, length);
                } catch (CorruptBlockException e) {
                  into.asSlice(at, length).fill((byte) 0x55);
                  return length;
                }
              }

              @Override
              public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
                boolean read = request instanceof NodeRequest.Gather;
                super.onRequest(from, request, payload, read ? new Blind(replyTo) : replyTo);
              }
            });
  }

  static Planted wrongOwner() {
    return atNodes(
        (_, real, random) ->
            new ForwardingEndpoint(real) {
              @Override
              public void onPut(
                  Peer from, long key, long offset, MemorySegment source, long at, long length)
                  throws IOException {
                long place = random.nextInt(40) == 0 ? offset + BLOCK : offset;
                super.onPut(from, key, place, source, at, length);
              }
            });
  }

  static Planted droppedWrite() {
    return atNodes(
        (_, real, random) ->
            new ForwardingEndpoint(real) {
              @Override
              public void onPut(
                  Peer from, long key, long offset, MemorySegment source, long at, long length)
                  throws IOException {
                if (random.nextInt(40) > 0) {
                  super.onPut(from, key, offset, source, at, length);
                }
              }
            });
  }

  static Planted lostNeighbour() {
    return atNodes(
        (_, real, random) ->
            new ForwardingEndpoint(real) {
              @Override
              public void onPut(
                  Peer from, long key, long offset, MemorySegment source, long at, long length)
                  throws IOException {
                super.onPut(from, key, offset, source, at, length);
                if (random.nextInt(20) == 0 && offset >= Content.CELL) {
                  MemorySegment zeros = MemorySegment.ofArray(new byte[Content.CELL]);
                  super.onPut(from, key, offset - Content.CELL, zeros, 0, Content.CELL);
                }
              }
            });
  }

  static Planted staleRead() {
    return atNodes(
        (_, real, random) -> {
          Map<String, byte[]> seen = new HashMap<>();
          return new ForwardingEndpoint(real) {
            @Override
            public long onGet(
                Peer from, long key, long offset, MemorySegment into, long at, long length)
                throws IOException {
              long got = super.onGet(from, key, offset, into, at, length);
              for (long cell = 0; cell + Content.CELL <= got; cell += Content.CELL) {
                MemorySegment now = into.asSlice(at + cell, Content.CELL);
                String place = key + " " + (offset + cell);
                byte[] before = seen.get(place);
                if (before != null && random.nextInt(10) == 0) {
                  now.copyFrom(MemorySegment.ofArray(before));
                } else {
                  seen.put(place, now.toArray(ValueLayout.JAVA_BYTE));
                }
              }
              return got;
            }
          };
        });
  }

  static Planted repeatedRequest() {
    return atNodes(
        (daemon, real, random) ->
            new ForwardingEndpoint(real) {
              @Override
              public void onPut(
                  Peer from, long key, long offset, MemorySegment source, long at, long length)
                  throws IOException {
                super.onPut(from, key, offset, source, at, length);
                if (random.nextInt(10) == 0) {
                  byte[] copy = source.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
                  daemon
                      .env()
                      .start(
                          ThreadKind.SERVICE,
                          "again",
                          () -> again(from, key, offset, MemorySegment.ofArray(copy)));
                }
              }

              private void again(Peer from, long key, long offset, MemorySegment bytes) {
                World.pause(daemon.env(), 20 * World.MILLI);
                try {
                  super.onPut(from, key, offset, bytes, 0, bytes.byteSize());
                } catch (IOException e) {
                  // the file is gone, for instance
                }
              }
            });
  }

  static Planted pointerTwice() {
    return planted(
        (_, real, random) ->
            new ForwardingEndpoint(real) {
              @Override
              public long onAdvance(Peer from, long key, long delta, long floor, long limit)
                  throws IOException {
                long start = super.onAdvance(from, key, delta, floor, limit);
                if (random.nextInt(10) == 0) {
                  super.onAdvance(from, key, delta, floor, limit);
                }
                return start;
              }
            },
        false);
  }

  /** Answers as if what is corrupt were not. */
  private record Blind(ReplyTo real) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      if (error.code() == ErrorCode.CORRUPT) {
        real.reply(new NodeReply.Done());
      } else {
        real.fail(error);
      }
    }
  }
}
