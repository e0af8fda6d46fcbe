package org.millrace.scenario;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.millrace.env.Env;
import org.millrace.message.Link;
import org.millrace.message.MappedSlabs;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.PinnedBlocks.BlockPlace;
import org.millrace.protocol.PinnedBlocks.ReturnedPin;
import org.millrace.protocol.PinnedBlocks.WantedBlocks;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.WireCodec;
import org.millrace.wire.Address;
import org.millrace.wire.Net;

/**
 * A process that pins block 1 of a strand, copies half of it, and waits to be told to go on.
 * Arguments: socket of the node, read or write, and for a spy the name and size of the node's
 * memory.
 */
final class PinHolder {

  static final int BLOCK = 64 << 10;
  static final StrandId STRAND = new StrandId(7, 0);

  private PinHolder() {}

  public static void main(String[] arguments) throws IOException {
    Env env = Env.real();
    boolean write = arguments[1].equals("write");
    try (Transport transport =
            Transport.open(env, WireCodec.INSTANCE, TransportOptions.DEFAULT, Net.SOCKETS);
        Link link = transport.connect(new Address.Unix(arguments[0]), "node 0", deadline(env))) {
      if (arguments.length > 2) {
        spy(env, link, transport, arguments[2], Long.parseLong(arguments[3]));
        return;
      }
      MappedSlabs slabs = link.reached();
      if (slabs == null) {
        say("cannot map anything");
        return;
      }
      var pinned = (NodeReply.Pinned) call(env, link, pin(slabs.process(), write, true, 0));
      MemorySegment memory = map(env, link, slabs, pinned.places().getFirst());
      copy(memory, write, 0);
      say("holds");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      in.readLine();
      copy(memory, write, BLOCK / 2);
      var last =
          (NodeReply.Pinned) call(env, link, pin(slabs.process(), write, false, pinned.pin()));
      say(last.refused().isEmpty() ? "accepted" : "refused");
    }
  }

  private static long deadline(Env env) {
    return env.deadlineAfter(60_000_000_000L);
  }

  private static NodeReply call(Env env, Link link, NodeRequest request) throws IOException {
    return (NodeReply) link.call(request, MemorySegment.NULL, deadline(env));
  }

  static NodeRequest.Pin pin(String process, boolean write, boolean take, long give) {
    return new NodeRequest.Pin(
        STRAND,
        BLOCK,
        write,
        process,
        take ? List.of(new WantedBlocks(1, 1, false)) : List.of(),
        give == 0 ? List.of() : List.of(new ReturnedPin(give, write, 2L * BLOCK)));
  }

  private static MemorySegment map(Env env, Link link, MappedSlabs slabs, BlockPlace place)
      throws IOException {
    var at =
        (NodeReply.SlabAt)
            call(env, link, new NodeRequest.AskSlab(place.slab(), place.generation()));
    return slabs
        .attach(place.slab(), place.generation(), at.name(), at.bytes())
        .asSlice(place.offset(), BLOCK);
  }

  /** Half of the block: all nines, or it must be all ones as it was when it was pinned. */
  private static void copy(MemorySegment memory, boolean write, int from) {
    MemorySegment half = memory.asSlice(from, BLOCK / 2);
    if (write) {
      half.fill((byte) 9);
    } else if (half.mismatch(MemorySegment.ofArray(ones(BLOCK / 2))) >= 0) {
      say("reads something else");
    }
  }

  static byte[] ones(int length) {
    byte[] bytes = new byte[length];
    java.util.Arrays.fill(bytes, (byte) 1);
    return bytes;
  }

  /** Tries all ways to the memory that another user must not have. */
  private static void spy(Env env, Link link, Transport transport, String name, long bytes) {
    say("neighbour: " + (link.reached() != null));
    attempt("pin", () -> "lent " + call(env, link, pin("1-2-3", false, true, 0)));
    attempt("slab", () -> "told " + call(env, link, new NodeRequest.AskSlab(0, 1)));
    attempt("map", () -> "mapped " + transport.host().attach(name, bytes));
    say("end");
  }

  private interface Attempt {
    String make() throws IOException;
  }

  private static void attempt(String what, Attempt attempt) {
    try {
      say(what + ": " + attempt.make());
    } catch (IOException | RuntimeException e) {
      say(what + ": " + e.getClass().getSimpleName());
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
