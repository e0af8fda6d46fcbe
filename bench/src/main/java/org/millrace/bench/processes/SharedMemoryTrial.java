package org.millrace.bench.processes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.millrace.bench.measure.ChildJvm;
import org.millrace.output.Columns;

/**
 * What each way for processes of one host to talk costs: round trips of small messages, and
 * payloads that one process has and others ask for. Run by hand as {@code java ...
 * SharedMemoryTrial [milliseconds]}; the numbers behind decision 0016.
 *
 * <p>One process answers, up to 16 ask. Rates are of all askers together, as ratios to the
 * Unix-domain socket in the same run; "processors" is how many were busy, of both sides.
 */
public final class SharedMemoryTrial {

  private static final Columns COLUMNS =
      new Columns(
              "way", ">bytes", ">clients", ">per second", ">microseconds", ">ratio", ">processors")
          .withWidths(14, 7, 7, 12);

  private static final int ROUNDS = 4;

  /** What a client may need to connect and map, before the window opens. */
  private static final long START_NANOS = 3_000_000;

  private static final List<Integer> SMALL = List.of(1, 64);
  private static final List<Integer> LARGE = List.of(64 << 10, 1 << 20);
  private static final List<Integer> CLIENTS = List.of(1, 4, 16);

  private static final List<TrialWay> SMALL_WAYS =
      List.of(
          TrialWay.UNIX,
          TrialWay.TCP,
          TrialWay.RING_LOOKING,
          TrialWay.RING_SLEEPING,
          TrialWay.RING);

  private static final List<TrialWay> LARGE_WAYS =
      List.of(TrialWay.UNIX, TrialWay.TCP, TrialWay.RING, TrialWay.NAMED, TrialWay.NAMED_COPIED);

  private final List<Client> clients = new ArrayList<>();
  private final long milliseconds;

  private SharedMemoryTrial(long milliseconds) {
    this.milliseconds = milliseconds;
  }

  /** Runs all; the argument is how long each measurement takes, in milliseconds. */
  public static void main(String[] arguments) throws IOException {
    long milliseconds = arguments.length == 0 ? 150 : Long.parseLong(arguments[0]);
    Path folder = Files.createTempDirectory("millrace-trial");
    Path socket = folder.resolve("s");
    try (TrialServer server = new TrialServer(socket)) {
      new SharedMemoryTrial(milliseconds).run(socket, server.port());
    } finally {
      Files.deleteIfExists(socket);
      Files.delete(folder);
    }
  }

  private void run(Path socket, int port) throws IOException {
    try {
      System.out.println(COLUMNS.heading());
      for (int count : CLIENTS) {
        while (clients.size() < count) {
          clients.add(Client.start(socket, port));
        }
        for (int bytes : SMALL) {
          compare(SMALL_WAYS, bytes, count);
        }
        for (int bytes : LARGE) {
          compare(LARGE_WAYS, bytes, count);
        }
      }
    } finally {
      for (Client client : clients) {
        client.close();
      }
    }
  }

  /**
   * All ways in turn, several times, and of each the best time: what disturbs them is not theirs.
   */
  private void compare(List<TrialWay> ways, int bytes, int count) throws IOException {
    Map<TrialWay, Rate> best = new EnumMap<>(TrialWay.class);
    for (int round = 0; round < ROUNDS; round++) {
      for (TrialWay way : ways) {
        best.merge(way, measure(way, bytes, count), Rate::better);
      }
    }
    Rate limit = requireNonNull(best.get(TrialWay.UNIX));
    best.forEach(
        (way, rate) ->
            System.out.println(
                COLUMNS.line(
                    way,
                    bytes,
                    count,
                    number(rate.perSecond, 0),
                    number(1e6 * count / rate.perSecond, 2),
                    number(rate.perSecond / limit.perSecond, 2),
                    number(rate.processors, 2))));
  }

  private static String number(double number, int decimals) {
    return String.format(Locale.ROOT, "%." + decimals + "f", number);
  }

  /**
   * All clients count within the same window of time, on the clock that processes of one host
   * share; else those that are late would have the processors to themselves.
   */
  private Rate measure(TrialWay way, int bytes, int count) throws IOException {
    long from = System.nanoTime() + milliseconds * 500_000 + count * START_NANOS;
    long to = from + milliseconds * 1_000_000;
    for (Client client : clients.subList(0, count)) {
      client.order(way + " " + bytes + " " + from + " " + to);
    }
    sleepUntil(from);
    long cpu = -TrialClient.cpuNanos();
    sleepUntil(to);
    cpu += TrialClient.cpuNanos();
    long trips = 0;
    for (Client client : clients.subList(0, count)) {
      String[] words = client.answer().split(" ", -1);
      trips += Long.parseLong(words[0]);
      cpu += Long.parseLong(words[1]);
    }
    double nanos = milliseconds * 1e6;
    return new Rate(trips / nanos * 1e9, cpu / nanos);
  }

  private static void sleepUntil(long instant) {
    while (instant - System.nanoTime() > 0) {
      LockSupport.parkNanos(instant - System.nanoTime());
    }
  }

  private record Rate(double perSecond, double processors) {

    Rate better(Rate other) {
      return perSecond >= other.perSecond ? this : other;
    }
  }

  /** A process that asks. */
  private record Client(Process process, BufferedWriter orders, BufferedReader answers) {

    static Client start(Path socket, int port) throws IOException {
      List<String> line = new ArrayList<>(ChildJvm.java());
      line.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC"));
      line.addAll(List.of("-cp", System.getProperty("java.class.path")));
      line.addAll(List.of(TrialClient.class.getName(), socket.toString(), Integer.toString(port)));
      Process process =
          new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      return new Client(
          process,
          new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), UTF_8)),
          new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)));
    }

    void order(String line) throws IOException {
      orders.write(line);
      orders.newLine();
      orders.flush();
    }

    String answer() throws IOException {
      String line = answers.readLine();
      if (line == null) {
        throw new IOException("a client ended");
      }
      return line;
    }

    /** Without orders it ends by itself, and removes its files. */
    void close() throws IOException {
      orders.close();
    }
  }
}
