package org.millrace.cli.campaign;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.millrace.client.OpenOptions;
import org.millrace.client.Rank;
import org.millrace.client.SharedFile;
import org.millrace.client.Transaction;

/**
 * Writers that each keep to places of their own in files that all share, and know what was
 * acknowledged to them: bytes by a flush, pairs of sectors by a transaction, names by the answer.
 *
 * <pre>
 *   small   units of 2 KiB, dealt to the writers in turn: neighbours share blocks
 *   large   192 KiB for each writer, over several stripe units
 *   left, right   a sector for each writer, always the same in both
 *   names-W       a directory for each writer
 * </pre>
 *
 * <p>The models belong to the writers while these run, one by one, then to the campaign's thread.
 */
final class Workload {

  private static final int UNIT = 4;
  private static final int UNITS = 48;
  private static final int LARGE = 384;
  private static final int MOST_AT_ONCE = 128;

  /** The files, by number. */
  private enum Area {
    SMALL(0),
    LARGE(1),
    LEFT(2),
    RIGHT(3);

    private final int number; // in the stamps of its sectors

    Area(int number) {
      this.number = number;
    }

    String path() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  // constant after construction
  private final int writers;
  private final Map<Area, SectorModel[]> sectors = new EnumMap<>(Area.class);
  private final List<NamesModel> names = new ArrayList<>();
  private final AtomicLong sequence = new AtomicLong();
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong changes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();

  // set by the campaign's thread, read by the writers
  private volatile boolean disturbed;
  private volatile boolean over;

  Workload(int writers) {
    this.writers = writers;
    for (Area area : Area.values()) {
      int count = area == Area.SMALL ? UNITS * UNIT : area == Area.LARGE ? LARGE : 1;
      sectors.put(
          area,
          Stream.generate(SectorModel::new)
              .limit((long) count * writers)
              .toArray(SectorModel[]::new));
    }
    for (int w = 0; w < writers; w++) {
      names.add(new NamesModel("names-" + w));
    }
  }

  private SectorModel[] of(Area area) {
    return Objects.requireNonNull(sectors.get(area), "every area has sectors");
  }

  /** Flushes and transactions that were acknowledged. */
  long acknowledged() {
    return acknowledged.get();
  }

  /** Changes of names that were acknowledged. */
  long changes() {
    return changes.get();
  }

  /** Writers that an error has ended. */
  long failures() {
    return failures.get();
  }

  /** Makes the files and directories. */
  void begin(Rank rank) throws IOException {
    for (Area area : Area.values()) {
      rank.open(area.path(), OpenOptions.create()).close();
    }
    for (NamesModel one : names) {
      one.begin(rank);
    }
  }

  /** From now on errors are expected. */
  void disturb() {
    disturbed = true;
  }

  boolean isDisturbed() {
    return disturbed;
  }

  /** Lets the writers end by themselves. */
  void end() {
    over = true;
  }

  /** Before the writers start again. */
  void renew() {
    disturbed = false;
    over = false;
  }

  /**
   * One writer, until it gets an error or is told to end.
   *
   * @return what is wrong; null if nothing is, or the error was to be expected
   */
  @Nullable String write(Rank rank, int writer, long seed) {
    return writeUntil(rank, writer, seed, () -> over);
  }

  /** As {@link #write}, told by something else when to end. */
  @Nullable String writeUntil(Rank rank, int writer, long seed, BooleanSupplier isOver) {
    try (Arena arena = Arena.ofConfined()) {
      Rank alone = rank.alone();
      new Writer(alone, writer, new SplittableRandom(seed), arena).run(isOver);
      return null;
    } catch (IOException e) {
      failures.incrementAndGet();
      return disturbed ? null : "writer " + writer + " failed, and nobody had disturbed it: " + e;
    } catch (RuntimeException e) {
      return "writer " + writer + " broke: " + e;
    }
  }

  /** Goes through everything; returns what is wrong, and takes what is there as given. */
  List<String> check(Rank rank) throws IOException {
    List<String> findings = new ArrayList<>();
    for (Area area : Area.values()) {
      check(rank, area, findings);
    }
    SectorModel[] left = of(Area.LEFT);
    for (int w = 0; w < writers; w++) {
      if (!left[w].toString().equals(of(Area.RIGHT)[w].toString())) {
        findings.add("a transaction of writer " + w + " has happened in one of two files");
      }
    }
    for (NamesModel one : names) {
      one.check(rank, findings);
    }
    return findings;
  }

