package org.millrace.message;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.ThreadKind;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.AttachedSlabs;
import org.millrace.wire.EventLoop;
import org.millrace.wire.HostMemory;
import org.millrace.wire.Identity;
import org.millrace.wire.Listener;
import org.millrace.wire.RingWire;
import org.millrace.wire.Secret;
import org.millrace.wire.SharedFolder;
import org.millrace.wire.SharedMemory;
import org.millrace.wire.Wire;

/**
 * An {@link Acceptor}: a thread that accepts connections, the endpoints that it serves, and their
 * sessions.
 *
 * <p>Safe for use by several threads: one lock, not held while endpoints are called.
 */
final class ListeningAcceptor implements Acceptor {

  private static final int WORKERS = 64;

  /** How long closing waits for the last answers. */
  private static final long LAST_ANSWERS_NANOS = 10_000_000_000L;

  /** A connection's session, fresh or resumed. */
  record Admission(ServerSession session) {}

  /** Chooses the event loop of the next connection. */
  interface LoopChooser {
    EventLoop next(Wire wire);
  }

  // constant after construction
  private final Env env;
  private final Codec codec;
  private final TransportOptions options;
  private final Listener listener;
  private final LoopChooser loops;
  private final @Nullable SharedFolder folder;
  private final HostMemory host;
  private final ReentrantLock lock = new ReentrantLock();

  private volatile Consumer<String> onRefused = _ -> {};

  // guarded by lock
  private final Map<String, ServedEndpoint> served = new HashMap<>();
  private final Map<Long, ServerSession> sessions = new HashMap<>();
  private final Set<RequestReader> incoming = new LinkedHashSet<>(); // as they came: no chance
  private final Set<Long> returned = new HashSet<>(); // sessions of earlier lives
  private final Map<String, String> withdrawn = new HashMap<>(); // why, by name
  private long lastSession;
  private boolean closed;

  ListeningAcceptor(
      Env env,
      Codec codec,
      TransportOptions options,
      Listener listener,
      LoopChooser loops,
      @Nullable SharedFolder folder,
      HostMemory host) {
    this.env = env;
    this.codec = codec;
    this.options = options;
    this.listener = listener;
    this.loops = loops;
    this.folder = folder;
    this.host = host;
  }

  void start() {
    env.start(ThreadKind.CONNECTION, "acceptor " + listener.address(), this::accept);
    env.start(ThreadKind.CONNECTION, "sessions " + listener.address(), this::watch);
  }

  TransportOptions options() {
    return options;
  }

  @Nullable Secret secret() {
    return options.security().secret().orElse(null);
  }

  /** A client that has proved to know the secret. */
  Identity owner() {
    return new Identity(System.getProperty("user.name", "unknown"), List.of());
  }

  @Override
  public Address address() {
    return listener.address();
  }

  @Override
  public void serve(String name, Endpoint endpoint) {
    add(name, endpoint, null);
  }

  @Override
  public void serve(String name, Endpoint endpoint, ReturningSessions returning) {
    add(name, endpoint, returning);
  }

