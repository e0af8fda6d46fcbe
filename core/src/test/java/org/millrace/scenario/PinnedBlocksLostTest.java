package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.message.Acceptor;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Peer;
import org.millrace.message.Transport;
import org.millrace.message.TransportOptions;
import org.millrace.node.Node;
import org.millrace.node.NodeOptions;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.WireCodec;
import org.millrace.testing.ChildJava;
import org.millrace.testing.Eventually;
import org.millrace.wire.Address;
import org.millrace.wire.Net;

/**
 * Processes that are killed or stopped while they hold pinned blocks: the node goes on, nothing is
 * lost, and its memory comes back. And processes of another user, who get nothing at all.
 */
final class PinnedBlocksLostTest {

  private static final int BLOCK = PinHolder.BLOCK;
  private static final long PIN_NANOS = 300_000_000L;

  @TempDir private Path directory;

  private final Env env = Env.real();
  private final MemoryDisk disk = new MemoryDisk("d");
  private Transport transport;
  private Node node;
  private Acceptor acceptor;
  private Link link;

  @BeforeEach
  void start() throws IOException {
    transport = Transport.open(env, WireCodec.INSTANCE, TransportOptions.DEFAULT, Net.SOCKETS);
    assumeTrue(!transport.host().process().isEmpty(), "this system has no memory to share");
    NodeOptions options = NodeOptions.of(64L * BLOCK).withPinNanos(PIN_NANOS);
    node = new Node(env, "node 0", disk, options, transport.host());
    acceptor = transport.listen(new Address.Unix(directory.resolve("socket").toString()));
    acceptor.serve("node 0", node);
    link = Links.local(env, new Peer(1000, "test", List.of(), true), node);
    ask(new NodeRequest.Create(PinHolder.STRAND, BLOCK));
    put(0, PinHolder.ones(4 * BLOCK));
  }

  @AfterEach
  void end() throws IOException {
    link.close();
    acceptor.close();
    node.close();
    transport.close();
  }

  private Message ask(NodeRequest request) throws IOException {
    return link.call(request, MemorySegment.NULL, env.deadlineAfter(60_000_000_000L));
  }

  private void put(long offset, byte[] bytes) throws IOException {
    long key = PinHolder.STRAND.key();
    link.put(key, offset, MemorySegment.ofArray(bytes), 0, bytes.length, 60_000_000_000L);
  }

  private byte[] get(long offset, int length) throws IOException {
    byte[] bytes = new byte[length];
    long key = PinHolder.STRAND.key();
    link.get(key, offset, MemorySegment.ofArray(bytes), 0, length, 60_000_000_000L);
    return bytes;
  }

  private long counter(String name) throws IOException {
    return Objects.requireNonNull(
        ((NodeReply.Report) ask(new NodeRequest.AskReport())).counters().get(name), name);
  }

  private Jvm holder(String how) throws IOException {
    Jvm child = Jvm.start(PinHolder.class, Map.of(), socket(), how);
    child.expect("holds");
    return child;
  }

