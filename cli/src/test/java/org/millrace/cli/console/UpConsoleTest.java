package org.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.cli.CommandLineRun;
import org.millrace.cli.Processes;

/** {@code up --console} as processes: from the printed link to the end. */
final class UpConsoleTest {

  private static final Pattern LINK =
      Pattern.compile("Console: (http://127\\.0\\.0\\.1:[0-9]+)(/login\\?once=[0-9a-f]{64}) ");
  private static final Pattern TOKEN = Pattern.compile("with the token in (\\S+\\.token)");

  @TempDir private Path folder;

  private static HttpResponse<String> get(String url, String token)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url));
      if (!token.isEmpty()) {
        request.header("Authorization", "Bearer " + token);
      }
      return client.send(request.build(), BodyHandlers.ofString());
    }
  }

  private static Matcher found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher;
  }

  @Test
  void upPrintsALinkThatWorksOnceAndStopEndsTheConsole() throws Exception {
    String cluster = folder.resolve("c").toString();
    try (Processes processes = new Processes(folder)) {
      CommandLineRun up = processes.run("up", "--nodes", "1", "--dir", cluster, "--console");
      String url = "";
      try {
        assertThat(up.exitCode()).as(up.err()).isZero();
        Matcher link = found(LINK, up.out());
        url = link.group(1);
        assertThat(get(url + link.group(2), "").statusCode()).isEqualTo(303);
        assertThat(get(url + link.group(2), "").statusCode()).isEqualTo(401);
        assertThat(get(url + "/health/ready", "").body()).isEqualTo("ready\n");
        CommandLineRun again = processes.run("up", "--dir", cluster, "--console");
        assertThat(again.out()).contains("is up already", "Console: " + url + ", with the token");
        String token = Files.readString(Path.of(found(TOKEN, again.out()).group(1))).strip();
        assertThat(PrometheusText.parse(get(url + "/metrics", token).body()).value("millrace_up"))
            .isEqualTo(1);
      } finally {
        CommandLineRun stop = processes.run("stop", "--dir", cluster);
        assertThat(stop.exitCode()).as(stop.err()).isZero();
      }
      String ended = url;
      assertThatThrownBy(() -> get(ended + "/health/live", ""))
          .isInstanceOf(ConnectException.class);
      assertThat(Files.exists(folder.resolve("c/run/console.pid"))).isFalse();
    }
  }
}
