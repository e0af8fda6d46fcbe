package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayDeque;
import org.millrace.env.Env;
import org.millrace.env.Signal;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.Listener;
import org.millrace.wire.Wire;

/** A place where connections of a {@link SimNet} come in. Guarded by the net's lock. */
final class SimListener implements Listener {

  // constant after construction
  private final SimNet net;
  private final ProcessEnv process;
  private final Address address;
  private final Signal came;

  // guarded by the net's lock
  private final ArrayDeque<SimWire> waiting = new ArrayDeque<>();
  private boolean closed;

  SimListener(SimNet net, ProcessEnv process, Address address) {
    this.net = net;
    this.process = process;
    this.address = address;
    this.came = process.signal(net.lock);
  }

  ProcessEnv process() {
    return process;
  }

  void offer(SimWire wire) {
    waiting.add(wire);
    came.signal();
  }

  @Override
  public Address address() {
    return address;
  }

  @Override
  public Wire accept() throws IOException {
    net.lock.lock();
    try {
      while (!closed && waiting.isEmpty()) {
        came.await(Env.NEVER); // a door is open until it is closed
      }
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "nobody listens at " + address);
      }
      return waiting.remove();
    } finally {
      net.lock.unlock();
    }
  }

  @Override
  public boolean isClosed() {
    net.lock.lock();
    try {
      return closed;
    } finally {
      net.lock.unlock();
    }
  }

  @Override
  public void close() {
    net.lock.lock();
    try {
      closed = true;
      net.forget(address, this);
      waiting.forEach(SimWire::close);
      came.signalAll();
    } finally {
      net.lock.unlock();
    }
  }
}
