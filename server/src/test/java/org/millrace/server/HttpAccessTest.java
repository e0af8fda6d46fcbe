package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;

/** Who is let in, requests that no honest client sends, and clients that are slow. */
final class HttpAccessTest {

  private static final long MILLISECOND = 1_000_000L;

  @TempDir private Path folder;

  private static String status(String answer) {
    return answer.isEmpty() ? "closed" : answer.split(" ", 3)[1];
  }

  @Test
  void nobodyIsLetInWithoutTheToken() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "secret");
      String token = Served.TOKEN;
      String other = token.substring(0, token.length() - 1) + "0";
      for (String header :
          List.of(
              "X: y",
              "Authorization: Bearer " + other,
              "Authorization: Bearer " + token + "0",
              "Authorization: Bearer " + token.substring(1),
              "Authorization: Bearer",
              "Authorization: Bearer \r\nAuthorization: Bearer " + token,
              "Authorization: Basic " + token,
              "Authorization: " + token,
              "Cookie: token=" + token)) {
        for (String target : List.of("GET /files/a", "DELETE /files/a", "GET /", "OPTIONS *")) {
          String answer =
              served.raw(
                  target + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\nConnection: close\r\n\r\n");
          assertThat(status(answer)).as(target + " " + header).isIn("401", "404", "400");
          assertThat(answer).doesNotContain("secret").doesNotContain(token);
        }
      }
      assertThat(served.text("a")).isEqualTo("secret");
      assertThat(served.raw(Served.head("GET", "/files/a", "Connection: close")))
          .contains("secret");
    }
  }

  @Test
  void pathsCannotLeaveTheTree() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "x");
      for (String target :
          List.of(
              "/files/../a",
              "/files/%2e%2e/a",
              "/files/.%2E/a",
              "/files/./a",
              "/files/b/../a",
              "/files/..%2fa",
              "/files/b%2Fa",
              "/files//a",
              "/files/a%00",
              "/files/a%",
              "/files/a%4",
              "/files/%zz",
              "/files/%ff",
              "/files/%c0%ae%c0%ae/a",
              "/files/a//")) {
        String answer = served.raw(Served.head("GET", target, "Connection: close"));
        assertThat(status(answer)).as(target).isEqualTo("400");
      }
      for (String target : List.of("/", "/filesa", "/file/a", "/etc/passwd", "/../files/a")) {
        String answer = served.raw(Served.head("GET", target, "Connection: close"));
        assertThat(status(answer)).as(target).isIn("404", "400");
      }
      assertThat(status(served.raw(Served.head("GET", "/files/a/", "Connection: close"))))
          .isEqualTo("200");
      for (String to : List.of("..", "../b", "b/../../c", "b%00")) {
        assertThat(served.send("POST", "a?op=rename&to=" + to).statusCode()).as(to).isEqualTo(400);
      }
    }
  }

  @Test
  void malformedRequestsAreRefusedAndHarmNobody() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "x");
      String long32 = "x".repeat(40_000);
      List<String> requests =
          new ArrayList<>(
              List.of(
                  "\r\n\r\n\r\n\r\n",
                  "GET\r\n\r\n",
                  "GET /files/a\r\n\r\n",
                  "\0\1\2\3\r\n\r\n",
                  "GET /files/a HTTP/9.9\r\nno colon here\r\n\r\n",
                  Served.head("GET", "/files/a", "X: " + long32),
                  Served.head("GET", "/files/" + long32),
                  Served.head("PUT", "/files/a", "Content-Length: -1"),
                  Served.head("PUT", "/files/a", "Content-Length: many"),
                  Served.head("PUT", "/files/a", "Content-Length: 99999999999999999999"),
                  Served.head("PUT", "/files/a", "Transfer-Encoding: gzip"),
                  Served.head("PUT", "/files/a", "Transfer-Encoding: chunked") + "zz\r\nbad\r\n",
                  Served.head("PUT", "/files/a", "Transfer-Encoding: chunked") + "-5\r\nbad\r\n"));
      StringBuilder many = new StringBuilder();
      for (int i = 0; i < 100; i++) {
        many.append("X").append(i).append(": y\r\n");
      }
      requests.add(Served.head("GET", "/files/a", many + "Y: z"));
      for (String request : requests) {
        try (Socket socket = served.socket()) {
          socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
          socket.shutdownOutput();
          assertThat(status(Served.rest(socket)))
              .as(request.substring(0, Math.min(60, request.length())))
              .isIn("400", "404", "411", "413", "414", "431", "501", "closed");
        }
        assertThat(served.text("a")).isEqualTo("x");
      }
    }
  }

  @Test
  void slowClientsAreCutAndOthersServed() throws Exception {
    ServeLimits hasty =
        ServeLimits.USUAL.withCounts(2, 256).withNanos(200 * MILLISECOND, 200 * MILLISECOND);
    try (Served served = new Served(folder, hasty)) {
      served.send("PUT", "a", "old");
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < 6; i++) { // three times as many as there are threads
        Socket socket = served.socket();
        String half =
            i % 2 == 0
                ? "GET /files/a HTTP/1.1\r\nHost:"
                : Served.head("PUT", "/files/a", "Content-Length: 10") + "abc";
        socket.getOutputStream().write(half.getBytes(StandardCharsets.US_ASCII));
        slow.add(socket);
      }
      assertThat(served.text("a")).isEqualTo("old");
      for (Socket socket : slow) {
        assertThat(status(Served.rest(socket))).isIn("closed", "400");
        socket.close();
      }
      assertThat(served.text("a")).isEqualTo("old");
    }
  }

  @Test
  void readersThatTakeNothingAreCut() throws Exception {
    ServeLimits hasty =
        ServeLimits.USUAL.withCounts(1, 256).withNanos(200 * MILLISECOND, 200 * MILLISECOND);
    try (Served served = new Served(folder, hasty)) {
      served.send("PUT", "large", new byte[20_000_000], r -> r);
      try (Socket socket = served.socket()) {
        socket
            .getOutputStream()
            .write(Served.head("GET", "/files/large").getBytes(StandardCharsets.US_ASCII));
        assertThat(socket.getInputStream().read()).isEqualTo('H');
        // the only thread waits for the reader, until the reader is given up
        assertThat(served.send("GET", "large?stat").statusCode()).isEqualTo(200);
      }
    }
  }

  @Test
  void nothingIsServedToOtherHostsInTheClearOrUnderAShortToken() throws IOException {
    try (Served served = new Served(folder)) {
      ServeOptions open =
          ServeOptions.local(new InetSocketAddress("0.0.0.0", 0), Served.TOKEN, Served.USER);
      assertThatThrownBy(() -> HttpFiles.start(Env.real(), served.tree(), open))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("--tls");
      ServeOptions guessable =
          ServeOptions.local(
              new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), "secret", Served.USER);
      assertThatThrownBy(() -> HttpFiles.start(Env.real(), served.tree(), guessable))
          .isInstanceOf(MillraceException.class)
          .hasMessageContaining("guessed");
      assertThat(open.toString()).doesNotContain(Served.TOKEN);
    }
  }
}
