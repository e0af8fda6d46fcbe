package org.millrace.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.millrace.access.Access;
import org.millrace.access.View;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.Env;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.layout.Layout;
import org.millrace.message.Endpoint;
import org.millrace.message.Link;
import org.millrace.message.Links;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.protocol.Asking;
import org.millrace.protocol.Capabilities;
import org.millrace.protocol.Capability;
import org.millrace.protocol.CollectiveId;
import org.millrace.protocol.Holder;
import org.millrace.protocol.NodeReply;
import org.millrace.protocol.NodeRequest;
import org.millrace.protocol.Revocation;
import org.millrace.protocol.StrandId;
import org.millrace.protocol.StrandStatus;
import org.millrace.wire.Secret;

final class GuardTest {

  private static final Env ENV = Env.real();
  private static final Secret SECRET = new Secret(new byte[Secret.BYTES]);
  private static final long HOUR_MILLIS = 3_600_000;
  private static final StrandId STRAND = new StrandId(7, 0);
  private static final Layout LAYOUT = Layout.striped(1 << 20, 1);
  private static final Access ACCESS = new Access(View.WHOLE, 0, 4);

  private final AtomicInteger shutdowns = new AtomicInteger();
  private Node node;
  private Guard guard;
  private Link ada;
  private Link bob;
  private Link root;

  @BeforeEach
  void start() {
    node = new Node(ENV, "node 0", new MemoryDisk("d"), NodeOptions.of(1 << 20));
    guard = new Guard(ENV, "node 0", node, SECRET, "root", shutdowns::incrementAndGet);
    ada = link(1, "ada");
    bob = link(2, "bob");
    root = link(3, "root");
  }

  private Link link(long session, String user) {
    return Links.local(ENV, new Peer(session, user), guard);
  }

  @AfterEach
  void stop() throws IOException {
    node.close();
  }

  private static Capability capability(boolean read, boolean write, String user, long forMillis) {
    return Capabilities.seal(SECRET, 7, 3, read, write, user, ENV.wallMillis() + forMillis);
  }

  private static Message ask(Link link, NodeRequest request) throws IOException {
    return link.call(request, MemorySegment.ofArray(new byte[4]), Env.NEVER);
  }

  private static void present(Link link, Capability capability) throws IOException {
    assertThat(ask(link, new NodeRequest.Present(capability, Holder.NONE)))
        .isEqualTo(new NodeReply.Done());
  }

  private static long get(Link link, StrandId strand) throws IOException {
    return link.get(strand.key(), 0, MemorySegment.ofArray(new byte[4]), 0, 4, Env.NEVER);
  }

  private static void put(Link link) throws IOException {
    link.put(STRAND.key(), 0, MemorySegment.ofArray(new byte[] {1, 2, 3}), 0, 3, Env.NEVER);
  }

  private static void refused(ThrowingCallable call, String... words) {
    MillraceException e = catchThrowableOfType(MillraceException.class, call);
    assertThat(e).as("refusal").isNotNull();
    assertThat(e.code()).as(e.getMessage()).isEqualTo(ErrorCode.NOT_PERMITTED);
    assertThat(e.getMessage()).contains(words);
  }

