package org.millrace.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.CopySet;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.message.SharedBuffers;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.StrandId;

/** For how long a request looks for a node that serves its strand. */
final class FollowingLinkTest {

  private static final long OPERATION_NANOS = 10_000_000_000L;
  private static final StrandId STRAND = new StrandId(1L << 46 | 7, 0);

  /** More requests than fit into the time of an operation. */
  private static final int ENDLESS = 10_000;

  private final SeededEnv env = SeededEnv.of(1);
  private int asked;
  private int refused; // so many requests, from the first on

  /** The node that owns the strand: for a while it has no lease. */
  private final class Owner implements Endpoint {
    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      if (++asked > refused) {
        replyTo.reply(new NodeReply.Done());
      } else {
        assertThat(asked).as("requests").isLessThan(ENDLESS);
        replyTo.fail(new MillraceException(ErrorCode.MOVED, "no lease"));
      }
    }
  }

  /** The coordinator has nobody else to give the strand to. */
  private final class OneOwner implements NodeLinks {
    private final Link owner = Links.local(env, new Peer(1, "test", List.of()), new Owner());

    @Override
    public Link link(int number) {
      return owner;
    }

    @Override
    public Link replace(int number, Link broken) {
      return owner;
    }

    @Override
    public boolean isFenced() {
      return false;
    }

    @Override
    public boolean isGuarded(int number) {
      return false;
    }

    @Override
    public boolean areLasting() {
      return true;
    }

    @Override
    public CopySet copies(StrandId strand, long deadlineNanos) {
      return new CopySet(1, List.of(0, 1), List.of());
    }

    @Override
    public void close() {}
  }

  private TransferContext carrier() {
    return new TransferContext(
        env,
        OPERATION_NANOS,
        0,
        new OneOwner(),
        _ -> {
          throw new IllegalStateException("no other rank");
        },
        SharedBuffers.NONE,
        new CallBuffers(env, SharedBuffers.NONE));
  }

  private void flush() throws IOException {
    TransferContext carrier = carrier();
    Link link = new FollowingLink(carrier, STRAND, 0, 1, () -> null);
    var flush = new NodeRequest.Flush(STRAND);
    AwaitAll.all(List.of(link.start(flush, Payload.NONE)), carrier::deadline);
  }

  @Test
  void aRequestThatNobodyServesEndsWithTheTimeOfAnOperation() {
    refused = Integer.MAX_VALUE;
    env.run(
        () -> {
          long began = env.nanoTime();
          assertThatThrownBy(this::flush)
              .isInstanceOf(MillraceException.class)
              .hasMessageContaining("no lease");
          assertThat(env.nanoTime() - began).isBetween(OPERATION_NANOS, 2 * OPERATION_NANOS);
        });
  }

  @Test
  void aRequestIsRepeatedUntilTheOwnerServesTheStrandAgain() {
    refused = 50;
    env.run(
        () -> {
          try {
            flush();
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    assertThat(asked).isEqualTo(refused + 1);
  }
}
