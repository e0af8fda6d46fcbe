package org.millrace.heritage.pfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.pfs.Pfs.O_APPEND;
import static org.millrace.heritage.pfs.Pfs.O_CREAT;
import static org.millrace.heritage.pfs.Pfs.O_RDWR;

import com.google.errorprone.annotations.FormatMethod;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.client.Rank;
import org.millrace.heritage.testing.Programs;
import org.millrace.testing.Seeds;

/**
 * Random programs of PFS against a model in one process. All ranks draw the same program from the
 * seed and know from the model what each call must return; operations stay pending across calls,
 * seeks and changes of mode, some ranks come late, and in the end every byte is compared.
 *
 * <p>What the report leaves open is not drawn: before an access, operations of other clients that
 * touch the same bytes are waited for, and so are those that would move an end which the mode does
 * not tell its clients.
 */
final class PfsRandomProgramsTest {

  private static final int STEPS = 60;
  private static final int MAX_PENDING = 18;

  @TempDir private Path directory;

  @Test
  void everyModeDoesWhatOneProcessWould() throws IOException {
    for (long seed : Seeds.of(12)) {
      Random random = new Random(seed);
      int ranks = 1 + random.nextInt(4);
      int nodes = 1 + random.nextInt(3);
      try {
        Programs.run(directory.resolve("" + seed), ranks, nodes, rank -> new Run(rank, seed).run());
      } catch (IOException | RuntimeException | AssertionError e) {
        throw new AssertionError(Seeds.replay(seed) + ": " + e.getMessage(), e);
      }
    }
  }

  /** An operation that is not waited for yet; all ranks know of all. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Pending(
      int client, boolean write, int start, int count, long id, byte[] buffer, byte[] expected) {

    boolean touches(int from, int length, boolean writes) {
      return (write || writes) && start < from + length && from < start + count;
    }
  }

  /** One rank's part of a program. */
  private static final class Run {

    private final Rank rank;
    private final Random random; // the same on all ranks
    private final Pfs pfs;
    private final PfsModel model;
    private final List<Pending> pending = new ArrayList<>();
    private final List<String> told = new ArrayList<>();
    private int fd = -1;
    private int next = 1;

    Run(Rank rank, long seed) throws IOException {
      this.rank = rank;
      this.random = new Random(seed ^ 0x5bd1e995);
      this.pfs = Pfs.pfslib_init(rank);
      this.model = new PfsModel(rank.size());
    }

    private boolean isMe(int client) {
      return client == rank.number();
    }

    private int anyClient() {
      return random.nextInt(rank.size());
    }

    @FormatMethod
    private void tell(String format, Object... values) {
      told.add(format.formatted(values));
    }

    private void same(Object is, Object wanted) {
      assertThat(is).as("rank %d: %s", rank.number(), String.join("; ", told)).isEqualTo(wanted);
    }

    void run() throws IOException {
      try {
        open();
        for (int step = 0; step < STEPS; step++) {
          step();
          same(pfs._iomode(fd), (long) List.of(IoMode.values()).indexOf(model.mode()));
        }
        end();
      } catch (PfsException e) {
        throw new AssertionError(
            "rank %d: %s: %s".formatted(rank.number(), String.join("; ", told), e.getMessage()), e);
      }
    }

    private void open() throws IOException {
      boolean append = random.nextInt(3) == 0;
      int flags = O_RDWR | O_CREAT | (append ? O_APPEND : 0);
      IoMode mode = List.of(IoMode.values()).get(random.nextInt(6));
      boolean alone = random.nextInt(3) == 0;
      tell("%s %s%s", alone ? "open" : "gopen", mode, append ? " append" : "");
      fd = alone ? pfs.open("pfs.file", flags, 0644) : pfs.gopen("pfs.file", flags, mode, 0644);
      same(fd >= 0, true);
      model.open(alone ? IoMode.M_UNIX : mode, append);
      rank.barrier();
    }

    private void step() throws IOException {
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> access(true);
        case 3, 4 -> access(false);
        case 5 -> seek();
        case 6 -> size();
        case 7 -> endOfFile();
        case 8, 9 -> setMode();
        case 10 -> awaitSome();
        default -> {
          if (random.nextInt(4) == 0) {
            closeAndOpen();
          } else {
            awaitSome();
          }
        }
      }
    }

    /** Some ranks come late, by work that goes through Millrace. */
    private void late() throws IOException {
      int who = random.nextInt(2 * rank.size());
      int calls = random.nextInt(40);
      for (int i = 0; isMe(who) && i < calls; i++) {
        rank.names().list("");
      }
    }

