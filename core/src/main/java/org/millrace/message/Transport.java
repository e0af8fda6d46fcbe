package org.millrace.message;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Hub;
import org.millrace.wire.Net;
import org.millrace.wire.NobodyListensException;
import org.millrace.wire.RingWire;
import org.millrace.wire.SharedMemory;
import org.millrace.wire.Wire;

/**
 * A process's way to other processes: doors at which it listens, links that it makes, and the
 * memory that it shares with its neighbours.
 *
 * <p>Safe for use by several threads. Closing ends all doors and links.
 */
public final class Transport implements AutoCloseable {

  /** Threads that watch connections. */
  private static final int HUBS = 4;

  private static final long RETRY_NANOS = 20_000_000;

  /** Memory that is kept for payloads on their way to memory of other kinds. */
  private static final long SPARE_BYTES = 64 << 20;

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final TransportOptions options;
  private final Net net;
  private final TransferMemory spare = new TransferMemory(SPARE_BYTES);
  private final @Nullable PooledStaging staging;
  private final HostMemory host;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<Hub> hubs = new ArrayList<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private @Nullable Hub neighbours;
  private int nextHub;
  private boolean closed;

  private Transport(Env env, Codec codec, TransportOptions options, Net net) {
    this.env = env;
    this.codec = codec;
    this.options = options;
    this.net = net;
    this.staging = options.sharedMemory() ? PooledStaging.open(env, options.stagingBytes()) : null;
    this.host = net.memory(env, options.sharedMemory());
  }

  /** A transport whose messages {@code codec} turns into bytes. */
  public static Transport open(Env env, Codec codec, TransportOptions options) {
    return open(env, codec, options, Net.SOCKETS);
  }

  /** As {@link #open(Env, Codec, TransportOptions)}, over another net. */
  public static Transport open(Env env, Codec codec, TransportOptions options, Net net) {
    return new Transport(env, codec, options, net);
  }

  /** Listens. A Unix-domain socket that nobody listens at any more is taken over. */
  public Door listen(Address at) throws IOException {
    OpenDoor door =
        new OpenDoor(
            env,
            codec,
            options,
            net.listen(at, options.security()),
            this::nextHub,
            staging == null ? null : staging.folder(),
            host);
    remember(door);
    door.start();
    return door;
  }

  /**
   * A link to the endpoint that is called {@code endpoint} behind a door. It survives lost
   * connections; when the endpoint turns out to be a later one of the same name, it fails with
   * RESTARTED for ever.
   *
   * <p>Waits for an endpoint that is still to come, or to come again.
   *
   * @throws IOException if nobody answers there before {@code deadlineNanos}, or refuses
   */
  public Link connect(Address to, String endpoint, long deadlineNanos) throws IOException {
    return connect(to, endpoint, deadlineNanos, false);
  }

  /**
   * As {@link #connect}, to an endpoint that was there before and does not come again: if nobody
   * listens there, it fails at once. A slow one has until the deadline.
   */
  public Link connectToPresent(Address to, String endpoint, long deadlineNanos) throws IOException {
    return connect(to, endpoint, deadlineNanos, true);
  }

  private Link connect(Address to, String endpoint, long deadlineNanos, boolean present)
      throws IOException {
    Conversation conversation =
        new Conversation(
            env,
            codec,
            endpoint + " at " + to,
            (before, replies, deadline) -> dial(to, endpoint, before, replies, deadline),
            staging,
            options.graceNanos());
    MillraceException last = null;
    while (true) {
      try {
        conversation.open(deadlineNanos);
        RemoteLink link = new RemoteLink(env, codec, conversation, spare, staging(), host);
        remember(link);
        return link;
      } catch (MillraceException e) {
        boolean late = env.nanoTime() >= deadlineNanos - RETRY_NANOS;
        if (e.code() == ErrorCode.DEADLINE && late && last != null) {
          throw last; // says more
        }
        if (late || !mayAnswerLater(e) || present && e instanceof NobodyListensException) {
          throw e;
        }
        last = e;
      }
      pause();
    }
  }