  private void add(String name, Endpoint endpoint, @Nullable ReturningSessions returning) {
    long epoch = new BigInteger(1, env.secretBytes(8)).longValue() >>> 1;
    ServedEndpoint one =
        new ServedEndpoint(
            name,
            endpoint,
            epoch,
            new TransferMemory(options.transferBytes()),
            new Workers(env, name + " worker", WORKERS),
            new ActiveRequests(),
            returning);
    lock.lock();
    try {
      if (returning != null) {
        lastSession = Math.max(lastSession, returning.firstSession() - 1);
      }
      if (served.putIfAbsent(name, one) != null) {
        throw new IllegalArgumentException(name + " is served already");
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void withdraw(String name, String why) {
    List<ServerSession> ended = new ArrayList<>();
    lock.lock();
    try {
      withdrawn.put(name, why);
      ServedEndpoint one = served.remove(name);
      if (one == null) {
        return;
      }
      one.active().end();
      returned.clear(); // they may return once more, to the next one
      for (ServerSession session : sessions.values()) {
        if (session.served == one) {
          ended.add(session);
        }
      }
      ended.forEach(session -> sessions.remove(session.peer.session()));
    } finally {
      lock.unlock();
    }
    ended.forEach(session -> session.cut(why)); // all of them, before any of their ends is noticed
    ended.forEach(session -> session.end(why));
  }

  @Override
  public void tellRefusals(Consumer<String> told) {
    onRefused = told;
  }

  /** Somebody was refused. */
  void onRefused(String what) {
    onRefused.accept("refused " + what);
  }

  @Override
  public int sessions() {
    lock.lock();
    try {
      return sessions.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long peakTransferBytes(String name) {
    lock.lock();
    try {
      ServedEndpoint one = served.get(name);
      return one == null ? 0 : one.memory().peak();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long usedTransferBytes(String name) {
    lock.lock();
    try {
      ServedEndpoint one = served.get(name);
      return one == null ? 0 : one.memory().used();
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Wire wire = listener.accept();
        RequestReader fresh = new RequestReader(env, this, loops.next(wire), wire);
        if (remember(fresh)) {
          fresh.connection().start();
        } else {
          wire.close();
          if (!listener.isClosed()) {
            onRefused("a connection: there are %s already".formatted(options.connections()));
          }
        }
      } catch (IOException | RuntimeException e) {
        pause(); // too many open files, for instance: others end some time
      }
    }
  }

  private void pause() {
    if (!listener.isClosed()) {
      sleep(10_000_000);
    }
  }

  private void sleep(long nanos) {
    try {
      env.sleep(nanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean remember(RequestReader fresh) {
    lock.lock();
    try {
      return !closed && incoming.size() < options.connections() && incoming.add(fresh);
    } finally {
      lock.unlock();
    }
  }

  void forget(RequestReader one) {
    lock.lock();
    try {
      incoming.remove(one);
    } finally {
      lock.unlock();
    }
  }

  /** The session of a connection whose identity is proved. */
  Admission admit(Handshake.Hello hello, Identity identity, @Nullable Connection near)
      throws MillraceException {
    lock.lock();
    try {
      ServedEndpoint wanted = served.get(hello.endpoint());
      if (wanted == null || closed) {
        String why = withdrawn.getOrDefault(hello.endpoint(), "");
        throw new MillraceException(
            ErrorCode.NODE,
            "there is no "
                + hello.endpoint()
                + (why.isEmpty() ? " here" : " here at the moment: " + why));
      }
      if (hello.session() == 0) {
        return new Admission(begin(++lastSession, wanted, identity, near));
      }
      if (returns(wanted, hello, identity)) {
        return new Admission(begin(hello.session(), wanted, identity, near));
      }
      return new Admission(resume(hello, identity));
    } finally {
      lock.unlock();
    }
  }

  /** A session of an earlier life of the endpoint returns: each of them once. */
  private boolean returns(ServedEndpoint wanted, Handshake.Hello hello, Identity identity) {
    ReturningSessions returning = wanted.returning();
    return returning != null
        && returning.admits(hello, identity.user())
        && returned.add(hello.session());
  }

  /** Makes a session. Called with the lock held. */
  private ServerSession begin(
      long number, ServedEndpoint wanted, Identity identity, @Nullable Connection near) {
    boolean canMap = near != null && near.wire().isNeighbour() && !host.process().isEmpty();
    Peer peer = new Peer(number, identity.user(), identity.groups(), canMap);
    ReturningSessions returning = wanted.returning();
    String token =
        returning == null
            ? Handshake.nonce(env)
            : returning.token(wanted.name(), number, identity.user());
    ServerSession session =
        new ServerSession(env, codec, peer, token, wanted, options.inFlight(), slabs(near));
    sessions.put(number, session);
    return session;
  }

  /** Where payloads of a neighbour may lie; null if it is none. */
  private @Nullable AttachedSlabs slabs(@Nullable Connection near) {
    return folder != null && near != null && near.wire().isNeighbour()
        ? new AttachedSlabs(folder)
        : null;
  }

  /** The memory in which a neighbour offers to exchange frames; null if there is none. */
  @Nullable SharedMemory ring(Handshake.Hello hello, Connection connection) {
    if (folder == null || hello.ring().isEmpty() || !connection.wire().isNeighbour()) {
      return null;
    }
    try {
      return folder.attach(Path.of(hello.ring()), RingWire.bytes());
    } catch (IOException | InvalidPathException e) {
      return null; // then they go through the socket
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private ServerSession resume(Handshake.Hello hello, Identity identity) throws MillraceException {
    ServerSession session = sessions.get(hello.session());
    if (session == null
        || !session.peer.user().equals(identity.user())
        || !session.served.name().equals(hello.endpoint())
        || !MessageDigest.isEqual(utf8(session.token), utf8(hello.token()))
        || !session.revive()) {
      throw new MillraceException(
          ErrorCode.RESTARTED,
          hello.endpoint() + " does not know session " + hello.session() + " any more");
    }
    return session;
  }

  /** Ends a session, once. */
  void end(ServerSession session, String reason) {
    boolean mine;
    lock.lock();
    try {
      mine = sessions.remove(session.peer.session(), session);
    } finally {
      lock.unlock();
    }
    if (mine) {
      session.end(reason);
    }
  }

  /** Ends the sessions whose senders do not come back. */
  private void watch() {
    long step = Math.clamp(options.graceNanos() / 4, 10_000_000, 500_000_000);
    while (!listener.isClosed()) {
      sleep(step);
      List<ServerSession> all;
      lock.lock();
      try {
        all = List.copyOf(sessions.values());
      } finally {
        lock.unlock();
      }
      for (ServerSession one : all) {
        if (one.endIfAway(env.nanoTime(), options.graceNanos())) {
          end(one, "its connection was lost");
        }
      }
    }
  }

  @Override
  public void close() {
    List<RequestReader> connections;
    List<ServerSession> ended;
    List<ServedEndpoint> endpoints;
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      connections = List.copyOf(incoming);
      ended = List.copyOf(sessions.values());
      endpoints = List.copyOf(served.values());
    } finally {
      lock.unlock();
    }
    listener.close();
    letAnswersOut(endpoints, connections);
    for (RequestReader one : connections) {
      one.sayGoodbye();
    }
    for (ServerSession one : ended) {
      end(one, "the acceptor was closed");
    }
    for (RequestReader one : connections) {
      one.connection().lose("the acceptor was closed");
    }
  }

  /**
   * Handles nothing new, waits for what is being handled, and for its answers to be written: not
   * for long, because a client may have stopped reading.
   */
  private void letAnswersOut(List<ServedEndpoint> endpoints, List<RequestReader> connections) {
    long deadline = env.deadlineAfter(LAST_ANSWERS_NANOS);
    endpoints.forEach(one -> one.active().end());
    try {
      for (ServedEndpoint one : endpoints) {
        one.active().awaitNone(env, deadline);
      }
      for (RequestReader one : connections) {
        one.connection().awaitWritten(deadline);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then they may be lost
    }
  }
}
