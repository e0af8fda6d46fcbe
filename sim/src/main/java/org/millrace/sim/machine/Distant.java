package org.millrace.sim.machine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.env.ThreadKind;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;
import org.millrace.message.Cargo;
import org.millrace.message.Encoder;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.WireCodec;
import org.millrace.sim.network.Network;

/**
 * An endpoint on another host: what is asked of it goes there over the network, is handled by a
 * thread of its own on that host, and the answer comes back.
 *
 * <p>For threads of the machine's environment.
 */
final class Distant implements Endpoint {

  /** What a frame takes beside its body and payload. */
  private static final int FRAME_BYTES = 32;

  /** Body of a one-sided verb: what it names, and where. */
  private static final int VERB_BYTES = FRAME_BYTES + 3 * Long.BYTES;

  // constant after construction
  private final Network network;
  private final Host here;
  private final Host there;
  private final Endpoint endpoint;

  Distant(Network network, Host here, Host there, Endpoint endpoint) {
    this.network = network;
    this.here = here;
    this.there = there;
    this.endpoint = endpoint;
  }

  @Override
  public void onRequest(Peer from, Message request, MemorySegment payload, ReplyTo replyTo) {
    Cargo cargo = WireCodec.INSTANCE.cargo(request, payload.byteSize());
    long out =
        size(request) + (cargo.direction() == Cargo.Direction.TO_RECEIVER ? cargo.bytes() : 0);
    long back = cargo.direction() == Cargo.Direction.TO_SENDER ? cargo.bytes() : 0;
    long arrival = network.send(here.nanoTime(), here.number(), there.number(), out);
    there.start(
        ThreadKind.SERVICE,
        "request at " + there,
        () -> {
          await(arrival);
          endpoint.onRequest(from, request, payload, new Answer(replyTo, back));
        });
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    travel(here, there, VERB_BYTES);
    there.charge(Work.MESSAGE, 1);
    long got = endpoint.onGet(from, key, offset, into, at, length);
    travel(there, here, FRAME_BYTES + Long.BYTES + got);
    here.charge(Work.MESSAGE, 1);
    return got;
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    travel(here, there, VERB_BYTES + length);
    there.charge(Work.MESSAGE, 1);
    endpoint.onPut(from, key, offset, source, at, length);
    travel(there, here, FRAME_BYTES + Long.BYTES);
    here.charge(Work.MESSAGE, 1);
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return endpoint.isReady(key, offset, length);
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    travel(here, there, VERB_BYTES + Long.BYTES);
    there.charge(Work.MESSAGE, 1);
    long start = endpoint.onAdvance(from, key, delta, floor, limit);
    travel(there, here, FRAME_BYTES + Long.BYTES);
    here.charge(Work.MESSAGE, 1);
    return start;
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    long arrival = network.send(here.nanoTime(), here.number(), there.number(), VERB_BYTES);
    there.start(
        ThreadKind.SERVICE,
        "hint at " + there,
        () -> {
          await(arrival);
          endpoint.onHint(from, key, offset, length);
        });
  }

  @Override
  public void onGone(Peer from, String why) {
    endpoint.onGone(from, why);
  }

  private void travel(Host from, Host to, long bytes) {
    await(network.send(from.nanoTime(), from.number(), to.number(), bytes));
  }

  private void await(long instant) {
    boolean interrupted = false;
    while (here.nanoTime() < instant) {
      try {
        here.sleep(instant - here.nanoTime());
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long size(Message message) {
    Encoder body = new Encoder();
    WireCodec.INSTANCE.encode(message, body);
    return FRAME_BYTES + body.size();
  }

  /** Brings an answer back: whoever gives it need not wait for it to arrive. */
  private final class Answer implements ReplyTo {

    private final ReplyTo sender;
    private final long cargoBytes;

    Answer(ReplyTo sender, long cargoBytes) {
      this.sender = sender;
      this.cargoBytes = cargoBytes;
    }

    @Override
    public void reply(Message reply) {
      bring(size(reply) + cargoBytes, () -> sender.reply(reply));
    }

    @Override
    public void fail(MillraceException error) {
      bring(FRAME_BYTES, () -> sender.fail(error));
    }

    private void bring(long bytes, Runnable then) {
      there.charge(Work.MESSAGE, 1);
      long arrival = network.send(there.nanoTime(), there.number(), here.number(), bytes);
      here.start(
          ThreadKind.SERVICE,
          "answer at " + here,
          () -> {
            await(arrival);
            here.charge(Work.MESSAGE, 1);
            then.run();
          });
    }
  }
}
