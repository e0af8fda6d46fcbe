package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.env.Env;
import org.millrace.error.MillraceException;
import org.millrace.wire.TlsKeys;
import org.millrace.wire.TransportKeys;

/** Who may look at a console, and who may change something. */
final class ConsoleAccessTest {

  private static final String SECRET = "a-name-that-strangers-must-not-see";
  private static final List<String> PROTECTED =
      List.of("/api/state", "/api/files", "/api/file?path=x", "/metrics", "/console.js");

  @TempDir private Path folder;

  /** A cluster that says one word, and remembers what was asked of it. */
  private static final class Source implements ConsoleSource {

    private final List<ConsoleChange> changes = new ArrayList<>();
    private boolean ready = true;

    @Override
    public Object state() {
      return Map.of("cluster", SECRET);
    }

    @Override
    public Object files(String directory, String after) {
      return Map.of("path", SECRET + directory + after);
    }

    @Override
    public Object file(String path) {
      return Map.of("name", SECRET + path);
    }

    @Override
    public String metrics() {
      return "# " + SECRET + "\n";
    }

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public String change(ConsoleChange change) {
      changes.add(change);
      return "done";
    }
  }

  private static ServeOptions options() {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    return ServeOptions.local(any, Served.TOKEN, Served.USER);
  }

  private static HttpResponse<String> send(String url, String method, String... headers)
      throws Exception {
    return send(HttpClient.newHttpClient(), url, method, "", headers);
  }