  private String socket() {
    return directory.resolve("socket").toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"read", "write"})
  void aProcessThatIsKilledGivesEverythingBack(String how) throws IOException {
    try (Jvm child = holder(how)) {
      assertThat(counter("pinnedBytes")).isEqualTo(BLOCK);
      child.kill();
      child.await();
      Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
      byte[] now = get(BLOCK, BLOCK);
      byte first = (byte) (how.equals("write") ? 9 : 1);
      for (int i = 0; i < BLOCK; i++) {
        assertThat(now[i]).isEqualTo(i < BLOCK / 2 ? first : (byte) 1);
      }
      ask(new NodeRequest.Flush(PinHolder.STRAND));
      put(BLOCK, PinHolder.ones(BLOCK));
      assertThat(get(BLOCK, BLOCK)).containsOnly(1);
    }
  }

  @Test
  void aReaderThatIsStoppedHoldsUpNobodyAndReadsWhatItPinned() throws IOException {
    try (Jvm child = holder("read")) {
      child.stop();
      Eventually.holds("its block is taken away", () -> counter("quarantinedBlocks") == 1);
      byte[] other = new byte[BLOCK];
      put(BLOCK, other);
      ask(new NodeRequest.Flush(PinHolder.STRAND));
      for (int i = 4; i < 200; i++) { // more than the cache holds
        put((long) i * BLOCK, other);
      }
      assertThat(get(BLOCK, BLOCK)).containsOnly(0);
      child.resume();
      child.send("go on");
      child.expect("accepted");
      Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
    }
  }

  @Test
  void aWriterThatIsStoppedHoldsUpNobodyAndLearnsThatItCameTooLate() throws IOException {
    try (Jvm child = holder("write")) {
      child.stop();
      Eventually.holds("its block is taken away", () -> counter("quarantinedBlocks") == 1);
      ask(new NodeRequest.Flush(PinHolder.STRAND));
      assertThat(get(BLOCK, BLOCK / 2)).containsOnly(9);
      put(BLOCK, PinHolder.ones(BLOCK));
      child.resume();
      child.send("go on");
      child.expect("refused");
      assertThat(get(BLOCK, BLOCK)).containsOnly(1);
      Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
    }
  }

  @Test
  void aStoppedProcessThatIsKilledGivesEverythingBack() throws IOException {
    try (Jvm child = holder("write")) {
      child.stop();
      Eventually.holds("its block is taken away", () -> counter("quarantinedBlocks") == 1);
      child.kill();
      Eventually.holds("its memory is given back", () -> counter("pinnedBytes") == 0);
      assertThat(counter("quarantinedBlocks")).isZero();
    }
  }

  /** Needs the superuser, who can become somebody else. */
  @Test
  void anotherUserGetsNothingByAnyWay() throws Exception {
    assumeTrue(isSuperuser(), "only the superuser can run a process as another user");
    try (Jvm child = holder("read")) {
      var slab = (NodeReply.SlabAt) ask(new NodeRequest.AskSlab(0, 1));
      String[] words = slab.name().split("/", -1);
      String descriptor = "/proc/" + words[0] + "/fd/" + words[1];
      assertThat(run(List.of("cat", descriptor))).isNotEmpty(); // the control: its own user can
      for (String path : List.of(descriptor, "/proc/" + words[0] + "/mem")) {
        assertThat(asNobody(List.of("head", "-c", "1", path))).as(path).isEmpty();
      }
      assertThat(asNobody(List.of("ls", "/proc/" + words[0] + "/fd"))).isEmpty();
      assertThat(asNobody(List.of("ls", "/proc/" + words[0] + "/map_files"))).isEmpty();
      open(directory);
      Files.setPosixFilePermissions(
          Path.of(socket()), PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(spy(slab))
          .contains("neighbour: false")
          .contains("pin: lent Pinned[pin=-1")
          .contains("slab: MillraceException")
          .doesNotContain("mapped")
          .doesNotContain("/" + words[2])
          .endsWith("end\n");
      child.send("go on");
      child.expect("accepted");
    }
  }

  private static boolean isSuperuser() throws Exception {
    return System.getProperty("user.name").equals("root")
        && new ProcessBuilder("setpriv", "--version").start().waitFor() == 0;
  }

  private static void open(Path path) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** A spy as another user, with copies of the classes that it can read. */
  private String spy(NodeReply.SlabAt slab) throws Exception {
    Path copies = Files.createDirectory(directory.resolve("classes"));
    for (Class<?> part : List.of(Transport.class, PinHolder.class)) {
      Path from = Path.of(part.getProtectionDomain().getCodeSource().getLocation().toURI());
      run(List.of("cp", "-r", from + "/org", copies.toString()));
    }
    run(List.of("chmod", "-R", "a+rX", copies.toString()));
    return asNobody(
        ChildJava.command(
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            copies.toString(),
            PinHolder.class.getName(),
            socket(),
            "read",
            slab.name(),
            Long.toString(slab.bytes())));
  }

  private static String asNobody(List<String> command) throws Exception {
    List<String> all =
        new java.util.ArrayList<>(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    all.addAll(command);
    return run(all);
  }

  /** What a command says, without its complaints. */
  private static String run(List<String> command) throws Exception {
    Process process =
        new ProcessBuilder(command)
            .directory(Path.of("/").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }
}