  @Test
  void reportsTellWhatEachSessionHasMovedUntilItIsGone() throws IOException {
    present(ada, capability(true, true, "ada", HOUR_MILLIS));
    ask(ada, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    put(ada);
    get(ada, STRAND);
    ask(ada, new NodeRequest.Gather(STRAND, LAYOUT, ACCESS));
    var report = (NodeReply.Report) ask(bob, new NodeRequest.AskReport());
    assertThat(report.counters())
        .containsEntry("session.ada/1.bytes", 3L + 3 + 4)
        .containsEntry("session.ada/1.operations", 4L)
        .doesNotContainKey("session.bob/2.bytes");
    ada.close();
    report = (NodeReply.Report) ask(bob, new NodeRequest.AskReport());
    assertThat(report.counters()).doesNotContainKey("session.ada/1.bytes");
  }

  @Test
  void capabilitiesAreCheckedOnTheCoordinatorsDateAndNotOnTheNodesOwn() throws IOException {
    guard.onTime(ENV.wallMillis() - 13 * HOUR_MILLIS); // this node's clock is 13 h ahead
    present(ada, capability(true, true, "ada", -12 * HOUR_MILLIS));
    put(ada);
    assertThat(get(ada, STRAND)).isEqualTo(3);
    guard.onTime(ENV.wallMillis() - 11 * HOUR_MILLIS);
    refused(() -> put(ada), "expired");
    var report = (NodeReply.Report) ask(root, new NodeRequest.AskReport());
    assertThat(report.counters()).containsEntry("trouble.expired", 1L);
    assertThat(report.counters().get("clockAheadMillis"))
        .isBetween(10 * HOUR_MILLIS, 12 * HOUR_MILLIS);
  }

  @Test
  void sizesAreToldToWhoShowsTheRightToAskAboutJustTheseFiles() throws IOException {
    present(ada, capability(true, true, "ada", HOUR_MILLIS));
    put(ada);
    long until = ENV.wallMillis() + HOUR_MILLIS;
    List<Long> files = List.of(5L, 7L);
    Asking right = Capabilities.seal(SECRET, "bob", until, files);
    List<StrandId> strands = List.of(STRAND, new StrandId(5, 0));
    var answer = (NodeReply.Statuses) ask(bob, new NodeRequest.AskStatuses(right, files, strands));
    assertThat(answer.strands()).extracting(StrandStatus::end).containsExactly(3L, 0L);
    refused(() -> get(bob, STRAND), "no capability");
    refused(
        () -> ask(bob, new NodeRequest.AskStatuses(Asking.NONE, List.of(), strands)),
        "no capability");
    refused(
        () -> ask(bob, new NodeRequest.AskStatuses(right, List.of(5L, 7L, 8L), strands)),
        "not sealed");
    refused(
        () -> ask(bob, new NodeRequest.AskStatuses(right, files, List.of(new StrandId(8, 0)))),
        "no capability");
    Link eve = link(9, "eve");
    refused(() -> ask(eve, new NodeRequest.AskStatuses(right, files, strands)), "user bob's");
    Asking old = Capabilities.seal(SECRET, "bob", ENV.wallMillis() - 1, files);
    refused(() -> ask(bob, new NodeRequest.AskStatuses(old, files, strands)), "expired");
    ask(ada, new NodeRequest.AskStatuses(Asking.NONE, List.of(), List.of(STRAND)));
    ask(root, new NodeRequest.AskStatuses(Asking.NONE, List.of(), strands));
  }

  @Test
  void refusalsAreCountedAndToldToTheAuditLog() throws IOException {
    List<String> audit = new ArrayList<>();
    guard.tellRefusals(audit::add);
    refused(() -> get(bob, STRAND), "no capability");
    refused(() -> ask(bob, new NodeRequest.Shutdown()), "may not");
    var report = (NodeReply.Report) ask(root, new NodeRequest.AskReport());
    assertThat(report.counters())
        .containsEntry("trouble.refused", 2L)
        .containsKey("trouble.refused.agoMillis");
    assertThat(audit).hasSize(1); // the other one within the same second is counted only
    assertThat(audit.getFirst()).startsWith("audit: node 0 refuses file 7 to user bob");
  }

  private static List<NodeRequest> reading() {
    return List.of(
        new NodeRequest.Gather(STRAND, LAYOUT, ACCESS),
        new NodeRequest.Preload(STRAND, 0),
        new NodeRequest.NextData(STRAND, 0),
        new NodeRequest.Sum(STRAND, 0, 1, 1),
        direct(false));
  }

  private static List<NodeRequest> writing() {
    return List.of(
        new NodeRequest.Scatter(STRAND, LAYOUT, ACCESS, false),
        new NodeRequest.Extend(STRAND, 10),
        new NodeRequest.Preallocate(STRAND, 10),
        new NodeRequest.Resize(STRAND, 3),
        direct(true));
  }

  private static List<NodeRequest> either() {
    return List.of(
        new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES),
        new NodeRequest.Size(STRAND),
        new NodeRequest.Flush(STRAND),
        new NodeRequest.WithdrawDirect(STRAND, new CollectiveId(1, 1, 9)));
  }

  private static NodeRequest direct(boolean write) {
    return new NodeRequest.Direct(
        STRAND, new CollectiveId(1, 1, write ? 2 : 0), write, 0, 1, 0, 0, 1, 1, LAYOUT, ACCESS);
  }

  @Test
  void nothingOfAFileIsOpenWithoutACapability() {
    for (List<NodeRequest> all : List.of(reading(), writing(), either())) {
      for (NodeRequest request : all) {
        refused(() -> ask(ada, request), "node 0", "file 7", "ada", "no capability");
      }
    }
    refused(() -> ask(ada, new NodeRequest.Remove(STRAND)), "root may");
    refused(() -> get(ada, STRAND), "file 7");
    refused(() -> put(ada), "file 7");
  }

