package org.millrace.cli.daemons;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.locks.ReentrantLock;
import org.millrace.cli.terminal.ExitCode;
import org.millrace.daemon.Server;
import org.millrace.disk.RunFolder;

/**
 * A server as a process: it has a pid file and a log, and shuts down cleanly on a signal or a
 * message.
 *
 * <p>Used by the thread that runs it and, at the end, by the JVM's.
 */
final class Daemon {

  /** Starts a server. */
  interface Start {
    /** Starts it; what happens is told to the log. */
    Server start(DaemonLog log) throws IOException;
  }

  // constant after construction
  private final PidFile pid;
  private final DaemonLog log;
  private final ReentrantLock ending = new ReentrantLock();

  // guarded by ending
  private boolean ended;
  private boolean durable;

  private Daemon(PidFile pid, DaemonLog log) {
    this.pid = pid;
    this.log = log;
  }

  /** Runs it to its end; returns the exit code. */
  static int run(RunFolder folder, String name, PrintWriter out, Start start) throws IOException {
    PidFile pid = new PidFile(folder, name);
    try (DaemonLog log = DaemonLog.withAudit(folder, name)) {
      log.accept("starts");
      Server server;
      try {
        server = start.start(log);
      } catch (IOException | RuntimeException e) {
        log.accept("cannot start: " + e);
        throw e;
      }
      return new Daemon(pid, log).serve(server, out, name);
    }
  }

  private int serve(Server server, PrintWriter out, String name) throws IOException {
    // Not from env: the JVM itself starts it, and only wants to be given it unstarted.
    Thread hook =
        Thread.ofPlatform().name("stop").unstarted(() -> end(server, "asked by a signal"));
    Runtime.getRuntime().addShutdownHook(hook);
    writePid(); // only now: a second one that cannot start must not overwrite the first one's
    out.println(name + " is ready; end it with SIGTERM or millrace stop");
    server.awaitStopRequest();
    return end(server, "asked by a message") ? ExitCode.OK : ExitCode.FAILED;
  }

  /** Unless it was asked to end meanwhile: what is written then would stay. */
  private void writePid() throws IOException {
    ending.lock();
    try {
      if (!ended) {
        pid.write();
      }
    } finally {
      ending.unlock();
    }
  }

  /**
   * Returns whether everything is durable. The second caller waits until the first is through, and
   * is told the same. The pid file goes only if it is: what is left says that it may not be.
   */
  private boolean end(Server server, String why) {
    ending.lock();
    try {
      if (ended) {
        return durable;
      }
      ended = true;
      log.accept("ends: " + why);
      server.close();
      log.accept("ended, everything is durable");
      pid.delete();
      durable = true;
      return true;
    } catch (IOException | RuntimeException e) {
      log.accept("ended, but not all is durable: " + e);
      return false;
    } finally {
      ending.unlock();
    }
  }
}
