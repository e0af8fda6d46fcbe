package org.millrace.wire;

import java.io.IOException;
import org.millrace.env.Env;

/**
 * What carries bytes between processes: the sockets of this host, or a simulated network.
 *
 * <p>Safe for use by several threads.
 */
public interface Net {

  /** Sockets. */
  Net SOCKETS =
      new Net() {
        @Override
        public Wire connect(Env env, Address to, Security security, long deadlineNanos)
            throws IOException {
          return Sockets.connect(env, to, security, deadlineNanos);
        }

        @Override
        public Listener listen(Address at, Security security) throws IOException {
          return SocketListener.open(at, security);
        }

        @Override
        public EventLoop loop(Env env, String name) {
          return new SelectorLoop(env, name);
        }

        @Override
        public HostMemory memory(Env env, boolean shared) {
          return shared ? KernelMemory.open(env) : HostMemory.NONE;
        }
      };

  /**
   * A connection to the process that listens at {@code to}.
   *
   * @throws NoListenerException if no process listens there
   * @throws org.millrace.error.MillraceException NODE if there is no way there or no answer in
   *     time, REFUSED if the rules forbid it
   */
  Wire connect(Env env, Address to, Security security, long deadlineNanos) throws IOException;

  /** Listens at an address. */
  Listener listen(Address at, Security security) throws IOException;

  /** An event loop, with a thread of its own, that can watch wires of this net. */
  EventLoop loop(Env env, String name);

  /**
   * Memory that processes of one host can map.
   *
   * @param shared whether real memory may be shared
   */
  default HostMemory memory(Env env, boolean shared) {
    return HostMemory.NONE;
  }
}