  /** Whether it was not there, or too slow to greet: another connection may be luckier. */
  private static boolean mayAnswerLater(MillraceException e) {
    return e.code() == ErrorCode.NODE || e.code() == ErrorCode.DEADLINE;
  }

  private void pause() {
    try {
      env.sleep(RETRY_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Conversation.Dialed dial(
      Address to,
      String endpoint,
      Greeting.@Nullable Welcome before,
      Replies replies,
      long deadlineNanos)
      throws IOException {
    checkOpen(); // a link that tries to come back would try in vain
    Wire wire = net.connect(env, to, options.security(), deadlineNanos);
    Hub hub;
    try {
      hub = nextHub(wire);
    } catch (IllegalStateException e) { // it was closed meanwhile
      wire.close();
      throw new MillraceException(ErrorCode.CLOSED, String.valueOf(e.getMessage()), e);
    }
    Connection connection = new Connection(env, hub, wire, replies);
    try (SharedMemory ring = ring(wire)) { // the name is not needed once both sides have it
      return new Conversation.Dialed(
          connection, greet(connection, endpoint, before, replies, ring, deadlineNanos));
    }
  }

  /** Memory to exchange frames in with a neighbour; null if there is none. */
  private @Nullable SharedMemory ring(Wire wire) {
    if (staging == null || !wire.isNeighbour()) {
      return null;
    }
    try {
      return staging.folder().create(RingWire.bytes());
    } catch (IOException e) {
      return null; // frames go through the socket
    }
  }

  private Greeting.Welcome greet(
      Connection connection,
      String endpoint,
      Greeting.@Nullable Welcome before,
      Replies replies,
      @Nullable SharedMemory ring,
      long deadlineNanos)
      throws IOException {
    Greeting.Hello hello =
        new Greeting.Hello(
            Greeting.VERSION,
            endpoint,
            before == null ? 0 : before.session(),
            before == null ? "" : before.token(),
            Greeting.nonce(env),
            ring == null ? "" : ring.path().toString());
    long until = Math.min(deadlineNanos, env.deadlineAfter(options.greetingNanos()));
    return replies.greet(
        env,
        connection,
        hello,
        options.security().secret().orElse(null),
        ring,
        options.silenceNanos(),
        until);
  }

  /** Memory that processes of this host can reach. */
  public Staging staging() {
    return staging == null ? Staging.NONE : staging;
  }

  /** Memory that other processes of this user on this host can map. */
  public HostMemory host() {
    return host;
  }

  private void checkOpen() throws MillraceException {
    lock.lock();
    try {
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "the transport is closed");
      }
    } finally {
      lock.unlock();
    }
  }

  /** The hub of a new wire: neighbours have one of their own, which looks before it sleeps. */
  private Hub nextHub(Wire wire) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the transport is closed");
      }
      if (staging != null && wire.isNeighbour()) {
        Hub near = neighbours;
        if (near == null) {
          near = net.hub(env, "neighbours");
          neighbours = near;
        }
        return near;
      }
      if (hubs.size() < HUBS) {
        hubs.add(net.hub(env, "connections " + hubs.size()));
        return hubs.getLast();
      }
      return hubs.get(nextHub++ % HUBS);
    } finally {
      lock.unlock();
    }
  }

  private void remember(AutoCloseable one) {
    lock.lock();
    try {
      if (!closed) {
        opened.removeIf(old -> old instanceof Link link && link.isBroken());
        opened.add(one);
        return;
      }
    } finally {
      lock.unlock();
    }
    close(one);
    throw new IllegalStateException("the transport is closed");
  }

  private static void close(AutoCloseable one) {
    switch (one) {
      case Link link -> link.close();
      case Door door -> door.close();
      default -> throw new IllegalStateException("what is " + one);
    }
  }

  @Override
  public void close() {
    List<AutoCloseable> all;
    List<Hub> threads;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(opened);
      opened.clear();
      threads = new ArrayList<>(hubs);
      if (neighbours != null) {
        threads.add(neighbours);
      }
    } finally {
      lock.unlock();
    }
    all.forEach(Transport::close);
    threads.forEach(Hub::close);
    if (staging != null) {
      staging.close();
    }
  }
}
