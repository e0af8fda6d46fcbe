package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.files.FilePath;
import org.millrace.files.NewFile;
import org.millrace.testing.Eventually;

/** Writes: whole files, parts, conditions, names. */
final class HttpWriteTest {

  @TempDir private Path folder;

  private static String tag(HttpResponse<?> answer) {
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  private static <T> List<T> all(int threads, Callable<T> work) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<T>> started = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        started.add(pool.submit(work));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> one : started) {
        results.add(one.get());
      }
      return results;
    }
  }

  @Test
  void ofManyWhoCreateOneSucceeds() throws Exception {
    try (Served served = new Served(folder);
        HttpFiles second = served.another()) {
      for (int round = 0; round < 5; round++) {
        String name = "new" + round;
        List<Integer> answers =
            all(
                8,
                () -> {
                  boolean here = Thread.currentThread().threadId() % 2 == 0;
                  String url = here ? served.url() : second.url();
                  return served
                      .send(url, "PUT", name, new byte[] {1}, r -> r.header("If-None-Match", "*"))
                      .statusCode();
                });
        assertThat(answers).containsOnlyOnce(201);
        assertThat(answers.stream().filter(status -> status == 412)).hasSize(7);
      }
      assertThat(served.text("?all=true")).doesNotContain("millrace-put");
    }
  }

  /** A counter that everybody reads and replaces, by PUT and by PATCH, at two servers. */
  @Test
  void conditionalWritesLoseNothing() throws Exception {
    try (Served served = new Served(folder);
        HttpFiles second = served.another()) {
      served.send("PUT", "n", "0000");
      int threads = 4;
      int each = 6;
      all(
          threads,
          () -> {
            for (int i = 0; i < each; i++) {
              count(served, i % 2 == 0 ? served.url() : second.url(), i % 3 == 0);
            }
            return 0;
          });
      assertThat(served.text("n")).isEqualTo("%04d".formatted(threads * each));
    }
  }

  private static void count(Served served, String url, boolean whole) throws IOException {
    while (true) {
      HttpResponse<byte[]> now = served.send(url, "GET", "n", new byte[0], r -> r);
      int value = Integer.parseInt(new String(now.body(), StandardCharsets.UTF_8));
      byte[] next = "%04d".formatted(value + 1).getBytes(StandardCharsets.UTF_8);
      int status =
          served
              .send(
                  url,
                  whole ? "PUT" : "PATCH",
                  whole ? "n?force=false" : "n?at=0",
                  next,
                  r -> r.header("If-Match", tag(now)))
              .statusCode();
      if (status != 412) {
        assertThat(status).isIn(200, 204);
        return;
      }
    }
  }

  @Test
  void readersSeeTheOldFileOrTheNewOne() throws Exception {
    try (Served served = new Served(folder)) {
      byte[] small = new byte[100_000];
      byte[] large = new byte[5_000_000];
      Arrays.fill(small, (byte) 's');
      Arrays.fill(large, (byte) 'l');
      served.send("PUT", "a", small, r -> r);
      AtomicBoolean done = new AtomicBoolean();
      try (ExecutorService pool = Executors.newFixedThreadPool(2)) {
        Future<Integer> reader =
            pool.submit(
                () -> {
                  int seen = 0;
                  do {
                    byte[] got = served.send("GET", "a").body();
                    assertThat(Arrays.equals(got, small) || Arrays.equals(got, large)).isTrue();
                    seen++;
                  } while (!done.get());
                  return seen;
                });
        for (int i = 0; i < 10; i++) {
          byte[] next = i % 2 == 0 ? large : small;
          assertThat(served.send("PUT", "a?force=false", next, r -> r).statusCode()).isEqualTo(204);
        }
        done.set(true);
        assertThat(reader.get()).isPositive();
      }
    }
  }

  @Test
  void halfSentFileLeavesTheOldOneAndNothingElse() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "old");
      for (String length : List.of("Content-Length: 1000", "Transfer-Encoding: chunked")) {
        try (Socket socket = served.socket()) {
          String body = length.startsWith("T") ? "5\r\nhello\r\n" : "hello";
          String sent = Served.head("PUT", "/files/a", length) + body;
          socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
          Eventually.holds(
              "the server has begun to write",
              () -> served.text("?all=true").contains("millrace-put"));
        }
        Eventually.holds(
            "nothing is left", () -> !served.text("?all=true").contains("millrace-put"));
        assertThat(served.text("a")).isEqualTo("old");
      }
    }
  }

  @Test
  void partsAreWrittenAppendedListedAndCut() throws Exception {
    try (Served served = new Served(folder)) {
      assertThat(served.send("PATCH", "a?at=0", "x").statusCode()).isEqualTo(404);
      HttpResponse<byte[]> made = served.send("PUT", "a", "0123456789");
      HttpResponse<byte[]> patched = served.send("PATCH", "a?at=3", "abc");
      assertThat(patched.statusCode()).isEqualTo(200);
      assertThat(tag(patched)).isNotEqualTo(tag(made));
      assertThat(served.text("a")).isEqualTo("012abc6789");
      assertThat(new String(served.send("PATCH", "a?at=end", "!").body(), StandardCharsets.UTF_8))
          .contains("\"position\": 10", "\"size\": 11");
      byte[] list = list(4 + 2 * 12 + 3, 2, 0, 1, 8, 2);
      System.arraycopy("XYZ".getBytes(StandardCharsets.US_ASCII), 0, list, list.length - 3, 3);
      assertThat(served.send("PATCH", "a?at=list", list, r -> r).statusCode()).isEqualTo(200);
      assertThat(served.text("a")).isEqualTo("X12abc67YZ!");
      assertThat(served.send("PATCH", "a?size=4").statusCode()).isEqualTo(200);
      assertThat(served.text("a")).isEqualTo("X12a");
      for (String wrong :
          List.of("a", "a?at=-1", "a?at=x", "a?size=x", "a?at=1&size=1", "a?at=1&at=2", "a?to=1")) {
        assertThat(served.send("PATCH", wrong, "y").statusCode()).as(wrong).isEqualTo(400);
      }
      byte[] large = new byte[ServeLimits.USUAL.partBytes() + 1];
      assertThat(served.send("PATCH", "a?at=0", large, r -> r).statusCode()).isEqualTo(413);
      assertThat(
              served
                  .send("PUT", "a", new byte[1], r -> r.header("Content-Range", "bytes 0-0/4"))
                  .statusCode())
          .isEqualTo(400);
      assertThat(served.text("a")).isEqualTo("X12a");
    }
  }

  /** A list of writes: its length, then count, and position and length of each. */
  private static byte[] list(int bytes, long... numbers) {
    byte[] list = new byte[bytes];
    ByteBuffer into = ByteBuffer.wrap(list);
    for (int i = 0; i < numbers.length; i++) {
      if (i % 2 == 1) {
        into.putLong(numbers[i]);
      } else {
        into.putInt((int) numbers[i]);
      }
    }
    return list;
  }

  @Test
  void malformedListsOfWritesChangeNothing() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "0123");
      List<byte[]> lists =
          List.of(
              list(0),
              list(3),
              list(4),
              list(4, -1),
              list(4, Integer.MAX_VALUE),
              list(17, 1, -1, 1),
              list(17, 1, 0, 2),
              list(18, 1, 0, 1),
              list(16, 1, 0, 0),
              list(17, 1, Long.MAX_VALUE, 1),
              list(31, 2, 1, 2, 2, 1)); // they overlap
      for (byte[] list : lists) {
        assertThat(served.send("PATCH", "a?at=list", list, r -> r).statusCode()).isEqualTo(400);
      }
      assertThat(served.text("a")).isEqualTo("0123");
    }
  }

  @Test
  void namesAreMadeRenamedCopiedAndRemoved() throws Exception {
    try (Served served = new Served(folder)) {
      assertThat(served.send("POST", "d?op=mkdir").statusCode()).isEqualTo(201);
      assertThat(served.send("POST", "d?op=mkdir").statusCode()).isEqualTo(409);
      served.send("PUT", "d/a", "one");
      served.send("PUT", "b", "two");
      assertThat(served.send("POST", "d/a?op=rename&to=/b").statusCode()).isEqualTo(409);
      assertThat(served.send("POST", "d/a?op=copy&to=c%20d").statusCode()).isEqualTo(201);
      assertThat(served.text("c%20d")).isEqualTo("one");
      assertThat(served.send("POST", "b?op=copy&to=d/a&replace=false").statusCode()).isEqualTo(412);
      assertThat(served.send("DELETE", "d").statusCode()).isEqualTo(409);
      assertThat(served.send("POST", "d/a?op=rename&to=b&replace").statusCode()).isEqualTo(204);
      assertThat(served.text("b")).isEqualTo("one");
      assertThat(served.send("DELETE", "d").statusCode()).isEqualTo(204);
      assertThat(
              served
                  .send("DELETE", "b", new byte[0], r -> r.header("If-Match", "\"x\""))
                  .statusCode())
          .isEqualTo(412);
      assertThat(served.send("DELETE", "b").statusCode()).isEqualTo(204);
      assertThat(served.send("DELETE", "b").statusCode()).isEqualTo(404);
      assertThat(served.send("POST", "x?op=fly").statusCode()).isEqualTo(400);
      assertThat(served.send("TRACE", "x").statusCode()).isEqualTo(405);
    }
  }

  @Test
  void linksStayAndWhatTheyLeadToIsReplaced() throws Exception {
    try (Served served = new Served(folder)) {
      NewFile attributes = NewFile.with(0777);
      served.send("POST", "d?op=mkdir");
      served.send("PUT", "d/a", "old");
      served.tree().makeLink(FilePath.of("l"), "d/m", attributes);
      served.tree().makeLink(FilePath.of("d/m"), "a", attributes);
      assertThat(served.send("PUT", "l", "new").statusCode()).isEqualTo(204);
      assertThat(served.text("d/a")).isEqualTo("new");
      assertThat(served.text("l?stat&follow=false")).contains("\"kind\": \"link\"");
      served.tree().makeLink(FilePath.of("loop"), "loop", attributes);
      assertThat(served.send("PUT", "loop", "new").statusCode()).isEqualTo(409);
    }
  }
}
