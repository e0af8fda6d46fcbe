package org.millrace.heritage.pfs;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.millrace.client.ClusterOptions;
import org.millrace.client.Limits;
import org.millrace.launch.Launch;
import org.millrace.launch.Launched;
import org.millrace.launch.LaunchedOptions;

/**
 * How a process that nobody launched as a rank takes part in PFSLib's applications. Immutable;
 * start from {@link #DEFAULT} or {@link #ofThisProcess}.
 *
 * @param application what the processes of one application call it alike: those of another that
 *     uses the same server at the same time must call theirs otherwise
 * @param timeoutSeconds how long a synchronizing call waits for the other clients
 * @param patienceSeconds how long {@code pfslib_init} waits for them
 * @param keys the folder with the keys for a {@code tls:} address
 */
public record PfsProcess(
    String application, double timeoutSeconds, double patienceSeconds, Optional<Path> keys) {

  /** What PFSLib let synchronizing calls wait: 24 hours. Its other calls had 25 seconds. */
  public static final double ORIGINAL_TIMEOUT_SECONDS = 24 * 3600;

  private static final double SECOND = 1e9;

  /** The application "pfslib"; ten minutes for synchronizing calls, one for the start. */
  public static final PfsProcess DEFAULT =
      new PfsProcess("pfslib", Limits.DEFAULT.meetingNanos() / SECOND, 60, Optional.empty());

  /** Checks the bounds. */
  public PfsProcess {
    if (!(timeoutSeconds > 0) || !(patienceSeconds > 0) || application.isBlank()) {
      throw new IllegalArgumentException(
          "application '%s', %s and %s s: must be a word and positive times"
              .formatted(application, timeoutSeconds, patienceSeconds));
    }
  }

  /**
   * As the environment says: MILLRACE_JOB is the application, MILLRACE_TIMEOUT and
   * MILLRACE_PATIENCE are the seconds, MILLRACE_KEYS the keys.
   */
  public static PfsProcess ofThisProcess() {
    return of(System.getenv());
  }

  static PfsProcess of(Map<String, String> environment) {
    String keys = environment.getOrDefault("MILLRACE_KEYS", "");
    return new PfsProcess(
        environment.getOrDefault("MILLRACE_JOB", DEFAULT.application),
        seconds(environment, "MILLRACE_TIMEOUT", DEFAULT.timeoutSeconds),
        seconds(environment, "MILLRACE_PATIENCE", DEFAULT.patienceSeconds),
        keys.isEmpty() ? Optional.empty() : Optional.of(Path.of(keys)));
  }

  private static double seconds(Map<String, String> environment, String name, double usual) {
    String said = environment.getOrDefault(name, "");
    try {
      return said.isEmpty() ? usual : Double.parseDouble(said);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " is '" + said + "', must be seconds", e);
    }
  }

  /** The same with another name of the application. */
  public PfsProcess withApplication(String name) {
    return new PfsProcess(name, timeoutSeconds, patienceSeconds, keys);
  }

  /** The same with another time for synchronizing calls. */
  public PfsProcess withTimeoutSeconds(double seconds) {
    return new PfsProcess(application, seconds, patienceSeconds, keys);
  }

  /** The same with another time for {@code pfslib_init}. */
  public PfsProcess withPatienceSeconds(double seconds) {
    return new PfsProcess(application, timeoutSeconds, seconds, keys);
  }

  /** Comes to the server as one of several processes; returns when all have. */
  Launched join(String pfsd, int count, int number) throws PfsException {
    if (count < 1 || number < 0 || number >= count) {
      throw new PfsException(Epfsl.EPFSLINVAL, "number " + number + " is not in 0.." + (count - 1));
    }
    ClusterOptions cluster =
        ClusterOptions.DEFAULT.withLimits(
            Limits.DEFAULT.withMeetingNanos((long) (timeoutSeconds * SECOND)));
    LaunchedOptions options =
        LaunchedOptions.DEFAULT
            .withCluster(cluster)
            .withAssembleNanos((long) (patienceSeconds * SECOND));
    try {
      return Launched.join(
          new Launch("pfslib_init", application, number, count),
          pfsd,
          keys.map(options::withKeys).orElse(options));
    } catch (IOException | RuntimeException e) {
      throw Errors.ofShared(Page.PFSLIB_INIT, e);
    }
  }
}
