package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.millrace.heritage.pfs.Expect.NEW;
import static org.millrace.heritage.pfs.Expect.failed;
import static org.millrace.heritage.pfs.Expect.fails;
import static org.millrace.heritage.pfs.Expect.filled;
import static org.millrace.heritage.pfs.Pfs.SEEK_SET;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Limits;
import org.millrace.cluster.ClusterLocation;
import org.millrace.daemon.Server;
import org.millrace.daemon.ServerOptions;
import org.millrace.heritage.testing.InOneJvm;

/** Processes that nobody launched together meet at pfsd by their numbers. */
@InOneJvm("each thread is a process that connects by itself")
final class PfsProcessesTest {

  @TempDir private Path directory;
  @TempDir private Path programs;

  private interface Client {
    void run(int number) throws IOException;
  }

  /** Runs as many clients as threads, each of which connects by itself. */
  private void run(int clients, Client client) throws Exception {
    try (Server _ = Server.coordinator(directory, 1, ServerOptions.DEFAULT, _ -> {});
        Server _ =
            Server.node(
                directory, 0, new ClusterLocation.In(directory), ServerOptions.DEFAULT, _ -> {})) {
      List<CompletableFuture<Void>> all = new ArrayList<>();
      for (int number = 0; number < clients; number++) {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        all.add(ended);
        int mine = number;
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    client.run(mine);
                    ended.complete(null);
                  } catch (IOException | RuntimeException | Error e) {
                    ended.completeExceptionally(e);
                  }
                });
      }
      for (CompletableFuture<Void> one : all) {
        one.get();
      }
    }
  }

  @Test
  void independentProcessesMeetAtPfsd() throws Exception {
    run(
        2,
        number -> {
          try (Pfs pfs = Pfs.pfslib_init(directory.toString(), 2, number, PfsProcess.DEFAULT)) {
            int fd = pfs.gopen("pfs.x", NEW, IoMode.M_SYNC, 0644);
            pfs.cwrite(fd, filled(3, 1 + number), 3);
            pfs.lseek(fd, 0, SEEK_SET);
            pfs.setiomode(fd, IoMode.M_GLOBAL);
            byte[] all = new byte[6];
            pfs.cread(fd, all, 6);
            assertThat(all).containsExactly(1, 1, 1, 2, 2, 2);
            assertThat(pfs.close(fd)).isZero();
          }
        });
  }

  /** Takes the program from the page about PFS, and compiles and runs it as that says. */
  @Test
  void theProgramOfThePageWritesOneLineOfEachProcessInTheirOrder() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "heritage", "pfs.md"));
    String begin = "```java\n";
    int from = page.indexOf(begin) + begin.length();
    Path source = programs.resolve("Log.java");
    Files.writeString(source, page.substring(from, page.indexOf("```", from)));
    String[] words = {
      "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", "" + programs, "" + source
    };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(compiler.run(null, null, null, words)).isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {programs.toUri().toURL()})) {
      Method main = loader.loadClass("Log").getDeclaredMethod("main", String[].class);
      main.setAccessible(true);
      run(
          3,
          number -> {
            String[] arguments = {directory.toString(), "3", "" + number};
            try {
              main.invoke(null, (Object) arguments);
            } catch (ReflectiveOperationException e) {
              throw new IllegalStateException(e);
            }
            if (number > 0) {
              return;
            }
            PfsProcess alone = PfsProcess.DEFAULT.withApplication("reader");
            try (Pfs pfs = Pfs.pfslib_init(directory.toString(), 1, 0, alone)) {
              byte[] log = new byte[100];
              int fd = pfs.gopen("pfs.log", Pfs.O_RDONLY, IoMode.M_UNIX, 0);
              long bytes = pfs._cread(fd, log, log.length);
              assertThat(new String(log, 0, (int) bytes, StandardCharsets.UTF_8))
                  .isEqualTo("process 0\nprocess 1\nprocess 2\n");
              assertThat(pfs.close(fd)).isZero();
            }
          });
    }
  }

  @Test
  void applicationsOfDifferentNamesDoNotMeet() throws Exception {
    run(
        2,
        number -> {
          PfsProcess options =
              PfsProcess.DEFAULT.withApplication("application " + number).withPatienceSeconds(1);
          fails(
              Epfsl.EPFSLREMOTE,
              () -> Pfs.pfslib_init(directory.toString(), 2, number, options).close());
        });
  }

  @Test
  void oneThatDoesNotComeAndNumbersThatCannotBeAreErrors() throws Exception {
    run(
        1,
        _ -> {
          PfsProcess impatient = PfsProcess.DEFAULT.withPatienceSeconds(0.2);
          fails(
              Epfsl.EPFSLREMOTE,
              () -> Pfs.pfslib_init(directory.toString(), 2, 0, impatient).close());
          fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(directory.toString(), 2, 2).close());
          fails(Epfsl.EPFSLINVAL, () -> Pfs.pfslib_init(directory.toString(), 0, 0).close());
        });
  }

  @Test
  void theTimeOutOfSynchronizingCallsIsAnOption() throws Exception {
    CompletableFuture<Boolean> over = new CompletableFuture<>();
    run(
        2,
        number -> {
          PfsProcess options = PfsProcess.DEFAULT.withTimeoutSeconds(0.3);
          try (Pfs pfs = Pfs.pfslib_init(directory.toString(), 2, number, options)) {
            int fd = pfs.gopen("pfs.x", NEW, IoMode.M_UNIX, 0644);
            if (number == 0) { // client 1 does not come
              failed(pfs, pfs._setiomode(fd, IoMode.M_LOG), Epfsl.EPFSLREMOTE);
              over.complete(true);
            } else {
              over.join();
            }
            assertThat(pfs.close(fd)).isZero();
          }
        });
  }

  @Test
  void theEnvironmentSaysHowAProcessTakesPart() {
    PfsProcess usual = PfsProcess.of(Map.of());
    assertThat(usual).isEqualTo(PfsProcess.DEFAULT);
    assertThat(usual.timeoutSeconds()).isEqualTo(600);
    assertThat(Limits.DEFAULT.operationNanos()).isEqualTo(60_000_000_000L); // of other calls
    PfsProcess said =
        PfsProcess.of(
            Map.of(
                "MILLRACE_JOB", "mine",
                "MILLRACE_TIMEOUT", "86400",
                "MILLRACE_PATIENCE", "5",
                "MILLRACE_KEYS", "keys"));
    assertThat(said.application()).isEqualTo("mine");
    assertThat(said.timeoutSeconds()).isEqualTo(PfsProcess.ORIGINAL_TIMEOUT_SECONDS);
    assertThat(said.patienceSeconds()).isEqualTo(5);
    assertThat(said.keys()).contains(Path.of("keys"));
    assertThatThrownBy(() -> PfsProcess.of(Map.of("MILLRACE_TIMEOUT", "soon")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PfsProcess.DEFAULT.withTimeoutSeconds(0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
