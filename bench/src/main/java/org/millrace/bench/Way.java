package org.millrace.bench;

import org.millrace.message.TransportOptions;

/** How a rank's process reaches the node that it measures. */
enum Way {
  /** The node is in the rank's own process. */
  LOCAL("local", "-"),
  /** Another process, through shared memory. */
  SHARED("shared memory", "unix"),
  /** Another process, through a Unix-domain socket and nothing else. */
  UNIX("unix socket", "unix"),
  /** Another process, through TCP over loopback. */
  TCP("tcp", "tcp");

  private final String label;
  private final String socket;

  Way(String label, String socket) {
    this.label = label;
    this.socket = socket;
  }

  /** As it is printed. */
  String label() {
    return label;
  }

  /** The kind of socket that carries it. */
  String socket() {
    return socket;
  }

  /** How the rank's process talks. */
  TransportOptions transport() {
    return TransportOptions.DEFAULT.withSharedMemory(this == SHARED);
  }
}
