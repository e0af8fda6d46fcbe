package org.millrace.cli.console;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.millrace.testing.Eventually;

/**
 * A headless Chromium with one page, driven over its DevTools protocol. Used by one thread. Closing
 * ends it.
 */
final class Browser implements AutoCloseable {

  private static final Pattern ID = Pattern.compile("^\\{\"id\":([0-9]+)");
  private static final Pattern VALUE = Pattern.compile("\"value\":\"([A-Za-z0-9+/=]*)\"");
  private static final Pattern DATA = Pattern.compile("\"data\":\"([A-Za-z0-9+/=]+)\"");
  private static final Pattern SOCKET =
      Pattern.compile("\"webSocketDebuggerUrl\": ?\"(ws://[^\"]*/devtools/page/[^\"]*)\"");

  private final Process process;
  private final HttpClient client = HttpClient.newHttpClient();
  private final WebSocket socket;
  private final AtomicInteger numbers = new AtomicInteger();
  private final Map<Integer, CompletableFuture<String>> answers = new ConcurrentHashMap<>();
  private final List<String> errors = new CopyOnWriteArrayList<>();

  /** Where it is installed, if it is. */
  static Optional<Path> installed() {
    return List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
        .stream()
        .map(Path::of)
        .filter(Files::isExecutable)
        .findFirst();
  }

  Browser(Path program, Path folder) throws IOException {
    List<String> line = new ArrayList<>(List.of(program.toString()));
    line.addAll(
        List.of(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--remote-debugging-port=0",
            "--user-data-dir=" + folder,
            "about:blank"));
    Files.createDirectories(folder);
    this.process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      Path port = folder.resolve("DevToolsActivePort");
      Eventually.holds(
          "the browser listens", () -> Files.exists(port) && Files.readString(port).contains("\n"));
      String at = Files.readString(port).lines().findFirst().orElseThrow();
      this.socket =
          client
              .newWebSocketBuilder()
              .buildAsync(URI.create(page("http://127.0.0.1:" + at)), new Listener())
              .join();
      call("Runtime.enable", "");
      call("Log.enable", "");
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private String page(String base) throws IOException {
    try {
      HttpRequest list = HttpRequest.newBuilder(URI.create(base + "/json/list")).build();
      Matcher found = SOCKET.matcher(client.send(list, BodyHandlers.ofString()).body());
      if (!found.find()) {
        throw new IOException("the browser has no page");
      }
      return found.group(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }

  /** Answers by number; complaints of the page. */
  private final class Listener implements WebSocket.Listener {

    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        onMessage(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return CompletableFuture.completedStage("");
    }
  }

  private void onMessage(String message) {
    Matcher id = ID.matcher(message);
    if (id.find()) {
      CompletableFuture<String> waiting = answers.remove(Integer.valueOf(id.group(1)));
      if (waiting != null) {
        waiting.complete(message);
      }
    } else if (message.contains("Runtime.exceptionThrown")
        || message.contains("Log.entryAdded") && message.contains("\"level\":\"error\"")) {
      errors.add(message);
    }
  }

  private String call(String method, String parameters) {
    int number = numbers.incrementAndGet();
    CompletableFuture<String> answer = new CompletableFuture<>();
    answers.put(number, answer);
    String text =
        "{\"id\":%d,\"method\":\"%s\",\"params\":{%s}}".formatted(number, method, parameters);
    socket.sendText(text, true).join();
    return answer.join();
  }

  /** What the page complained of. */
  List<String> errors() {
    return errors;
  }

  void open(String url) {
    call("Page.navigate", "\"url\":\"" + url + "\"");
  }

  /** The text of a value of JavaScript; there are no quotation marks in it but single ones. */
  String value(String script) {
    String whole =
        "btoa(unescape(encodeURIComponent(String((() => { try { return (%s); } catch (e) { return 'error ' + e; } })()))))"
            .formatted(script);
    String answer =
        call("Runtime.evaluate", "\"returnByValue\":true,\"expression\":\"" + whole + "\"");
    Matcher found = VALUE.matcher(answer);
    if (!found.find()) {
      throw new IllegalStateException(answer);
    }
    return new String(Base64.getDecoder().decode(found.group(1)), StandardCharsets.UTF_8);
  }

  /** Waits until a condition of JavaScript holds. */
  void await(String condition) throws IOException {
    Eventually.holds(condition, () -> value(condition).equals("true"));
  }

  /**
   * Clicks with the mouse in the middle of what a selector finds, as a person does: not before it
   * is to be seen there, with nothing on top of it, and again if the page moved or replaced it
   * under the mouse.
   */
  void click(String selector) throws IOException {
    Eventually.holds(selector + " is clicked", () -> isClicked(selector));
  }

  private boolean isClicked(String selector) {
    String place =
        ("(e => { if (e === null) return '';"
                + " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
                + " const x = r.x + r.width / 2, y = r.y + r.height / 2;"
                + " window.clicked = false;"
                + " e.addEventListener('click', () => { window.clicked = true; }, {once: true});"
                + " return r.width > 0 && e.contains(document.elementFromPoint(x, y))"
                + " ? x + ' ' + y : ''; })(document.querySelector('%s'))")
            .formatted(selector);
    String found = value(place);
    if (!found.matches("[0-9.]+ [0-9.]+")) {
      return false;
    }
    String[] at = found.split(" ", -1);
    mouse("mousePressed", at[0], at[1]);
    boolean hit =
        value("document.querySelector('" + selector + ":active') !== null").equals("true");
    mouse("mouseReleased", hit ? at[0] : "0", hit ? at[1] : "0"); // elsewhere: nothing is clicked
    return hit && !value("window.clicked").equals("false"); // another page does not know it
  }

  private void mouse(String type, String x, String y) {
    call(
        "Input.dispatchMouseEvent",
        "\"type\":\"%s\",\"x\":%s,\"y\":%s,\"button\":\"left\",\"clickCount\":1"
            .formatted(type, x, y));
  }

  /** How large the window is, and whether its user likes it dark. */
  void look(int width, int height, boolean dark) {
    call(
        "Emulation.setDeviceMetricsOverride",
        "\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":%b"
            .formatted(width, height, width < 600));
    call(
        "Emulation.setEmulatedMedia",
        "\"features\":[{\"name\":\"prefers-color-scheme\",\"value\":\"%s\"}]"
            .formatted(dark ? "dark" : "light"));
  }

  /** A picture of what the window shows. */
  byte[] picture() {
    Matcher found = DATA.matcher(call("Page.captureScreenshot", "\"format\":\"png\""));
    if (!found.find()) {
      throw new IllegalStateException("the browser took no picture");
    }
    return Base64.getDecoder().decode(found.group(1));
  }

  @Override
  public void close() {
    socket.abort();
    client.close();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join(); // its folder is deleted next
  }
}
