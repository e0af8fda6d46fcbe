package org.millrace.server;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.sun.net.httpserver.HttpExchange;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;

/**
 * Browsers that have logged in. A browser shows a link's secret, which is good once and for a short
 * time, or the server's token, and gets a cookie with a secret of its own. The cookie is good for a
 * working day, or until so many others have logged in, or until the server ends.
 *
 * <p>Safe for use by several threads: one lock.
 */
final class Logins {

  private static final int SECRET_BYTES = 32;
  private static final int MAX_BROWSERS = 64;
  private static final long SECOND = 1_000_000_000L;
  private static final long LINK_NANOS = 600 * SECOND;
  private static final long COOKIE_NANOS = 12 * 3600 * SECOND;

  /** A secret and how long it is good. */
  private record Secret(String text, long untilNanos) {

    /** Takes as long for what is wrong in its first character as in its last. */
    boolean is(String shown) {
      return MessageDigest.isEqual(bytes(text), bytes(shown));
    }
  }

  // constant after construction
  private final Env env;
  private final boolean secure;
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private @Nullable Secret link;

  @GuardedBy("lock")
  private final Deque<Secret> browsers = new ArrayDeque<>();

  /** For a server with TLS, or for one without. */
  Logins(Env env, boolean secure) {
    this.env = env;
    this.secure = secure;
  }

  /** A new secret for a link; the one before is good no more. */
  String link() {
    String secret = fresh();
    lock.lock();
    try {
      link = new Secret(secret, env.deadlineAfter(LINK_NANOS));
    } finally {
      lock.unlock();
    }
    return secret;
  }

  /** Whether it is the secret of the link, which is used up by that. */
  boolean takeLink(String shown) {
    lock.lock();
    try {
      Secret there = link;
      if (there == null || !there.is(shown) || there.untilNanos - env.nanoTime() < 0) {
        return false;
      }
      link = null;
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Lets a browser in from now on: the value of the header that sets its cookie. */
  String admit(HttpExchange exchange) {
    String secret = fresh();
    lock.lock();
    try {
      while (browsers.size() >= MAX_BROWSERS) {
        browsers.removeFirst();
      }
      browsers.addLast(new Secret(secret, env.deadlineAfter(COOKIE_NANOS)));
    } finally {
      lock.unlock();
    }
    return "%s=%s; Path=/; HttpOnly; SameSite=Strict; Max-Age=%s%s"
        .formatted(name(exchange), secret, COOKIE_NANOS / SECOND, secure ? "; Secure" : "");
  }

  /** Whether a browser shows its cookie. */
  boolean isAdmitted(HttpExchange exchange) {
    String begin = name(exchange) + "=";
    for (String header : exchange.getRequestHeaders().getOrDefault("Cookie", List.of())) {
      for (String cookie : header.split(";", -1)) {
        String shown = cookie.strip();
        if (shown.startsWith(begin) && isKnown(shown.substring(begin.length()))) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean isKnown(String shown) {
    lock.lock();
    try {
      long now = env.nanoTime();
      browsers.removeIf(one -> one.untilNanos - now < 0);
      return browsers.stream().anyMatch(one -> one.is(shown));
    } finally {
      lock.unlock();
    }
  }

  /** Browsers tell servers apart by host alone, and a host may have several. */
  private static String name(HttpExchange exchange) {
    return "millrace-" + exchange.getLocalAddress().getPort();
  }

  private String fresh() {
    return HexFormat.of().formatHex(env.secretBytes(SECRET_BYTES));
  }

  private static byte[] bytes(String secret) {
    return secret.getBytes(StandardCharsets.UTF_8);
  }
}
