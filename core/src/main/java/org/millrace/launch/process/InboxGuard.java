package org.millrace.launch.process;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.wire.Address;

/**
 * Protects a rank's inbox from other users' processes. All ranks of a run belong to one user, so it
 * refuses requests of other users: they could send messages in a rank's name and read a rank's
 * memory.
 *
 * <p>As safe for several threads as the inbox is. Nothing to close.
 */
final class InboxGuard implements Endpoint {

  // constant after construction
  private final String user;
  private final Endpoint inbox;

  InboxGuard(String user, Endpoint inbox) {
    this.user = user;
    this.inbox = inbox;
  }

  /**
   * The user that the acceptor at {@code address} sees for this process's other ranks: the name
   * that the kernel knows, or the one in the certificate, which is known only from the certificate.
   */
  static String userAt(Address address, Facts facts) {
    return address instanceof Address.Tcp(String _, int _, boolean tls) && tls
        ? facts.asker()
        : System.getProperty("user.name", "unknown");
  }

  @Override
  public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
    if (!isOwn(from)) {
      replyTo.fail(refused(from));
      return;
    }
    inbox.onRequest(from, request, payload, replyTo);
  }

  @Override
  public long onGet(Peer from, long key, long offset, MemorySegment into, long at, long length)
      throws IOException {
    if (!isOwn(from)) {
      throw refused(from);
    }
    return inbox.onGet(from, key, offset, into, at, length);
  }

  private boolean isOwn(Peer from) {
    return !user.isEmpty() && user.equals(from.user());
  }

  private MillraceException refused(Peer from) {
    return new MillraceException(
        ErrorCode.NOT_PERMITTED,
        "user " + from.user() + " may not reach into a rank of user " + user);
  }

  @Override
  public void onSessionEnd(Peer from, String reason) {
    inbox.onSessionEnd(from, reason);
  }
}
