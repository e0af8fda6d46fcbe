package org.millrace.message;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.EventLoop;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Net;
import org.millrace.wire.NoListenerException;
import org.millrace.wire.RingWire;
import org.millrace.wire.SharedMemory;
import org.millrace.wire.Wire;

/**
 * Connects a process with others: the acceptors with which it listens, the links that it opens, and
 * the memory that it shares with processes of the same host.
 *
 * <p>Safe for use by several threads. Closing closes all acceptors and links.
 */
public final class Transport implements AutoCloseable {

  /** Threads that watch connections. */
  private static final int LOOPS = 4;

  private static final long RETRY_NANOS = 20_000_000;

  /** Of one of several: shorter than the next one waits for sessions to return. */
  private static final long SHORT_SILENCE_NANOS = 1_500_000_000L;

  private static final long SHORT_NANOS = 500_000_000L;
  private static final int MAX_DOUBLINGS = 5;

  /** Memory that is kept for payloads on their way to memory of other kinds. */
  private static final long SPARE_BYTES = 64 << 20;

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final TransportOptions options;
  private final Net net;
  private final TransferMemory transferMemory = new TransferMemory(SPARE_BYTES);
  private final @Nullable PooledBuffers sharedBuffers;
  private final HostMemory host;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private final List<EventLoop> loops = new ArrayList<>();
  private final List<AutoCloseable> opened = new ArrayList<>();
  private @Nullable EventLoop neighbours;
  private int nextLoop;
  private boolean closed;

