package org.millrace.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The files of the console's page, which are part of the program. Immutable.
 *
 * @param page what shows the cluster
 * @param login the form for strangers
 * @param style of both
 * @param script of the page
 */
record ConsolePages(Resource page, Resource login, Resource style, Resource script) {

  /** A file, and what browsers call its type. */
  record Resource(String type, String text) {

    void answer(Call call, int status) throws IOException {
      call.answer(status, type, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  static ConsolePages load() {
    return new ConsolePages(
        resource("index.html", "text/html; charset=utf-8"),
        resource("login.html", "text/html; charset=utf-8"),
        resource("console.css", "text/css; charset=utf-8"),
        resource("console.js", "text/javascript; charset=utf-8"));
  }

  private static Resource resource(String name, String type) {
    try (InputStream in = ConsolePages.class.getResourceAsStream("console/" + name)) {
      if (in == null) {
        throw new IllegalStateException("the program is incomplete: there is no " + name);
      }
      return new Resource(type, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
