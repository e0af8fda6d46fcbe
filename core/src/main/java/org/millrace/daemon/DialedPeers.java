package org.millrace.daemon;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.cluster.Dialer;
import org.millrace.cluster.NodePeers;
import org.millrace.cluster.RemoteNodeLinks;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Link;
import org.millrace.node.CopyPeers;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.CoordinatorRequest;
import org.millrace.transfer.BrokenLink;

/**
 * How a node that is a process reaches the others. It connects when there is something to ask, so
 * that a node without copies has no more sessions than it had.
 *
 * <p>Safe for use by several threads.
 */
final class DialedPeers implements CopyPeers {

  // constant after construction
  private final Env env;
  private final Dialer dialer;
  private final ReentrantLock lock = new ReentrantLock();

  // guarded by lock
  private @Nullable NodePeers made;
  private boolean closed;

  DialedPeers(Env env, Dialer dialer) {
    this.env = env;
    this.dialer = dialer;
  }

  private NodePeers peers() throws IOException {
    lock.lock();
    try {
      NodePeers known = made;
      if (closed) {
        throw new MillraceException(ErrorCode.CLOSED, "the node is closed");
      }
      if (known == null) {
        Link coordinator = new RedialedCoordinator(env, dialer);
        try {
          known =
              new NodePeers(
                  env,
                  new RemoteNodeLinks(dialer, coordinator, dialer.facts(coordinator)),
                  coordinator);
        } catch (IOException | RuntimeException e) {
          coordinator.close();
          throw e;
        }
        made = known;
      }
      return known;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public Link node(int number) {
    try {
      return peers().node(number);
    } catch (IOException e) {
      return new BrokenLink(MillraceException.wrap(ErrorCode.NODE, e));
    }
  }

  @Override
  public Link replace(int number, Link broken) {
    try {
      return peers().replace(number, broken);
    } catch (IOException e) {
      return new BrokenLink(MillraceException.wrap(ErrorCode.NODE, e));
    }
  }

  @Override
  public CoordinatorReply ask(CoordinatorRequest request) throws IOException {
    return peers().ask(request);
  }

  @Override
  public boolean areElsewhere() {
    return true;
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      NodePeers known = made;
      if (known != null) {
        known.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