  private void check(Rank rank, Area area, List<String> findings) throws IOException {
    SectorModel[] models = of(area);
    try (Arena arena = Arena.ofConfined();
        SharedFile file = rank.open(area.path(), OpenOptions.readWrite())) {
      MemorySegment all = arena.allocate((long) models.length * Sector.BYTES);
      file.at(0).read(all);
      for (int s = 0; s < models.length; s++) {
        long found = Sector.read(all, (long) s * Sector.BYTES, area.number, s);
        if (!models[s].mayHold(found)) {
          findings.add(
              "%s: sector %s holds %s, must hold %s"
                  .formatted(
                      area.path(),
                      s,
                      found == Sector.WRONG ? "what nobody wrote" : "" + found,
                      models[s]));
        }
        models[s].found(found);
      }
    }
  }

  /** Used by one rank's thread. */
  private final class Writer {

    private final Rank rank;
    private final int number;
    private final RandomGenerator random;
    private final MemorySegment memory;

    Writer(Rank rank, int number, RandomGenerator random, Arena arena) {
      this.rank = rank;
      this.number = number;
      this.random = random;
      this.memory = arena.allocate((long) MOST_AT_ONCE * Sector.BYTES);
    }

    void run(BooleanSupplier isOver) throws IOException {
      try (SharedFile small = open(Area.SMALL);
          SharedFile large = open(Area.LARGE);
          SharedFile left = open(Area.LEFT);
          SharedFile right = open(Area.RIGHT)) {
        while (!isOver.getAsBoolean()) {
          step(small, large, left, right);
        }
      }
    }

    private SharedFile open(Area area) throws IOException {
      return rank.open(area.path(), OpenOptions.readWrite());
    }

    private void step(SharedFile small, SharedFile large, SharedFile left, SharedFile right)
        throws IOException {
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3, 4 -> {
          int unit = random.nextInt(UNITS) * writers + number;
          int from = random.nextInt(UNIT);
          int count = 1 + random.nextInt(UNIT - from);
          write(small, Area.SMALL, (long) unit * UNIT + from, count);
        }
        case 5, 6 -> {
          int from = random.nextInt(LARGE - MOST_AT_ONCE);
          write(large, Area.LARGE, (long) number * LARGE + from, 1 + random.nextInt(MOST_AT_ONCE));
        }
        case 7, 8 -> flush(small, Area.SMALL);
        case 9 -> flush(large, Area.LARGE);
        case 10 -> transact(left, right);
        default -> {
          names.get(number).change(rank, random);
          changes.incrementAndGet();
        }
      }
    }

    private void write(SharedFile file, Area area, long first, int count) throws IOException {
      long now = sequence.incrementAndGet();
      for (int i = 0; i < count; i++) {
        Sector.stamp(memory, (long) i * Sector.BYTES, area.number, first + i, now);
        of(area)[(int) first + i].written(now);
      }
      file.at(first * Sector.BYTES).write(memory.asSlice(0, (long) count * Sector.BYTES));
    }

    private void flush(SharedFile file, Area area) throws IOException {
      file.flush();
      SectorModel[] all = of(area);
      boolean some = false;
      for (int s = 0; s < all.length; s++) {
        if (isOwn(area, s)) {
          some |= all[s].acknowledged();
        }
      }
      acknowledged.addAndGet(some ? 1 : 0);
    }

    private boolean isOwn(Area area, int sector) {
      return (area == Area.SMALL ? sector / UNIT % writers : sector / LARGE) == number;
    }

    private void transact(SharedFile left, SharedFile right) throws IOException {
      long now = sequence.incrementAndGet();
      try (Transaction transaction = rank.begin()) {
        put(left, Area.LEFT, now, transaction);
        put(right, Area.RIGHT, now, transaction);
        transaction.commit();
      }
      of(Area.LEFT)[number].acknowledged();
      of(Area.RIGHT)[number].acknowledged();
      acknowledged.incrementAndGet();
    }

    private void put(SharedFile file, Area area, long now, Transaction transaction)
        throws IOException {
      Sector.stamp(memory, 0, area.number, number, now);
      of(area)[number].written(now);
      file.at((long) number * Sector.BYTES).in(transaction).write(memory.asSlice(0, Sector.BYTES));
    }
  }
}
