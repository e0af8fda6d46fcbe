package org.millrace.heritage.mpiio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.millrace.heritage.mpiio.FileErrorsTest.assertFails;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.millrace.client.Rank;
import org.millrace.heritage.mpiio.Call.Where;
import org.millrace.heritage.mpiio.ProgramModel.Representation;

/**
 * One random program, as one of its ranks: all ranks draw the same numbers, make their own part of
 * each call and reckon all parts. Belongs to the rank's thread.
 */
final class MpiioRandomProgram {

  private static final int MEMORY_BYTES = 1 << 14;
  private static final int EPOCHS = 3;
  private static final int STEPS = 14;

  // constant after construction
  private final Rank rank;
  private final Random random;
  private final ProgramModel model;
  private final String name;

  // the rank's thread
  private RandomShape etype;
  private boolean sameViews;
  private boolean atomic;
  private String what = "";

  MpiioRandomProgram(Rank rank, long seed) {
    this.rank = rank;
    this.random = new Random(seed);
    this.name = "program" + seed;
    Representation[] all = Representation.values();
    this.model = new ProgramModel(rank.size(), all[random.nextInt(all.length)]);
    this.etype = RandomShape.basic(random, model.representation);
  }

  void run() throws IOException {
    Environment environment = new Environment();
    environment.registerDatarep(
        Representation.MARKED.word,
        MpiioRandomProgram::unmark,
        MpiioRandomProgram::mark,
        basic -> (int) basic.getSize() + 1);
    try (File file = environment.open(rank, name, Ints.CREATE, Info.NULL)) {
      for (int epoch = 0; epoch < EPOCHS; epoch++) {
        setViews(file);
        for (int i = 0; i < STEPS; i++) {
          step(file, "epoch %d, step %d: ".formatted(epoch, i));
          check(file);
        }
        assertThat(Ints.bytes(rank, name)).as(what).isEqualTo(model.bytes);
        rank.barrier();
      }
    }
  }

  /** From memory to file: a mark, and the element's bytes from the last to the first. */
  private static void mark(
      MemorySegment user, Datatype type, long items, MemorySegment file, long position) {
    long width = file.byteSize() / items;
    for (long i = 0; i < items; i++) {
      long at = type.displacement(position + i);
      file.set(ValueLayout.JAVA_BYTE, i * width, Representation.MARK);
      for (long b = 1; b < width; b++) {
        byte one = user.get(ValueLayout.JAVA_BYTE, at + width - 1 - b);
        file.set(ValueLayout.JAVA_BYTE, i * width + b, one);
      }
    }
  }

  private static void unmark(
      MemorySegment user, Datatype type, long items, MemorySegment file, long position) {
    long width = file.byteSize() / items;
    for (long i = 0; i < items; i++) {
      long at = type.displacement(position + i);
      for (long b = 1; b < width; b++) {
        byte one = file.get(ValueLayout.JAVA_BYTE, i * width + b);
        user.set(ValueLayout.JAVA_BYTE, at + width - 1 - b, one);
      }
    }
  }

  /** The same filetype on all ranks, so that they can share a pointer, or one for each. */
  private void setViews(File file) throws IOException {
    boolean portable = model.representation == Representation.MARKED;
    etype = RandomShape.basic(random, model.representation);
    sameViews = random.nextBoolean();
    RandomShape common = etype.derived(random, 2, true, portable);
    for (int r = 0; r < rank.size(); r++) {
      RandomShape own = etype.derived(random, 2, true, portable);
      RandomShape filetype = sameViews ? common : own;
      long disp = random.nextInt(40);
      model.view(r, filetype.seen(disp));
      if (r == rank.number()) {
        file.setView(disp, etype.type(), filetype.type(), model.representation.word);
      }
    }
    assertThat(file.getTypeExtent(etype.type())).isEqualTo(unit());
    assertThat(file.getByteOffset(7)).isEqualTo(model.seen[rank.number()].offset(7 * unit()));
  }

  /** Bytes of the file in an etype. */
  private long unit() {
    return etype.inFile().size();
  }

  private void step(File file, String where) throws IOException {
    switch (random.nextInt(12)) {
      case 0 -> pending(file, where);
      case 1 -> resize(file, where);
      case 2 -> seek(file, where);
      case 3 -> refused(file, where);
      case 4 -> late(file, where);
      case 5 -> {
        what = where + "atomic";
        atomic = !atomic;
        file.setAtomicity(atomic);
      }
      default -> access(file, where, anyCall());
    }
  }

  private AccessCall anyCall() {
    while (true) {
      AccessCall call = AccessCall.ALL.get(random.nextInt(AccessCall.ALL.size()));
      if (sameViews || call.where() != Where.SHARED) {
        return call;
      }
    }
  }

  /** One rank's part of an access, drawn by all ranks alike. */
  private final class Part {
    final RandomShape shape = etype.derived(random, random.nextInt(3), false, false);
    final long count = random.nextInt(4);
    final long offset = random.nextInt(30);
    final byte[] memory = new byte[MEMORY_BYTES];
    final TypeMap map = shape.memory().contiguous(count);
    byte[] expected = memory;
    long moved;

    Part() {
      random.nextBytes(memory);
    }

    /** Reckons what rank {@code r} does by it. */
    void reckon(int r, boolean write, Where where) {
      long start = model.place(r, where, offset * unit(), model.fileBytes(map));
      expected = memory.clone();
      if (write) {
        model.write(r, start, memory, map);
        moved = map.size();
      } else {
        moved = model.read(r, start, expected, map);
      }
    }

    void check(Status status) {
      assertThat(status.bytes()).as(what).isEqualTo(moved);
      assertThat(memory).as(what).isEqualTo(expected);
    }
  }

