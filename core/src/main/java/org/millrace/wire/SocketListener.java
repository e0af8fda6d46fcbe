package org.millrace.wire;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A {@link Listener} at a socket. Closing, by any thread, ends it and removes the name of a
 * Unix-domain socket.
 */
final class SocketListener implements Listener {

  private final ServerSocketChannel channel;
  private final Address address;

  private final Security security;

  private SocketListener(ServerSocketChannel channel, Address address, Security security) {
    this.channel = channel;
    this.address = address;
    this.security = security;
  }

  /** Listens at an address. */
  static SocketListener open(Address at, Security security) throws IOException {
    ServerSocketChannel channel = Sockets.listen(at, security);
    Address real = at;
    if (at instanceof Address.Tcp tcp) {
      int port = ((InetSocketAddress) channel.getLocalAddress()).getPort();
      real = new Address.Tcp(tcp.host(), port, tcp.tls());
    }
    return new SocketListener(channel, real, security);
  }

  @Override
  public Address address() {
    return address;
  }

  @Override
  public Wire accept() throws IOException {
    SocketChannel accepted = channel.accept();
    try {
      return Sockets.wire(accepted, address, security, false);
    } catch (IOException | RuntimeException e) {
      accepted.close();
      throw e;
    }
  }

  @Override
  public boolean isClosed() {
    return !channel.isOpen();
  }

  @Override
  public void close() {
    try {
      channel.close();
      if (address instanceof Address.Unix unix) {
        Files.deleteIfExists(Path.of(unix.path()));
      }
    } catch (IOException e) {
      // the next process that listens there takes it over
    }
  }
}
