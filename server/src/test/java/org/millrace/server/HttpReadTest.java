package org.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.testing.Seeds;

/** Reads of bytes, attributes and names. */
final class HttpReadTest {

  @TempDir private Path folder;

  private static String header(HttpResponse<?> answer, String name) {
    return answer.headers().firstValue(name).orElse("");
  }

  @Test
  void randomRangesGiveTheBytesOfTheFile() throws Exception {
    try (Served served = new Served(folder)) {
      for (long seed : Seeds.of(2)) {
        Random random = new Random(seed);
        byte[] content = new byte[1 + random.nextInt(300_000)];
        random.nextBytes(content);
        assertThat(served.send("PUT", "a", content, r -> r).statusCode()).isIn(201, 204);
        for (int round = 0; round < 60; round++) {
          checkRanges(served, content, random, Seeds.replay(seed));
        }
      }
    }
  }

  private static void checkRanges(Served served, byte[] content, Random random, String replay)
      throws IOException {
    List<String> texts = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      int first = random.nextInt(content.length + content.length / 4 + 1);
      texts.add(
          switch (random.nextInt(3)) {
            case 0 -> first + "-";
            case 1 -> "-" + first;
            default -> first + "-" + (first + random.nextInt(50_000));
          });
    }
    String asked = "bytes=" + String.join(",", texts);
    List<Ranges.Part> parts = Ranges.parse(asked, content.length).orElseThrow().parts();
    long sum = parts.stream().mapToLong(Ranges.Part::length).sum();
    HttpResponse<byte[]> answer =
        served.send("GET", "a", new byte[0], r -> r.header("Range", asked));
    if (parts.isEmpty() || parts.size() > 1 && sum > content.length) {
      assertThat(answer.statusCode()).as(asked + replay).isEqualTo(416);
      assertThat(header(answer, "Content-Range")).isEqualTo("bytes */" + content.length);
      return;
    }
    assertThat(answer.statusCode()).as(asked + replay).isEqualTo(206);
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    String type = header(answer, "Content-Type");
    for (Ranges.Part part : parts) {
      if (parts.size() > 1) {
        expected.writeBytes(
            "\r\n--%s\r\nContent-Type: application/octet-stream\r\nContent-Range: %s\r\n\r\n"
                .formatted(boundary(type), part.of(content.length))
                .getBytes(StandardCharsets.US_ASCII));
      } else {
        assertThat(header(answer, "Content-Range")).isEqualTo(part.of(content.length));
      }
      int first = (int) part.first();
      expected.writeBytes(Arrays.copyOfRange(content, first, first + (int) part.length()));
    }
    if (parts.size() > 1) {
      expected.writeBytes(
          "\r\n--%s--\r\n".formatted(boundary(type)).getBytes(StandardCharsets.US_ASCII));
    }
    assertThat(answer.body()).as(asked + replay).isEqualTo(expected.toByteArray());
  }

  private static String boundary(String type) {
    return type.substring(type.indexOf("boundary=") + "boundary=".length());
  }

  @Test
  void headSaysWhatGetWould() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "page.html", "twelve bytes");
      HttpResponse<byte[]> get = served.send("GET", "page.html");
      HttpResponse<byte[]> head = served.send("HEAD", "page.html");
      assertThat(head.body()).isEmpty();
      for (String name :
          List.of("Content-Length", "Content-Type", "ETag", "Last-Modified", "Accept-Ranges")) {
        assertThat(header(head, name)).as(name).isNotEmpty().isEqualTo(header(get, name));
      }
      assertThat(header(head, "Content-Length")).isEqualTo("12");
      assertThat(header(head, "Content-Type")).isEqualTo("text/html");
      assertThat(served.send("HEAD", "missing").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void conditionsOfReadsAreThoseOfTheRfc() throws Exception {
    try (Served served = new Served(folder)) {
      served.send("PUT", "a", "bytes");
      HttpResponse<byte[]> now = served.send("GET", "a");
      String tag = header(now, "ETag");
      String date = header(now, "Last-Modified");
      String past = "Thu, 01 Jan 1970 00:00:00 GMT";
      String[][] cases = {
        {"If-None-Match", tag, "304"},
        {"If-None-Match", "W/" + tag, "304"},
        {"If-None-Match", "\"x\", " + tag, "304"},
        {"If-None-Match", "*", "304"},
        {"If-None-Match", "\"x\"", "200"},
        {"If-None-Match", "x", "400"},
        {"If-Match", tag, "200"},
        {"If-Match", "*", "200"},
        {"If-Match", "W/" + tag, "412"},
        {"If-Match", "\"x\"", "412"},
        {"If-Modified-Since", date, "304"},
        {"If-Modified-Since", past, "200"},
        {"If-Modified-Since", "yesterday", "200"},
        {"If-Unmodified-Since", date, "200"},
        {"If-Unmodified-Since", past, "412"},
      };
      for (String[] one : cases) {
        HttpResponse<byte[]> answer =
            served.send("GET", "a", new byte[0], r -> r.header(one[0], one[1]));
        assertThat("" + answer.statusCode()).as(one[0] + ": " + one[1]).isEqualTo(one[2]);
      }
      for (String state : List.of(tag, "\"x\"", date)) {
        HttpResponse<byte[]> answer =
            served.send(
                "GET",
                "a",
                new byte[0],
                r -> r.header("Range", "bytes=1-2").header("If-Range", state));
        assertThat(answer.statusCode()).as(state).isEqualTo(state.equals(tag) ? 206 : 200);
      }
    }
  }

  @Test
  void directoriesAreListedInPages() throws Exception {
    try (Served served = new Served(folder)) {
      assertThat(served.send("POST", "d/e?op=mkdir&parents=true").statusCode()).isEqualTo(204);
      for (int i = 0; i < 7; i++) {
        served.send("PUT", "d/file" + i + "?force=false", "x".repeat(i));
      }
      List<String> names = new ArrayList<>();
      String after = "";
      for (boolean more = true; more; ) {
        String page = served.text("d?most=3&after=" + after);
        var found = java.util.regex.Pattern.compile("\"name\": \"(\\w+)\"").matcher(page);
        while (found.find()) {
          names.add(found.group(1));
        }
        after = names.getLast();
        more = page.contains("\"next\": \"" + after + "\"");
        assertThat(more || page.contains("\"next\": null")).isTrue();
      }
      assertThat(names)
          .containsExactly("e", "file0", "file1", "file2", "file3", "file4", "file5", "file6");
      assertThat(served.text("d/file3?stat")).contains("\"kind\": \"file\"", "\"size\": 3");
      assertThat(served.send("GET", "d?most=0").statusCode()).isEqualTo(400);
      assertThat(served.send("GET", "d?depth=1").statusCode()).isEqualTo(400);
      assertThat(served.send("GET", "d/file3?most=3").statusCode()).isEqualTo(409);
    }
  }
}