  private void access(File file, String where, AccessCall call) throws IOException {
    what = where + call;
    int actor = random.nextInt(rank.size());
    Part mine = null;
    for (int r = 0; r < rank.size(); r++) {
      Part part = new Part();
      if (call.together() || r == actor) {
        part.reckon(r, call.write(), call.where());
        mine = r == rank.number() ? part : mine;
      }
    }
    if (mine != null) {
      mine.check(call.made().by(file, mine.offset, mine.memory, mine.count, mine.shape.type()));
    }
  }

  /** Several requests of each rank at once, ended in one of the ways there are. */
  private void pending(File file, String where) throws IOException {
    boolean write = random.nextBoolean();
    int way = random.nextInt(3);
    int count = 2 + random.nextInt(4);
    int actor = random.nextInt(rank.size());
    what = where + "%d %s pending, way %d".formatted(count, write ? "writes" : "reads", way);
    List<Part> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Part part = new Part();
      part.reckon(actor, write, Where.POINTER);
      parts.add(part);
    }
    if (rank.number() != actor) {
      return;
    }
    Request[] requests = new Request[count];
    for (int i = 0; i < count; i++) {
      Part part = parts.get(i);
      requests[i] =
          write
              ? file.iWrite(part.memory, part.count, part.shape.type())
              : file.iRead(part.memory, part.count, part.shape.type());
    }
    Status[] ended = end(requests, way);
    for (int i = 0; i < count; i++) {
      parts.get(i).check(ended[i]);
    }
  }

  private Status[] end(Request[] requests, int way) throws IOException {
    Status[] ended = new Status[requests.length];
    switch (way) {
      case 0 -> {
        Request.Completion next = Request.waitAny(requests);
        while (next.index() != Status.UNDEFINED) {
          assertThat(ended[next.index()]).as(what).isNull();
          ended[next.index()] = next.status();
          next = Request.waitAny(requests);
        }
      }
      case 1 -> {
        List<Request.Completion> some = Request.waitSome(requests);
        while (!some.isEmpty()) {
          for (Request.Completion one : some) {
            ended[one.index()] = one.status();
          }
          some = Request.waitSome(requests);
        }
      }
      default -> ended = Request.waitAllStatus(requests);
    }
    return ended;
  }

  private void resize(File file, String where) throws IOException {
    int size = random.nextInt(model.bytes.length + 20);
    what = where + "setSize " + size;
    model.resize(size);
    file.setSize(size);
  }

  private void seek(File file, String where) throws IOException {
    Whence whence = List.of(Whence.values()).get(random.nextInt(3));
    boolean shared = sameViews && random.nextBoolean();
    long[] offsets = random.longs(rank.size(), 0, 20).toArray();
    what = where + "seek " + whence + (shared ? ", shared" : "");
    if (shared) {
      model.shared = target(0, whence, model.shared, offsets[0]);
      file.seekShared(offsets[0], whence);
      return;
    }
    for (int r = 0; r < rank.size(); r++) {
      model.own[r] = target(r, whence, model.own[r], offsets[r]);
    }
    file.seek(offsets[rank.number()], whence);
  }

  private long target(int r, Whence whence, long now, long offset) {
    long base =
        switch (whence) {
          case SEEK_SET -> 0;
          case SEEK_CUR -> now;
          case SEEK_END -> Math.ceilDiv(model.end(r), unit()) * unit();
        };
    return base + offset * unit();
  }

  /** One rank's count is wrong: the call fails on all, and nothing has happened. */
  private void refused(File file, String where) throws IOException {
    AccessCall call = anyCall();
    while (!call.together()) {
      call = anyCall();
    }
    AccessCall chosen = call;
    int odd = random.nextInt(rank.size());
    what = where + "wrong on rank " + odd + ": " + call;
    byte[] room = new byte[MEMORY_BYTES];
    boolean wrong = rank.number() == odd;
    assertFails(
        ErrorClass.COUNT, () -> chosen.made().by(file, 0, room, wrong ? -1 : 1, etype.type()));
    if (call.where() == Where.POINTER) { // nonblocking ones keep the place they were issued with
      file.seek(model.own[rank.number()] / unit(), Whence.SEEK_SET);
    }
  }

  /** The last rank comes to a nonblocking collective call after rank 0 has gone on. */
  private void late(File file, String where) throws IOException {
    boolean write = random.nextBoolean();
    what = where + "late, " + (write ? "write" : "read");
    int last = rank.size() - 1;
    Part mine = null;
    for (int r = 0; r < rank.size(); r++) {
      Part part = new Part();
      part.reckon(r, write, Where.OFFSET);
      mine = r == rank.number() ? part : mine;
    }
    if (mine == null) {
      throw new IllegalStateException("every rank has a part");
    }
    if (rank.number() == last && last > 0) {
      rank.receive(0, 1);
    }
    Request request =
        write
            ? file.iWriteAtAll(mine.offset, mine.memory, mine.count, mine.shape.type())
            : file.iReadAtAll(mine.offset, mine.memory, mine.count, mine.shape.type());
    if (rank.number() == 0 && last > 0) {
      rank.send(last, 1, new byte[0]);
    }
    mine.check(request.waitStatus());
  }

  private void check(File file) throws IOException {
    rank.barrier();
    assertThat(file.getSize()).as(what).isEqualTo(model.bytes.length);
    assertThat(file.getPosition() * unit()).as(what).isEqualTo(model.own[rank.number()]);
    assertThat(file.getPositionShared() * unit()).as(what).isEqualTo(model.shared);
    rank.barrier();
  }
}
