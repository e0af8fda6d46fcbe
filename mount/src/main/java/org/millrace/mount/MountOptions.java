package org.millrace.mount;

import java.util.function.Consumer;

/**
 * How a tree is mounted.
 *
 * @param source what {@code df} and {@code findmnt} show as its source
 * @param givesOwners whether new files belong to the process that makes them; else to the user of
 *     the session, which must be the administrator's for the former
 * @param cacheNanos for how long the kernel may keep names and attributes
 * @param caching when the kernel may keep bytes of open files
 * @param threads how many serve
 * @param log takes lines for people who look for the cause of an error
 */
public record MountOptions(
    String source,
    boolean givesOwners,
    long cacheNanos,
    Caching caching,
    int threads,
    Consumer<String> log) {

  /** When the kernel may keep bytes of open files. */
  public enum Caching {
    /** Never: each read and write is a request. */
    NEVER,
    /** While nobody else has the file open for writing. */
    DELEGATED,
    /** Always; what others write may show late. */
    ALWAYS
  }

  private static final long SECOND = 1_000_000_000L;
  private static final int USUAL_THREADS = 16;

  /** Checks the numbers. */
  public MountOptions {
    if (threads < 1 || cacheNanos < 0) {
      throw new IllegalArgumentException(
          "%s threads, must be at least 1; names kept for %s ns, must be at least 0"
              .formatted(threads, cacheNanos));
    }
  }

  /** What is right for most: files belong to their makers, names are kept for a second. */
  public static MountOptions usual(Consumer<String> log) {
    return new MountOptions("millrace", true, SECOND, Caching.DELEGATED, USUAL_THREADS, log);
  }

  /** The same, with another time for names and attributes. */
  public MountOptions withCacheNanos(long nanos) {
    return new MountOptions(source, givesOwners, nanos, caching, threads, log);
  }

  /** The same, with new files belonging to the session's user, or not. */
  public MountOptions withGivesOwners(boolean gives) {
    return new MountOptions(source, gives, cacheNanos, caching, threads, log);
  }

  /** The same, with another rule for bytes in the kernel. */
  public MountOptions withCaching(Caching other) {
    return new MountOptions(source, givesOwners, cacheNanos, other, threads, log);
  }

  /** The same, with another source. */
  public MountOptions withSource(String name) {
    return new MountOptions(name, givesOwners, cacheNanos, caching, threads, log);
  }
}
