package org.millrace.sim.hunt;

import java.io.IOException;
import java.util.ArrayDeque;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.wire.Address;
import org.millrace.wire.Listener;
import org.millrace.wire.Wire;

/** A place where connections of a {@link SimNet} come in. Touched as the net says. */
final class SimListener implements Listener {

  // constant after construction
  private final SimNet net;
  private final ProcessEnv process;
  private final Address address;
  private final WaitPoint came;

  private final ArrayDeque<SimWire> waiting = new ArrayDeque<>();
  private boolean closed;

  SimListener(SimNet net, ProcessEnv process, Address address) {
    this.net = net;
    this.process = process;
    this.address = address;
    this.came = new WaitPoint(process);
  }

  ProcessEnv process() {
    return process;
  }

  void offer(SimWire wire) {
    waiting.add(wire);
    came.ring();
  }

  @Override
  public Address address() {
    return address;
  }

  @Override
  public Wire accept() throws IOException {
    while (!closed && waiting.isEmpty()) {
      came.await(Env.NEVER); // a listener accepts until it is closed
    }
    if (closed) {
      throw new MillraceException(ErrorCode.CLOSED, "no process listens at " + address);
    }
    return waiting.remove();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
    net.forget(address, this);
    waiting.forEach(SimWire::close);
    came.ring();
  }
}