    private byte[] piece(int length) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        bytes[i] = (byte) next;
        next = next % 120 + 1;
      }
      return bytes;
    }

    private int length() {
      return switch (random.nextInt(8)) {
        case 0 -> 0;
        case 1 -> 20_000 + random.nextInt(60_000);
        default -> random.nextInt(200);
      };
    }

    private void access(boolean write) throws IOException {
      if (pending.size() > MAX_PENDING - rank.size()) {
        awaitSome();
      }
      switch (model.mode()) {
        case M_SYNC, M_GLOBAL -> together(write);
        case M_RECORD -> {
          int length = length();
          if (random.nextInt(4) == 0) {
            alone(write, anyClient(), length);
          } else {
            records(write, length);
          }
        }
        default -> alone(write, anyClient(), length());
      }
    }

    /** One client acts; the others have seen all that came before. */
    private void alone(boolean write, int client, int length) throws IOException {
      boolean async = random.nextInt(2) == 0;
      settleFor(write, client, place(write, client, length), length);
      byte[] bytes = write ? piece(length) : new byte[length];
      PfsModel.Moved moved = write ? model.write(client, bytes) : model.read(client, length);
      tell(
          "%d %s%s %d at %d",
          client, async ? "i" : "c", write ? "write" : "read", length, moved.start());
      moved(write, async, client, bytes, moved);
      rank.barrier();
    }

    private int place(boolean write, int client, int length) {
      if (model.mode() == IoMode.M_RECORD) {
        // an append is behind this client's own records only, which may lie on those of others
        return write ? model.recordAt(client, length) : model.pointer(client) + client * length;
      }
      return write && model.appends() ? model.size() : model.pointer(client);
    }

    /**
     * Whether records of two clients would lie at the same bytes, because their pointers differ.
     */
    private boolean meet(int length) {
      for (int a = 0; a < rank.size(); a++) {
        for (int b = 0; b < a; b++) {
          if (Math.abs(model.recordAt(a, length) - model.recordAt(b, length)) < length) {
            return true;
          }
        }
      }
      return false;
    }

    /** All clients read or write a record each, in no order. */
    private void records(boolean write, int length) throws IOException {
      boolean async = random.nextInt(2) == 0;
      if (write && meet(length)) {
        return; // whose bytes stay is open
      }
      for (int client = 0; client < rank.size(); client++) {
        settleFor(write, client, place(write, client, length), length);
      }
      late();
      tell("all %s%s %d", async ? "i" : "c", write ? "write" : "read", length);
      List<PfsModel.Moved> all = new ArrayList<>();
      List<byte[]> buffers = new ArrayList<>();
      for (int client = 0; client < rank.size(); client++) {
        byte[] bytes = write ? piece(length) : new byte[length];
        buffers.add(bytes);
        all.add(write ? model.write(client, bytes) : model.read(client, length));
      }
      for (int client = 0; client < rank.size(); client++) {
        moved(write, async, client, buffers.get(client), all.get(client));
      }
      rank.barrier();
    }

    /** All clients act together; some by blocking calls, some by others. */
    private void together(boolean write) throws IOException {
      boolean global = model.mode() == IoMode.M_GLOBAL;
      int[] lengths = new int[rank.size()];
      int sum = 0;
      for (int client = 0; client < rank.size(); client++) {
        lengths[client] = global && client > 0 ? lengths[0] : length();
        sum += lengths[client];
      }
      int begin = write && model.appends() ? model.size() : model.pointer(0);
      awaitThose(one -> one.touches(begin, global ? lengths[0] : lengthOf(lengths), write));
      late();
      List<byte[]> buffers = new ArrayList<>();
      byte[] first = global && write ? piece(lengths[0]) : new byte[0];
      for (int length : lengths) {
        buffers.add(write ? global ? first : piece(length) : new byte[length]);
      }
      List<PfsModel.Moved> all = write ? model.writeTogether(buffers) : model.readTogether(lengths);
      tell("together %s %d of %d at %d", write ? "write" : "read", sum, rank.size(), begin);
      for (int client = 0; client < rank.size(); client++) {
        moved(write, random.nextInt(2) == 0, client, buffers.get(client), all.get(client));
      }
    }

    private static int lengthOf(int[] lengths) {
      int sum = 0;
      for (int length : lengths) {
        sum += length;
      }
      return sum;
    }

    /** Makes a call, if it is this rank's, and notes it. */
    private void moved(boolean write, boolean async, int client, byte[] bytes, PfsModel.Moved moved)
        throws IOException {
      byte[] expected = write ? bytes : moved.bytes();
      if (!async) {
        if (isMe(client)) {
          long count =
              write ? pfs._cwrite(fd, bytes, bytes.length) : pfs._cread(fd, bytes, bytes.length);
          same(count, (long) moved.count());
          same(Arrays.copyOf(bytes, moved.count()), expected);
        }
        return;
      }
      long id = -1;
      if (isMe(client)) {
        id = write ? pfs.iwrite(fd, bytes, bytes.length) : pfs.iread(fd, bytes, bytes.length);
      }
      pending.add(new Pending(client, write, moved.start(), moved.count(), id, bytes, expected));
    }

    private interface Which {
      boolean is(Pending one);
    }

    /** Waits for operations, each on its rank, before any rank goes on. */
    private void awaitThose(Which which) throws IOException {
      boolean any = false;
      for (Pending one : List.copyOf(pending)) {
        if (which.is(one)) {
          any = true;
          pending.remove(one);
          if (isMe(one.client)) {
            pfs.iowait(one.id);
            same(Arrays.copyOf(one.buffer, one.expected.length), one.expected);
          }
        }
      }
      if (any) {
        tell("waited");
        rank.barrier();
      }
    }

    private void awaitSome() throws IOException {
      int seen = random.nextInt(3);
      int[] count = {0};
      awaitThose(_ -> count[0]++ % 3 <= seen);
    }

    /** Settles what other clients have under way and one client's call would depend on. */
    private void settleFor(boolean write, int client, int start, int length) throws IOException {
      awaitThose(one -> one.client != client && one.touches(start, length, write));
      if (!write) {
        int settled = 0;
        for (Pending one : pending) {
          settled = one.write && one.client != client ? 1 : settled;
        }
        if (settled == 1) { // how much there is to read only its own clients know
          awaitThose(one -> one.write && one.client != client);
        }
      }
    }

    private void seek() throws IOException {
      int whence = random.nextInt(3);
      int offset = random.nextInt(300);
      boolean together = model.mode().mode().seekSynchronizes();
      int client = anyClient();
      if (whence == Pfs.SEEK_END && !together && !model.appends()) {
        awaitThose(one -> one.write && one.client != client);
      }
      if (whence != Pfs.SEEK_SET && random.nextBoolean()) {
        offset = -Math.min(offset, whence == Pfs.SEEK_END ? model.size() : model.pointer(client));
      }
      tell("%s lseek %d %d", together ? "all" : "" + client, offset, whence);
      late();
      if (together && whence == Pfs.SEEK_CUR && !model.clientsAgree()) {
        same(pfs.lseek(fd, 0, whence), -1L);
        same(pfs.errno(), Epfsl.EPFSLMIXIO);
        return;
      }
      int base =
          switch (whence) {
            case Pfs.SEEK_SET -> 0;
            case Pfs.SEEK_CUR -> model.pointer(client);
            default -> model.size();
          };
      for (int each = 0; each < rank.size(); each++) {
        if (together || each == client) {
          model.seek(each, base + offset);
        }
      }
      if (together || isMe(client)) {
        same(pfs.lseek(fd, offset, whence), (long) base + offset);
      }
      rank.barrier();
    }

    private void size() throws IOException {
      int whence = random.nextInt(3);
      int offset = random.nextInt(200) - 50;
      int client = anyClient();
      awaitThose(one -> one.write && one.client != client);
      if (model.mode().mode().transferSynchronizes()) {
        awaitThose(_ -> true);
      }
      int base =
          switch (whence) {
            case Pfs.SIZE_SET -> 0;
            case Pfs.SIZE_CUR -> model.pointer(client);
            default -> model.size();
          };
      model.grow(base + offset);
      tell("%d lsize %d %d", client, offset, whence);
      if (isMe(client)) {
        same(pfs.lsize(fd, offset, whence), (long) model.size());
      }
      rank.barrier();
    }

    private void endOfFile() throws IOException {
      int client = anyClient();
      awaitThose(one -> one.write && one.client != client);
      tell("%d iseof", client);
      if (isMe(client)) {
        same(pfs.iseof(fd), model.pointer(client) >= model.size() ? 1L : 0L);
      }
      rank.barrier();
    }

    private void setMode() throws IOException {
      IoMode mode = List.of(IoMode.values()).get(random.nextInt(6));
      tell("setiomode %s", mode);
      late();
      pfs.setiomode(fd, mode);
      model.setMode(mode);
    }

    private void closeAndOpen() throws IOException {
      tell("close");
      late();
      same(pfs.close(fd), 0);
      rank.barrier();
      open();
    }

    private void end() throws IOException {
      awaitThose(_ -> true);
      same(pfs.close(fd), 0);
      rank.barrier();
      int all = pfs.gopen("pfs.file", Pfs.O_RDONLY, IoMode.M_UNIX, 0);
      byte[] content = new byte[model.size() + 1];
      same(pfs._cread(all, content, content.length), (long) model.size());
      same(Arrays.copyOf(content, model.size()), model.content());
      same(pfs.close(all), 0);
      pfs.close();
    }
  }
}
