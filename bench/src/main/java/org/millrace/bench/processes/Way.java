package org.millrace.bench.processes;

import java.io.IOException;
import java.nio.file.Path;
import org.millrace.message.TransportOptions;
import org.millrace.wire.Security;
import org.millrace.wire.Tls;

/** How a rank's process reaches the node that it measures. */
public enum Way {
  /** The node is in the rank's own process. */
  LOCAL("local", "-"),
  /** Another process, through shared memory. */
  SHARED("shared memory", "unix"),
  /** Another process, through a Unix-domain socket and nothing else. */
  UNIX("unix socket", "unix"),
  /** Another process, through TCP over loopback. */
  TCP("tcp", "tcp"),
  /** Another process, through TCP over loopback with TLS, as between hosts. */
  TLS("tls", "tls");

  private final String label;
  private final String socket;

  Way(String label, String socket) {
    this.label = label;
    this.socket = socket;
  }

  /** As it is printed. */
  public String label() {
    return label;
  }

  /** The kind of socket that carries it. */
  String socket() {
    return socket;
  }

  /** How the rank's process talks; {@code keys} is a folder of keys for TLS. */
  TransportOptions transport(Path keys) throws IOException {
    TransportOptions plain = TransportOptions.DEFAULT.withSharedMemory(this == SHARED);
    return this == TLS ? plain.withSecurity(Security.LOCAL.withTls(Tls.load(keys))) : plain;
  }
}
