package org.millrace.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import javax.net.ssl.SSLContext;
import jdk.net.ExtendedSocketOptions;
import jdk.net.UnixDomainPrincipal;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Opens sockets, and asks the kernel for the user at the other end. */
public final class Sockets {

  private static final int BUFFER_BYTES = 1 << 20;
  private static final int BACKLOG = 1024;

  private Sockets() {}

  /**
   * A connection to the process that listens at {@code to}.
   *
   * @throws NoListenerException if no process listens there
   * @throws MillraceException NODE if there is no way there or no answer in time, REFUSED if the
   *     rules forbid it
   */
  public static Wire connect(Env env, Address to, Security security, long deadlineNanos)
      throws IOException {
    SocketAddress address = resolve(to);
    if (to instanceof Address.Tcp tcp) {
      Listening.checkConnect(tcp, ((InetSocketAddress) address).getAddress(), security);
    }
    SocketChannel channel = null;
    try {
      channel =
          to instanceof Address.Unix
              ? SocketChannel.open(StandardProtocolFamily.UNIX)
              : SocketChannel.open();
      connect(env, channel, address, deadlineNanos);
      return wire(channel, to, security, true);
    } catch (IOException | RuntimeException e) {
      if (channel != null) {
        channel.close();
      }
      String message = "no process answers at " + shown(to, address) + ": " + e.getMessage();
      throw isRefused(to, e)
          ? (NoListenerException) new NoListenerException(message).initCause(e)
          : new MillraceException(ErrorCode.NODE, message, e);
    }
  }

  /** Whether the kernel refused the connection, rather than the peer being slow. */
  private static boolean isRefused(Address to, Exception e) {
    return e instanceof ConnectException
        || to instanceof Address.Unix unix && !Files.exists(Path.of(unix.path()));
  }

  /** An address with the number that its host's name stands for, which differs between hosts. */
  private static String shown(Address to, SocketAddress resolved) {
    return to instanceof Address.Tcp tcp && !Address.isNumber(tcp.host())
        ? "%s (%s)".formatted(to, ((InetSocketAddress) resolved).getAddress().getHostAddress())
        : to.toString();
  }

  private static void connect(
      Env env, SocketChannel channel, SocketAddress address, long deadlineNanos)
      throws IOException {
    if (address instanceof UnixDomainSocketAddress) {
      channel.connect(address); // within this host: at once, or not at all
      return;
    }
    channel.configureBlocking(false);
    if (channel.connect(address)) {
      return;
    }
    try (Selector selector = Selector.open()) {
      channel.register(selector, SelectionKey.OP_CONNECT);
      while (!channel.finishConnect()) {
        long millis = (deadlineNanos - env.nanoTime()) / 1_000_000;
        if (millis <= 0) {
          throw new SocketTimeoutException("no connection in time");
        }
        selector.select(Math.min(millis, 1000));
        selector.selectedKeys().clear();
      }
    }
  }

  /** A wire over a connected channel. */
  static Wire wire(SocketChannel channel, Address address, Security security, boolean client)
      throws IOException {
    Identity identity = identify(channel);
    setLargeBuffers(channel);
    channel.configureBlocking(false);
    if (address instanceof Address.Tcp tcp && tcp.tls()) {
      SSLContext context = security.tls().orElseThrow().context();
      TlsChannel tls =
          client
              ? TlsChannel.client(channel, context, tcp.host(), tcp.port())
              : TlsChannel.server(channel, context);
      return new TlsWire(channel, tls);
    }
    boolean neighbour =
        identity.isKnown() && identity.user().equals(System.getProperty("user.name"));
    return new SocketWire(channel, identity, neighbour);
  }

  private static void setLargeBuffers(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress) {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      return; // the kernel sizes TCP's buffers better than we could
    }
    channel.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER_BYTES);
    channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES);
  }

  private static Identity identify(SocketChannel channel) throws IOException {
    if (channel.getRemoteAddress() instanceof InetSocketAddress) {
      return Identity.UNKNOWN;
    }
    UnixDomainPrincipal who = channel.getOption(ExtendedSocketOptions.SO_PEERCRED);
    return new Identity(who.user().getName(), List.of(who.group().getName()));
  }

  /**
   * The number of this host from which the kernel would send to {@code to}. Nothing is sent: a
   * datagram socket is connected, which only looks for a route.
   */
  static InetAddress source(Address.Tcp to) throws IOException {
    SocketAddress address = resolve(to);
    try (DatagramChannel channel = DatagramChannel.open()) {
      channel.connect(address);
      return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.NODE, "cannot reach " + shown(to, address) + ": " + e.getMessage(), e);
    }
  }

  /** Where the kernel finds it. */
  private static SocketAddress resolve(Address address) throws IOException {
    if (address instanceof Address.Tcp tcp) {
      try {
        return new InetSocketAddress(InetAddress.getByName(tcp.host()), tcp.port());
      } catch (UnknownHostException e) {
        throw new MillraceException(ErrorCode.NODE, address + ": there is no such host", e);
      }
    }
    Address.Unix unix = (Address.Unix) address;
    if (unix.path().getBytes(StandardCharsets.UTF_8).length > Address.MAX_PATH_BYTES) {
      throw new MillraceException(
          ErrorCode.INVALID,
          "%s has more than %s bytes, too long for a Unix-domain socket"
              .formatted(address, Address.MAX_PATH_BYTES));
    }
    return UnixDomainSocketAddress.of(unix.path());
  }

  /** Listens; a Unix-domain socket that no process listens at any more is taken over. */
  static ServerSocketChannel listen(Address at, Security security) throws IOException {
    SocketAddress address = resolve(at);
    if (at instanceof Address.Tcp tcp) {
      InetAddress resolved = ((InetSocketAddress) address).getAddress();
      Listening.checkListen(tcp, resolved, security);
      if (Listening.isEverywhere(tcp, resolved)) {
        address = new InetSocketAddress(tcp.port());
      }
    }
    ServerSocketChannel channel;
    if (at instanceof Address.Unix unix) {
      Path path = Path.of(unix.path());
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        removeStale(at, path);
      }
      channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    } else {
      channel = ServerSocketChannel.open();
    }
    try {
      return channel.bind(address, BACKLOG);
    } catch (IOException e) {
      channel.close();
      throw new MillraceException(
          ErrorCode.IN_USE, "cannot listen at " + at + ": " + e.getMessage(), e);
    }
  }

  private static void removeStale(Address at, Path path) throws IOException {
    // neither file, directory nor link; a pipe is no socket either, but refuses to be connected to
    // in the same words, and a message that names one as an address has given it away
    if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isOther()) {
      throw new MillraceException(
          ErrorCode.IN_USE, "cannot listen at " + at + ": it exists and is not a socket");
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException e) {
      Files.deleteIfExists(path); // no process listens: left behind by a killed process
      return;
    } catch (IOException e) {
      throw new MillraceException(
          ErrorCode.IN_USE, "cannot tell whether a process listens at " + at + ": " + e, e);
    }
    throw new MillraceException(ErrorCode.IN_USE, "another process listens at " + at);
  }
}