  @Test
  void aReaderReadsAndAWriterWrites() throws IOException {
    present(ada, capability(true, true, "ada", HOUR_MILLIS));
    for (List<NodeRequest> all : List.of(either(), writing(), reading())) {
      for (NodeRequest request : all) {
        ask(ada, request);
      }
    }
    put(ada);
    present(bob, capability(true, false, "bob", HOUR_MILLIS));
    for (NodeRequest request : either()) {
      ask(bob, request);
    }
    for (NodeRequest request : reading()) {
      ask(bob, request);
    }
    assertThat(get(bob, STRAND)).isEqualTo(4);
    for (NodeRequest request : writing()) {
      refused(() -> ask(bob, request), "file 7", "not for writing");
    }
    refused(() -> put(bob), "not for writing");
    Link writer = link(4, "ada");
    present(writer, capability(false, true, "ada", HOUR_MILLIS));
    refused(() -> get(writer, STRAND), "not for reading");
    refused(() -> ask(writer, reading().getFirst()), "not for reading");
    ask(writer, new NodeRequest.Size(STRAND));
    put(writer);
    refused(() -> ask(writer, new NodeRequest.Remove(STRAND)), "ada", "root may");
    ask(writer, new NodeRequest.Size(STRAND));
  }

  @Test
  void aCapabilityIsForOneFileAndOneUserAndOneSession() throws IOException {
    Capability good = capability(true, true, "ada", HOUR_MILLIS);
    refused(() -> present(bob, good), "user ada's");
    refused(() -> present(link(9, ""), capability(true, true, "", HOUR_MILLIS)), "user");
    present(ada, good);
    ask(ada, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    refused(() -> get(ada, new StrandId(8, 0)), "file 8");
    refused(() -> get(bob, STRAND), "no capability");
    refused(() -> get(link(5, "ada"), STRAND), "no capability");
    assertThat(get(ada, STRAND)).isZero();
  }

  @Test
  void forgedCapabilitiesAreRefused() {
    Capability good = capability(true, false, "ada", HOUR_MILLIS);
    refused(
        () ->
            present(
                ada, new Capability(7, 3, true, true, "ada", good.expiresMillis(), good.seal())),
        "seal");
    refused(() -> present(ada, Capability.NONE), "seal");
    refused(() -> get(ada, STRAND), "no capability");
  }

  @Test
  void whatHasExpiredIsRefusedWithThatWordUntilItIsRenewed() {
    SeededEnv env = SeededEnv.of(1);
    Guard early = new Guard(env, "node 0", new Willing(), SECRET, "root", () -> {});
    Peer peer = new Peer(1, "ada");
    Link link = Links.local(env, peer, early);
    env.run(
        () -> {
          try {
            long now = env.wallMillis();
            refused(() -> present(link, until(now)), "expired");
            present(link, until(now + 30));
            env.sleep(29_000_000);
            put(link);
            env.sleep(1_000_000);
            refused(
                () -> ask(link, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES)),
                "expired");
            refused(() -> get(link, STRAND), "expired");
            refused(() -> put(link), "expired");
            present(link, until(now + 60));
            put(link);
          } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
          }
        });
  }

  private static Capability until(long millis) {
    return Capabilities.seal(SECRET, 7, 3, true, true, "ada", millis);
  }

  /** Does whatever it is asked. */
  private static final class Willing implements Endpoint {
    final AtomicInteger hints = new AtomicInteger();

    @Override
    public void onRequest(Peer from, Message request, Payload payload, ReplyTo replyTo) {
      replyTo.reply(new NodeReply.Done());
    }

    @Override
    public long onGet(Peer p, long key, long offset, MemorySegment into, long at, long n) {
      return n;
    }

    @Override
    public void onPut(Peer p, long key, long offset, MemorySegment source, long at, long n) {}

    @Override
    public void onHint(Peer from, long key, long offset, long length) {
      hints.incrementAndGet();
    }
  }

  @Test
  void opensForReadingAndForWritingAddUp() throws IOException {
    present(ada, capability(true, true, "ada", HOUR_MILLIS));
    present(ada, capability(true, false, "ada", HOUR_MILLIS));
    ask(ada, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    put(ada);
    assertThat(get(ada, STRAND)).isEqualTo(3);
  }

  @Test
  void theSuperuserAdministratesAndOthersDoNot() throws IOException {
    refused(() -> ask(ada, new NodeRequest.SetCacheBytes(1 << 20)), "root may");
    refused(() -> ask(ada, new NodeRequest.Shutdown()), "root may");
    assertThat(shutdowns).hasValue(0);
    ask(root, new NodeRequest.SetCacheBytes(1 << 20));
    ask(root, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    refused(() -> get(root, STRAND), "no capability");
    ask(root, new NodeRequest.Remove(STRAND));
    assertThat(ask(root, new NodeRequest.Shutdown())).isEqualTo(new NodeReply.Done());
    assertThat(shutdowns).hasValue(1);
    assertThat(ask(bob, new NodeRequest.AskReport())).isInstanceOf(NodeReply.Report.class);
  }

  @Test
  void whatIsRevokedEndsForAllAndIsNotTakenAgain() throws IOException {
    long until = ENV.wallMillis() + HOUR_MILLIS;
    Capability first = Capabilities.seal(SECRET, 7, 1, true, true, "ada", until);
    Capability second = Capabilities.seal(SECRET, 7, 2, true, false, "ada", until);
    Capability others = Capabilities.seal(SECRET, 7, 1, true, false, "bob", until);
    present(ada, first);
    present(ada, second);
    present(bob, others);
    ask(ada, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    put(ada);
    guard.revoke(List.of(new Revocation(1, until), new Revocation(99, until)));
    refused(() -> put(ada), "not for writing");
    assertThat(get(ada, STRAND)).as("by the other open").isEqualTo(3);
    refused(() -> get(bob, STRAND), "taken back");
    refused(() -> present(ada, first), "reset");
    guard.revoke(List.of(new Revocation(2, until)));
    refused(() -> get(ada, STRAND), "taken back");
    present(ada, Capabilities.seal(SECRET, 7, 3, true, true, "ada", until));
    put(ada);
  }

  @Test
  void whatASessionShowedEndsWithIt() throws IOException {
    present(ada, capability(true, true, "ada", HOUR_MILLIS));
    ask(ada, new NodeRequest.Create(STRAND, Layout.DEFAULT_BLOCK_BYTES));
    ada.close();
    refused(() -> get(link(1, "ada"), STRAND), "no capability");
  }

  @Test
  void aSessionShowsABoundedNumberOfFilesAndTheOneThatEndsFirstGoes() throws IOException {
    Guard small = new Guard(ENV, "node 0", node, SECRET, "root", () -> {}, 3);
    Link link = Links.local(ENV, new Peer(1, "ada"), small);
    long now = ENV.wallMillis();
    for (int file = 1; file <= 4; file++) {
      long expires = now + (file == 2 ? 1 : 2) * HOUR_MILLIS;
      present(link, Capabilities.seal(SECRET, file, 3, true, true, "ada", expires));
    }
    for (long file : new long[] {1, 3, 4}) {
      ask(link, new NodeRequest.Create(new StrandId(file, 0), Layout.DEFAULT_BLOCK_BYTES));
    }
    refused(
        () -> ask(link, new NodeRequest.Create(new StrandId(2, 0), Layout.DEFAULT_BLOCK_BYTES)),
        "no capability");
  }

  @Test
  void hintsWithoutTheRightAreIgnored() throws IOException {
    Willing willing = new Willing();
    Guard before = new Guard(ENV, "node 0", willing, SECRET, "root", () -> {});
    Link link = Links.local(ENV, new Peer(1, "ada"), before);
    link.hint(STRAND.key(), 0, 10);
    assertThat(willing.hints).hasValue(0);
    present(link, capability(true, false, "ada", HOUR_MILLIS));
    link.hint(STRAND.key(), 0, 10);
    link.hint(STRAND.key() + (1 << 16), 0, 10);
    assertThat(willing.hints).hasValue(1);
  }

  @Test
  void checkingAGetAllocatesNothing() throws IOException {
    Guard before = new Guard(ENV, "node 0", new Willing(), SECRET, "root", () -> {});
    Peer peer = new Peer(1, "ada");
    present(Links.local(ENV, peer, before), capability(true, false, "ada", HOUR_MILLIS));
    MemorySegment into = MemorySegment.ofArray(new byte[4]);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = 0;
    for (int round = 0; round < 20; round++) {
      long start = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 10_000; i++) {
        before.onGet(peer, STRAND.key(), 0, into, 0, 4);
      }
      allocated = threads.getCurrentThreadAllocatedBytes() - start;
    }
    assertThat(allocated).as("bytes for 10000 gets").isLessThan(10_000);
  }
}
