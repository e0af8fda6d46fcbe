package org.millrace.sim.hunt;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeReply.Pinned;
import org.millrace.protocol.NodeReply.SlabAt;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.wire.HostMemory;

/** Bugs in what nodes lend. Stateless. */
final class PlantedPins {

  private PlantedPins() {}

  /** Processes map a copy of what they should share. */
  static Planted privateMapping() {
    return new Planted() {
      @Override
      public HostMemory memory(ProcessEnv process, HostMemory memory) {
        return new Changed(memory) {
          @Override
          public MemorySegment attach(String name, long bytes) throws IOException {
            MemorySegment real = super.attach(name, bytes);
            return Arena.ofAuto().allocate(bytes).copyFrom(real);
          }
        };
      }
    };
  }

  /** Processes note what they write into kept blocks where nodes do not look. */
  static Planted unseenCell() {
    Set<String> cells = new HashSet<>();
    return new Planted() {
      @Override
      public Endpoint front(Daemon daemon, Endpoint real) {
        return new ForwardingEndpoint(real) {
          @Override
          public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
            boolean asked =
                request instanceof NodeRequest.AskSlab it && it.slab() == BlockPlace.CELLS;
            super.onRequest(
                from, request, payload, asked ? new Listening(replyTo, cells) : replyTo);
          }
        };
      }

      @Override
      public HostMemory memory(ProcessEnv process, HostMemory memory) {
        return new Changed(memory) {
          @Override
          public MemorySegment attach(String name, long bytes) throws IOException {
            MemorySegment real = super.attach(name, bytes);
            return cells.contains(name) ? Arena.ofAuto().allocate(bytes, 8).copyFrom(real) : real;
          }
        };
      }
    };
  }

  /** Hears by which names memory is mapped. */
  private record Listening(ReplyTo real, Set<String> names) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      if (reply instanceof SlabAt at) {
        names.add(at.name());
      }
      real.reply(reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  /** Processes do not see that a place which they know holds another block by now. */
  static Planted frozenVersion() {
    Map<Long, Long> seen = new HashMap<>();
    return new Planted() {
      @Override
      public HostMemory memory(ProcessEnv process, HostMemory memory) {
        return new Changed(memory) {
          @Override
          public long word(MemorySegment words, long at) {
            long now = super.word(words, at);
            return (now & 1) == 0
                ? seen.getOrDefault(words.address() + at, now)
                : seen.computeIfAbsent(words.address() + at, _ -> now);
          }
        };
      }
    };
  }

  /** Memory that a process which stalls may still touch is used again at once. */
  static Planted reusedQuarantine() {
    return whereAllAreGone(true);
  }

  /** Nobody notices that a process is gone, so that what it was lent stays lent. */
  static Planted leakedQuarantine() {
    return whereAllAreGone(false);
  }

  private static Planted whereAllAreGone(boolean gone) {
    return new Planted() {
      @Override
      public HostMemory memory(ProcessEnv process, HostMemory memory) {
        return new Changed(memory) {
          @Override
          public boolean isGone(String name) {
            return gone;
          }
        };
      }
    };
  }

  /** What a writer returns too late is taken for written. */
  static Planted acceptedLateWrite() {
    return ofPins(
        request -> request,
        reply -> new Pinned(reply.pin(), reply.end(), reply.places(), List.of()));
  }

  /** Blocks that are written in parts are lent as if they were written whole. */
  static Planted unloadedBlock() {
    return ofPins(
        request ->
            with(
                request,
                request.wanted().stream()
                    .map(run -> new WantedBlocks(run.first(), run.count(), request.write()))
                    .toList(),
                request.returned()),
        reply -> reply);
  }

  /** What was written into pinned blocks is not noted. */
  static Planted unnotedWrite() {
    return ofPins(
        request ->
            with(
                request,
                request.wanted(),
                request.returned().stream()
                    .map(one -> new ReturnedPin(one.pin(), false, 0))
                    .toList()),
        reply -> new Pinned(reply.pin(), reply.end(), reply.places(), List.of()));
  }

  private static NodeRequest.Pin with(
      NodeRequest.Pin request, List<WantedBlocks> wanted, List<ReturnedPin> returned) {
    return new NodeRequest.Pin(
        request.strand(),
        request.blockBytes(),
        request.write(),
        request.process(),
        wanted,
        returned);
  }

  private interface Asking {
    NodeRequest.Pin of(NodeRequest.Pin request);
  }

  private interface Answering {
    Pinned of(Pinned reply);
  }

  private static Planted ofPins(Asking asking, Answering answering) {
    return new Planted() {
      @Override
      public Endpoint front(Daemon daemon, Endpoint real) {
        return new ForwardingEndpoint(real) {
          @Override
          public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
            if (request instanceof NodeRequest.Pin pin) {
              super.onRequest(from, asking.of(pin), payload, new Altered(replyTo, answering));
            } else {
              super.onRequest(from, request, payload, replyTo);
            }
          }
        };
      }
    };
  }

  /** Answers something else. */
  private record Altered(ReplyTo real, Answering answering) implements ReplyTo {

    @Override
    public void reply(Message reply) {
      real.reply(reply instanceof Pinned pinned ? answering.of(pinned) : reply);
    }

    @Override
    public void fail(MillraceException error) {
      real.fail(error);
    }
  }

  /** Passes all on. */
  private static class Changed implements HostMemory {

    private final HostMemory real;

    Changed(HostMemory real) {
      this.real = real;
    }

    @Override
    public long minBytes() {
      return real.minBytes();
    }

    @Override
    public long windowBytes() {
      return real.windowBytes();
    }

    @Override
    public int minWrites() {
      return real.minWrites();
    }

    @Override
    public String process() {
      return real.process();
    }

    @Override
    public boolean isGone(String process) {
      return real.isGone(process);
    }

    @Override
    public boolean isThere(String name) {
      return real.isThere(name);
    }

    @Override
    public long word(MemorySegment memory, long at) {
      return real.word(memory, at);
    }

    @Override
    public Piece make(long bytes) throws IOException {
      return real.make(bytes);
    }

    @Override
    public MemorySegment attach(String name, long bytes) throws IOException {
      return real.attach(name, bytes);
    }
  }
}
