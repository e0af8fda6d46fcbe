package org.millrace.launch.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.millrace.env.Env;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.CoordinatorReply.Facts;
import org.millrace.protocol.RankRequest;
import org.millrace.wire.Address;

final class InboxGuardTest {

  private static final Facts FACTS = new Facts("c", List.of(), Map.of(), "rosa");

  /** Takes everything. */
  private static final class Open implements Endpoint {
    final List<String> users = new ArrayList<>();

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      users.add(from.user());
      replyTo.reply(new RankRequest.Taken());
    }
  }

  @Test
  void onlyTheUserItselfReachesAnInbox() throws IOException {
    Open inbox = new Open();
    var letter = new RankRequest.Withdraw(1, 0, 1);
    for (String user : List.of("eve", "", "rosa")) {
      Link link = Links.local(Env.real(), new Peer(1, user), new InboxGuard("rosa", inbox));
      if (user.equals("rosa")) {
        link.call(letter, MemorySegment.NULL, Env.NEVER);
      } else {
        assertThatThrownBy(() -> link.call(letter, MemorySegment.NULL, Env.NEVER))
            .isInstanceOfSatisfying(
                MillraceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_PERMITTED));
      }
    }
    assertThat(inbox.users).containsExactly("rosa");
    Link nobody = Links.local(Env.real(), new Peer(2, ""), new InboxGuard("", inbox));
    assertThatThrownBy(() -> nobody.call(letter, MemorySegment.NULL, Env.NEVER))
        .hasMessageContaining("may not reach");
  }

  @Test
  void theUserIsTheCertificatesWhereThereAreCertificatesAndElseTheProcesss() {
    String own = System.getProperty("user.name");
    assertThat(InboxGuard.userAt(new Address.Unix("/s"), FACTS)).isEqualTo(own);
    assertThat(InboxGuard.userAt(new Address.Tcp("127.0.0.1", 1, false), FACTS)).isEqualTo(own);
    assertThat(InboxGuard.userAt(new Address.Tcp("mill", 1, true), FACTS)).isEqualTo("rosa");
  }
}