  private Transport(Env env, Codec codec, TransportOptions options, Net net) {
    this.env = env;
    this.codec = codec;
    this.options = options;
    this.net = net;
    this.sharedBuffers =
        options.sharedMemory() ? PooledBuffers.open(env, options.sharedBufferBytes()) : null;
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

  /** Listens. A Unix-domain socket that no process listens at any more is taken over. */
  public Acceptor listen(Address at) throws IOException {
    ListeningAcceptor acceptor =
        new ListeningAcceptor(
            env,
            codec,
            options,
            net.listen(at, options.security()),
            this::nextLoop,
            sharedBuffers == null ? null : sharedBuffers.folder(),
            host);
    remember(acceptor);
    acceptor.start();
    return acceptor;
  }

  /**
   * A link to the endpoint that is called {@code endpoint} at an address. It survives lost
   * connections. If the endpoint was restarted, every request fails with RESTARTED.
   *
   * <p>Waits for an endpoint that has not started yet, or is restarting.
   *
   * @throws IOException if no process answers before {@code deadlineNanos}, or it refuses
   */
  public Link connect(Address to, String endpoint, long deadlineNanos) throws IOException {
    return connect(Destination.of(to), endpoint, deadlineNanos);
  }

  /** As above, to an endpoint that may be found at other addresses later. */
  public Link connect(Destination to, String endpoint, long deadlineNanos) throws IOException {
    return connect(to, endpoint, deadlineNanos, false, null);
  }

  /**
   * As {@link #connect(Destination, String, long)}, to an endpoint to which sessions may return
   * after it was restarted: then it is told what {@code recollection} has kept, and the link goes
   * on.
   */
  public Link connect(
      Destination to, String endpoint, long deadlineNanos, Recollection recollection)
      throws IOException {
    return connect(to, endpoint, deadlineNanos, false, recollection);
  }

  /**
   * As {@link #connect(Address, String, long)}, to an endpoint that existed before and is not
   * restarted: if no process listens there, it fails at once. A slow one has until the deadline.
   */
  public Link connectToPresent(Address to, String endpoint, long deadlineNanos) throws IOException {
    return connect(Destination.of(to), endpoint, deadlineNanos, true, null);
  }

  private Link connect(
      Destination to,
      String endpoint,
      long deadlineNanos,
      boolean present,
      @Nullable Recollection recollection)
      throws IOException {
    Attempts attempts = new Attempts(to.hasOthers());
    ClientSession session =
        new ClientSession(
            env,
            codec,
            endpoint + " at " + to,
            (before, replies, deadline) ->
                attempts.make(
                    (silence, until) -> dial(to.next(), endpoint, before, replies, silence, until),
                    deadline),
            sharedBuffers,
            options.graceNanos(),
            recollection);
    MillraceException last = null;
    while (true) {
      try {
        session.open(deadlineNanos);
        RemoteLink link =
            new RemoteLink(env, codec, session, transferMemory, sharedBuffers(), host);
        remember(link);
        return link;
      } catch (MillraceException e) {
        boolean late = env.nanoTime() >= deadlineNanos - RETRY_NANOS;
        if (e.code() == ErrorCode.DEADLINE && late && last != null) {
          throw last; // says more
        }
        if (late || !mayAnswerLater(e) || present && e instanceof NoListenerException) {
          throw e;
        }
        last = e;
      }
      pause();
    }
  }

  /**
   * Attempts to reach one endpoint. One of several is not waited for long: the next may lead. If
   * none of them answers in time, they get more of it. Safe for use by several threads.
   */
  private final class Attempts {

    private final boolean several;
    private final AtomicInteger late = new AtomicInteger(); // one after the other

    Attempts(boolean several) {
      this.several = several;
    }

    /** Makes one. */
    interface Attempt {
      ClientSession.Dialed make(long silenceNanos, long deadlineNanos) throws IOException;
    }

    ClientSession.Dialed make(Attempt attempt, long deadlineNanos) throws IOException {
      if (!several) {
        return attempt.make(options.silenceNanos(), deadlineNanos);
      }
      int doublings = Math.min(MAX_DOUBLINGS, late.get());
      long until = Math.min(deadlineNanos, env.deadlineAfter(SHORT_NANOS << doublings));
      long silence = Math.min(options.silenceNanos(), SHORT_SILENCE_NANOS);
      try {
        ClientSession.Dialed made = attempt.make(silence, until);
        late.set(0);
        return made;
      } catch (IOException e) {
        if (env.nanoTime() >= until) {
          late.incrementAndGet();
        }
        throw e;
      }
    }
  }

  /** Whether the endpoint was absent or its handshake too slow: another attempt may succeed. */
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

  private ClientSession.Dialed dial(
      Address to,
      String endpoint,
      Handshake.@Nullable Welcome before,
      ReplyHandler replies,
      long silenceNanos,
      long deadlineNanos)
      throws IOException {
    checkOpen(); // a link could not reconnect
    Wire wire = net.connect(env, to, options.security(), deadlineNanos);
    EventLoop loop;
    try {
      loop = nextLoop(wire);
    } catch (IllegalStateException e) { // it was closed meanwhile
      wire.close();
      throw new MillraceException(ErrorCode.CLOSED, String.valueOf(e.getMessage()), e);
    }
    Connection connection = new Connection(env, loop, wire, replies);
    try (SharedMemory ring = ring(wire)) { // the name is not needed once both sides have it
      return new ClientSession.Dialed(
          connection,
          handshake(connection, endpoint, before, replies, ring, silenceNanos, deadlineNanos));
    }
  }

  /**
   * A ring in shared memory for frames to and from a process of this host; null if there is none.
   */
  private @Nullable SharedMemory ring(Wire wire) {
    if (sharedBuffers == null || !wire.isNeighbour()) {
      return null;
    }
    try {
      return sharedBuffers.folder().create(RingWire.bytes());
    } catch (IOException e) {
      return null; // frames go through the socket
    }
  }

  private Handshake.Welcome handshake(
      Connection connection,
      String endpoint,
      Handshake.@Nullable Welcome before,
      ReplyHandler replies,
      @Nullable SharedMemory ring,
      long silenceNanos,
      long deadlineNanos)
      throws IOException {
    Handshake.Hello hello =
        new Handshake.Hello(
            Handshake.VERSION,
            endpoint,
            before == null ? 0 : before.session(),
            before == null ? "" : before.token(),
            Handshake.nonce(env),
            ring == null ? "" : ring.path().toString());
    long until = Math.min(deadlineNanos, env.deadlineAfter(options.handshakeNanos()));
    return replies.handshake(
        env,
        connection,
        hello,
        options.security().secret().orElse(null),
        ring,
        silenceNanos,
        until);
  }

  /** Memory that processes of this host can reach. */
  public SharedBuffers sharedBuffers() {
    return sharedBuffers == null ? SharedBuffers.NONE : sharedBuffers;
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

  /**
   * The event loop of a new wire. Processes of this host have one of their own, which spins before
   * it sleeps.
   */
  private EventLoop nextLoop(Wire wire) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the transport is closed");
      }
      if (sharedBuffers != null && wire.isNeighbour()) {
        EventLoop localLoop = neighbours;
        if (localLoop == null) {
          localLoop = net.loop(env, "neighbours");
          neighbours = localLoop;
        }
        return localLoop;
      }
      if (loops.size() < LOOPS) {
        loops.add(net.loop(env, "connections " + loops.size()));
        return loops.getLast();
      }
      return loops.get(nextLoop++ % LOOPS);
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
      case Acceptor acceptor -> acceptor.close();
      default -> throw new IllegalStateException("unexpected: " + one);
    }
  }

  @Override
  public void close() {
    List<AutoCloseable> all;
    List<EventLoop> threads;
    lock.lock();
    try {
      closed = true;
      all = List.copyOf(opened);
      opened.clear();
      threads = new ArrayList<>(loops);
      if (neighbours != null) {
        threads.add(neighbours);
      }
    } finally {
      lock.unlock();
    }
    all.forEach(Transport::close);
    threads.forEach(EventLoop::close);
    if (sharedBuffers != null) {
      sharedBuffers.close();
    }
  }
}