  private static HttpResponse<String> send(
      HttpClient client, String url, String method, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url))
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    try (client) {
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static String cookie(HttpResponse<?> login) {
    assertThat(login.statusCode()).isEqualTo(303);
    String set = login.headers().firstValue("Set-Cookie").orElseThrow();
    assertThat(set).contains("HttpOnly", "SameSite=Strict");
    return set.substring(0, set.indexOf(';'));
  }

  @Test
  void strangersSeeTheFormAndTheProbesAlone() throws Exception {
    Source source = new Source();
    try (HttpConsole console = HttpConsole.start(Env.real(), source, options(), true)) {
      String token = Served.TOKEN;
      for (String[] shown :
          new String[][] {
            {},
            {"Authorization", "Bearer " + token.substring(1) + "0"},
            {"Authorization", "Basic " + token},
            {"Cookie", "millrace-" + console.address().getPort() + "=" + token},
            {"Cookie", "token=" + token}
          }) {
        for (String path : PROTECTED) {
          HttpResponse<String> answer = send(console.url() + path, "GET", shown);
          assertThat(answer.statusCode()).as(path).isEqualTo(401);
          assertThat(answer.body()).doesNotContain(SECRET, token);
        }
        HttpResponse<String> page = send(console.url() + "/", "GET", shown);
        assertThat(page.statusCode()).isEqualTo(401);
        assertThat(page.body()).contains("<form").doesNotContain(SECRET);
        assertThat(send(console.url() + "/api/changes?do=scrub", "POST", shown).statusCode())
            .isEqualTo(401);
      }
      assertThat(source.changes).isEmpty();
      assertThat(send(console.url() + "/health/live", "GET").body()).isEqualTo("live\n");
      assertThat(send(console.url() + "/health/ready", "GET").statusCode()).isEqualTo(200);
      source.ready = false;
      assertThat(send(console.url() + "/health/ready", "GET").statusCode()).isEqualTo(503);
    }
  }

  @Test
  void theTokenLetsProgramsIn() throws Exception {
    try (HttpConsole console = HttpConsole.start(Env.real(), new Source(), options(), false)) {
      for (String path : PROTECTED) {
        HttpResponse<String> answer =
            send(console.url() + path, "GET", "Authorization", "Bearer " + Served.TOKEN);
        assertThat(answer.statusCode()).as(path).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Security-Policy").orElse(""))
            .contains("default-src 'none'");
      }
    }
  }

  @Test
  void aLinkIsGoodOnceAndOnlyTheLastOne() throws Exception {
    try (HttpConsole console = HttpConsole.start(Env.real(), new Source(), options(), false)) {
      String first = console.link();
      String link = console.link();
      assertThat(send(first, "GET").statusCode()).isEqualTo(401);
      String cookie = cookie(send(link, "GET"));
      assertThat(send(link, "GET").statusCode()).isEqualTo(401);
      assertThat(send(console.url() + "/api/state", "GET", "Cookie", cookie).body())
          .contains(SECRET);
      assertThat(send(console.url() + "/", "GET", "Cookie", "x=y; " + cookie).body())
          .contains("console.js");
      assertThat(send(console.url() + "/api/state", "GET", "Cookie", cookie + "0").statusCode())
          .isEqualTo(401);
      try (HttpConsole other = HttpConsole.start(Env.real(), new Source(), options(), false)) {
        String there = cookie.replaceFirst("[0-9]+=", other.address().getPort() + "=");
        assertThat(send(other.url() + "/api/state", "GET", "Cookie", there).statusCode())
            .isEqualTo(401);
      }
    }
  }

  @Test
  void theFormTakesTheToken() throws Exception {
    try (HttpConsole console = HttpConsole.start(Env.real(), new Source(), options(), false)) {
      String form = console.url() + "/login";
      HttpClient client = HttpClient.newHttpClient();
      HttpResponse<String> in = send(client, form, "POST", "token=" + Served.TOKEN);
      assertThat(send(console.url() + "/metrics", "GET", "Cookie", cookie(in)).statusCode())
          .isEqualTo(200);
      for (String wrong : List.of("token=x", "other=" + Served.TOKEN, "x".repeat(9000))) {
        int status = send(HttpClient.newHttpClient(), form, "POST", wrong).statusCode();
        assertThat(status).isIn(400, 401);
      }
    }
  }

  @Test
  void aConsoleOnlyShowsUnlessChangesAreAllowed() throws Exception {
    Source source = new Source();
    String[] in = {
      "Authorization", "Bearer " + Served.TOKEN, "X-Millrace-Confirmed", "yes",
    };
    try (HttpConsole console = HttpConsole.start(Env.real(), source, options(), false)) {
      HttpResponse<String> answer = send(console.url() + "/api/changes?do=scrub", "POST", in);
      assertThat(answer.statusCode()).isEqualTo(403);
      assertThat(answer.body()).contains("--allow-changes");
      assertThat(source.changes).isEmpty();
    }
    try (HttpConsole console = HttpConsole.start(Env.real(), source, options(), true)) {
      String changes = console.url() + "/api/changes?do=";
      HttpResponse<String> unconfirmed = send(changes + "scrub", "POST", in[0], in[1]);
      assertThat(unconfirmed.statusCode()).isEqualTo(400);
      assertThat(send(changes + "scrub", "GET", in).statusCode()).isEqualTo(404);
      for (String bad :
          List.of("", "shutdown", "drain", "drain&node=-1", "remove", "remove&path=a/../b")) {
        assertThat(send(changes + bad, "POST", in).statusCode()).as(bad).isEqualTo(400);
      }
      assertThat(source.changes).isEmpty();
      for (String good : List.of("scrub", "drain&node=3", "use&node=3", "remove&path=a%20b/c")) {
        assertThat(send(changes + good, "POST", in).statusCode()).as(good).isEqualTo(200);
      }
      assertThat(source.changes)
          .containsExactly(
              new ConsoleChange.Scrub(),
              new ConsoleChange.Drain(3),
              new ConsoleChange.Use(3),
              new ConsoleChange.Remove("a b/c"));
    }
  }

  @Test
  void aCertificateOfTheUserLetsInAndThatOfAnotherDoesNot() throws Exception {
    TlsKeys keys = TransportKeys.make(folder).tls().orElseThrow();
    SSLContext shown = keys.context();
    InetSocketAddress address = new InetSocketAddress("localhost", 0);
    ServeOptions mine = ServeOptions.local(address, Served.TOKEN, Served.USER).withTls(keys);
    try (HttpConsole console = HttpConsole.start(Env.real(), new Source(), mine, false)) {
      HttpClient client = HttpClient.newBuilder().sslContext(shown).build();
      assertThat(send(client, console.url() + "/api/state", "GET", "").body()).contains(SECRET);
    }
    ServeOptions others = ServeOptions.local(address, Served.TOKEN, "rosa").withTls(keys);
    try (HttpConsole console = HttpConsole.start(Env.real(), new Source(), others, false)) {
      HttpClient client = HttpClient.newBuilder().sslContext(shown).build();
      assertThat(send(client, console.url() + "/api/state", "GET", "").statusCode()).isEqualTo(401);
    }
  }

  @Test
  void nothingIsServedToOtherHostsInTheClear() {
    ServeOptions open =
        ServeOptions.local(new InetSocketAddress("0.0.0.0", 0), Served.TOKEN, Served.USER);
    assertThatThrownBy(() -> HttpConsole.start(Env.real(), new Source(), open, false))
        .isInstanceOf(MillraceException.class)
        .hasMessageContaining("--tls");
  }
}
