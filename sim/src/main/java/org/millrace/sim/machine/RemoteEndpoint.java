package org.millrace.sim.machine;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.env.Work;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.PayloadLayout;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.WireCodec;
import org.millrace.sim.network.Network;

/**
 * An endpoint on another host: requests go there over the network, a thread on that host handles
 * each, and the answer comes back.
 *
 * <p>For threads of the machine's environment.
 */
final class RemoteEndpoint implements Endpoint {

  /*
   * Who pays for what. The link that leads here has charged the sender for its message, and a node that is asked
   * charges itself for taking it; this class adds the switch to the thread that serves it, and the answer at both ends.
   *
   *   sender                        network                     receiver
   *   MESSAGE (link) --begin()-->   send: bytes, hops  -------> MESSAGE (endpoint), SWITCH, whatever it does
   *   MESSAGE        <------------  send               <------- MESSAGE; pay()
   *
   * Pieces of a disk-directed call are put into, or got from, the sender's memory by the interfaces of the two
   * hosts alone (Memput and Memget): each costs the node a message, and the sender's processor nothing.
   */

  /** Body of a one-sided verb: what it names, and where. */
  private static final int VERB_BYTES = 3 * Long.BYTES;

  // constant after construction
  private final Network network;
  private final Sizes sizes;
  private final Host here;
  private final Host there;
  private final Endpoint endpoint;

  RemoteEndpoint(Network network, Sizes sizes, Host here, Host there, Endpoint endpoint) {
    this.network = network;
    this.sizes = sizes;
    this.here = here;
    this.there = there;
    this.endpoint = endpoint;
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    PayloadLayout payloadLayout = WireCodec.INSTANCE.payloadLayout(request);
    boolean direct = request instanceof NodeRequest.Direct; // its bytes go piece by piece
    long body = sizes.of(request);
    long out = body;
    long back = 0;
    if (!direct && payloadLayout.direction() == PayloadLayout.Direction.TO_RECEIVER) {
      out += payloadLayout.bytes();
    } else if (!direct && payloadLayout.direction() == PayloadLayout.Direction.TO_SENDER) {
      back = payloadLayout.bytes();
    }
    boolean gets = direct && payloadLayout.direction() == PayloadLayout.Direction.TO_RECEIVER;
    Answer answer = new Answer(replyTo, body, back, gets);
    long arrival = send(here, there, out);
    there.startAt(
        arrival,
        "request",
        () -> {
          there.hold(body);
          if (WireCodec.INSTANCE.isQuick(request) || endpoint.isReady(request)) {
            endpoint.onRequest(from, request, payload, answer);
          } else {
            there.serve(() -> endpoint.onRequest(from, request, payload, answer));
          }
        });
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    go(VERB_BYTES);
    long got = endpoint.onGet(from, key, offset, into, at, length);
    comeBack(Long.BYTES + got);
    return got;
  }

  @Override
  public void onPut(Peer from, long key, long offset, MemorySegment source, long at, long length)
      throws IOException {
    go(VERB_BYTES + length);
    endpoint.onPut(from, key, offset, source, at, length);
    comeBack(Long.BYTES);
  }

  @Override
  public boolean isReady(long key, long offset, long length) {
    return endpoint.isReady(key, offset, length);
  }

  @Override
  public long onAdvance(Peer from, long key, long delta, long floor, long limit)
      throws IOException {
    go(VERB_BYTES + Long.BYTES);
    there.charge(Work.MESSAGE, 1);
    long start = endpoint.onAdvance(from, key, delta, floor, limit);
    comeBack(Long.BYTES);
    return start;
  }

  @Override
  public void onHint(Peer from, long key, long offset, long length) {
    here.charge(Work.MESSAGE, 1);
    long arrival = send(here, there, VERB_BYTES);
    there.startAt(
        arrival,
        "hint",
        () -> {
          there.charge(Work.MESSAGE, 1);
          endpoint.onHint(from, key, offset, length);
        });
  }

  @Override
  public void onSessionEnd(Peer from, String why) {
    endpoint.onSessionEnd(from, why);
  }

  /** Brings the calling thread to the other host, where it stands for one that serves it. */
  private void go(long bytes) {
    await(send(here, there, bytes));
    there.processor().owe(Work.SWITCH, 1);
  }

  private void comeBack(long bytes) {
    there.processor().owe(Work.MESSAGE, 1);
    there.processor().pay();
    await(send(there, here, bytes));
    here.processor().owe(Work.MESSAGE, 1);
  }

  /** Sends as soon as the processor has done what is on its account; returns when it arrives. */
  private long send(Host from, Host to, long bytes) {
    return network.send(from.processor().begin(), from.number(), to.number(), bytes);
  }

  private void await(long instant) {
    Waiting.until(here, instant);
  }

  /** Brings an answer back: its giver need not wait for it to arrive. */
  private final class Answer implements ReplyTo {

    private final ReplyTo sender;
    private final long requestBytes;
    private final long cargoBytes;
    private final boolean gets;

    // owned by whichever thread runs
    private long lastArrival;

    Answer(ReplyTo sender, long requestBytes, long cargoBytes, boolean gets) {
      this.sender = sender;
      this.requestBytes = requestBytes;
      this.cargoBytes = cargoBytes;
      this.gets = gets;
    }

    @Override
    public Moving onMoved(long bytes, long pieces) {
      there.charge(Work.MESSAGE, pieces);
      there.processor().pay();
      long now = there.nanoTime();
      if (gets) { // asked for one after the other, all under way at once
        long asked = network.send(now, there.number(), here.number(), 0, pieces);
        long arrival = network.send(asked, here.number(), there.number(), bytes, pieces);
        return () -> Waiting.until(there, arrival);
      }
      long arrival = network.send(now, there.number(), here.number(), bytes, pieces);
      lastArrival = Math.max(lastArrival, arrival);
      return Moving.ARRIVED;
    }

    @Override
    public void reply(Message reply) {
      bring(sizes.of(reply), cargoBytes, () -> sender.reply(reply));
    }

    @Override
    public void fail(MillraceException error) {
      bring(0, 0, () -> sender.fail(error));
    }

    private void bring(long body, long payload, Runnable then) {
      there.release(requestBytes);
      there.charge(Work.MESSAGE, 1);
      there.processor().pay();
      long arrival = Math.max(send(there, here, body + payload), lastArrival);
      here.startAt(
          arrival,
          "answer",
          () -> {
            here.hold(body);
            here.charge(Work.MESSAGE, 1);
            then.run();
            here.release(body);
          });
    }
  }
}
