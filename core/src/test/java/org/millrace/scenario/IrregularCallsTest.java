package org.millrace.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.millrace.access.Pattern;
import org.millrace.access.View;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.client.Program;
import org.millrace.client.SharedFile;
import org.millrace.cluster.RunningCluster;
import org.millrace.disk.Disk;
import org.millrace.disk.MemoryDisk;
import org.millrace.env.SeededEnv;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;
import org.millrace.message.Encoder;
import org.millrace.message.Endpoint;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Peer;
import org.millrace.message.ReplyTo;
import org.millrace.plan.Hints;
import org.millrace.plan.Strategy;
import org.millrace.plan.collective.Costs;
import org.millrace.protocol.CoordinatorReply;
import org.millrace.protocol.RankRequest;
import org.millrace.protocol.WireCodec;
import org.millrace.testing.WatchedTopology;

/**
 * Collective calls of many ranks that want irregular parts of a file: bytes are right, nobody hears
 * what all want, and an aggregator hears its partners.
 */
final class IrregularCallsTest {

  /** More than are told what all want. */
  private static final int MANY = 400;

  private static final int SLOT = 16;
  private static final int SLOTS = 3;

  /** Slots of the file, dealt to the ranks at random; some are nobody's. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares deals
  private record Deal(int ranks, int[][] slots, int fileSlots) {

    static Deal of(int ranks, long seed, boolean overlapping) {
      Random random = new Random(seed);
      int all = ranks * (SLOTS + 1);
      List<Integer> order = new ArrayList<>();
      for (int i = 0; i < all; i++) {
        order.add(i);
      }
      Collections.shuffle(order, random);
      int[][] slots = new int[ranks][];
      for (int rank = 0; rank < ranks; rank++) {
        int mine = rank == 5 ? 0 : 1 + random.nextInt(SLOTS); // one wants nothing
        TreeSet<Integer> own = new TreeSet<>(order.subList(rank * SLOTS, rank * SLOTS + mine));
        if (overlapping && mine > 0) {
          own.add(order.get(random.nextInt(all)));
        }
        slots[rank] = own.stream().mapToInt(Integer::intValue).toArray();
      }
      return new Deal(ranks, slots, all);
    }

    View view(int rank) {
      long[] offsets = Arrays.stream(slots[rank]).mapToLong(slot -> (long) slot * SLOT).toArray();
      long[] lengths = new long[offsets.length];
      Arrays.fill(lengths, SLOT);
      return offsets.length == 0
          ? View.EMPTY
          : new View(0, Pattern.indexed(offsets, lengths), (long) fileSlots * SLOT);
    }

    byte[] written(int rank) {
      byte[] bytes = new byte[slots[rank].length * SLOT];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = (byte) (1 + rank + 7 * i);
      }
      return bytes;
    }

    /** What the file holds when all have written, the higher rank last. */
    byte[] file() {
      byte[] file = new byte[fileSlots * SLOT];
      for (int rank = 0; rank < ranks; rank++) {
        byte[] mine = written(rank);
        for (int i = 0; i < slots[rank].length; i++) {
          System.arraycopy(mine, i * SLOT, file, slots[rank][i] * SLOT, SLOT);
        }
      }
      return file;
    }

    byte[] read(int rank, byte[] file) {
      byte[] mine = new byte[slots[rank].length * SLOT];
      for (int i = 0; i < slots[rank].length; i++) {
        System.arraycopy(file, slots[rank][i] * SLOT, mine, i * SLOT, SLOT);
      }
      return mine;
    }
  }

  /** Bytes that each session heard, of answers to what it asked and of what others told it. */
  private static final class Heard {
    final Map<Long, Long> answers = new HashMap<>();
    long wants;
    long most;
    int digests;
    int exchanges;

    WatchedTopology topology(SeededEnv env, WatchedTopology.Watch watch) {
      return new WatchedTopology(env, behind -> new Hearing(behind, watch));
    }

    private final class Hearing extends WatchedTopology.Passing {
      private final WatchedTopology.Watch watch;

      Hearing(Endpoint behind, WatchedTopology.Watch watch) {
        super(behind);
        this.watch = watch;
      }

      @Override
      public void onRequest(Peer from, Message request, Payload payload, ReplyTo to) {
        try {
          watch.request(from, request);
        } catch (MillraceException e) {
          to.fail(e);
          return;
        }
        wants += request instanceof RankRequest.Want ? 1 : 0;
        super.onRequest(
            from,
            request,
            payload,
            new ReplyTo() {
              @Override
              public void reply(Message reply) {
                hear(from.session(), reply);
                to.reply(reply);
              }

              @Override
              public void fail(MillraceException error) {
                to.fail(error);
              }
            });
      }
    }

    private void hear(long session, Message reply) {
      if (reply instanceof CoordinatorReply.Digested
          || reply instanceof CoordinatorReply.Exchanged) {
        Encoder bytes = new Encoder();
        WireCodec.INSTANCE.encode(reply, bytes);
        most = Math.max(most, answers.merge(session, (long) bytes.size(), Long::sum));
        digests += reply instanceof CoordinatorReply.Digested ? 1 : 0;
        exchanges += reply instanceof CoordinatorReply.Exchanged ? 1 : 0;
      }
    }
  }

  private static Heard run(int ranks, WatchedTopology.Watch watch, Program program) {
    SeededEnv env = SeededEnv.of(1);
    Heard heard = new Heard();
    env.run(
        () -> {
          List<Disk> disks = List.of(new MemoryDisk("a"), new MemoryDisk("b"), new MemoryDisk("c"));
          try (RunningCluster cluster =
              RunningCluster.over(
                  heard.topology(env, watch),
                  new MemoryDisk("names"),
                  disks,
                  BadInputs.options(),
                  Costs.DEFAULT)) {
            cluster.run(ranks, program);
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    return heard;
  }

  private static Hints hints(Strategy strategy) {
    return Hints.DEFAULT.withStrategy(strategy).withBufferBytes(1 << 10);
  }

  private static OpenOptions options() {
    return OpenOptions.create().withStripeUnit(256);
  }

  /** Writes together, reads back alone and together, and compares with what must be there. */
  private static Heard writeAndRead(Deal deal, Strategy strategy) {
    byte[] right = deal.file();
    return run(
        deal.ranks,
        (_, _) -> {},
        rank -> {
          try (SharedFile file = rank.open("f", options())) {
            file.setHints(hints(strategy));
            file.setView(deal.view(rank.number()));
            byte[] mine = deal.written(rank.number());
            assertThat(file.at(0).all().write(Memory.of(mine))).isEqualTo(mine.length);
            byte[] got = new byte[mine.length];
            assertThat(file.at(0).all().read(Memory.of(got))).isEqualTo(got.length);
            assertThat(got).isEqualTo(deal.read(rank.number(), right));
            file.setView(View.WHOLE);
            if (rank.number() == 0) {
              byte[] all = new byte[right.length];
              long there = file.at(0).read(Memory.of(all));
              assertThat(all).isEqualTo(right);
              assertThat(there).isGreaterThan(right.length - 40L * SLOT);
            }
            file.closeAll();
          }
        });
  }

  @Test
  void everyStrategyMovesTheRightBytes() {
    for (Strategy strategy : Strategy.values()) {
      Heard heard = writeAndRead(Deal.of(MANY, 7, false), strategy);
      assertThat(heard.exchanges).as("%s", strategy).isZero();
      assertThat(heard.digests).isEqualTo(2 * MANY);
    }
  }

  @Test
  void whereRanksOverlapTheHigherWins() {
    for (Strategy strategy : Strategy.values()) {
      writeAndRead(Deal.of(MANY, 8, true), strategy);
    }
  }

  @Test
  void whatARankHearsDoesNotGrowWithTheRanks() {
    for (Strategy strategy : List.of(Strategy.SIEVED, Strategy.TWO_PHASE)) {
      long few = writeAndRead(Deal.of(MANY, 7, false), strategy).most;
      long twice = writeAndRead(Deal.of(2 * MANY, 7, false), strategy).most;
      assertThat(twice).isLessThan(few + few / 10);
      // control: so few that each is told what all want
      long told = writeAndRead(Deal.of(64, 7, false), strategy).most;
      long toldTwice = writeAndRead(Deal.of(128, 7, false), strategy).most;
      assertThat(toldTwice).isGreaterThan(told + told / 2);
    }
  }

  @Test
  void aggregatorsHearTheirPartnersOnly() {
    long few = writeAndRead(Deal.of(MANY, 7, false), Strategy.TWO_PHASE).wants;
    long twice = writeAndRead(Deal.of(2 * MANY, 7, false), Strategy.TWO_PHASE).wants;
    assertThat(few).isGreaterThan(MANY).isLessThan(2L * SLOTS * MANY);
    assertThat(twice).isLessThan(2 * few + few / 5);
    assertThat(writeAndRead(Deal.of(MANY, 7, false), Strategy.SIEVED).wants).isZero();
  }

  @Test
  void readsEndWhereTheFileEnds() {
    Deal deal = Deal.of(MANY, 9, false);
    int half = deal.fileSlots / 2 * SLOT + SLOT / 2;
    byte[] right = Arrays.copyOf(deal.file(), half);
    for (Strategy strategy : Strategy.values()) {
      run(
          deal.ranks,
          (_, _) -> {},
          rank -> {
            try (SharedFile file = rank.open("f", options())) {
              if (rank.number() == 3) {
                file.at(0).write(Memory.of(right));
              }
              rank.barrier();
              file.setHints(hints(strategy));
              file.setView(deal.view(rank.number()));
              byte[] got = new byte[deal.slots[rank.number()].length * SLOT];
              Arrays.fill(got, (byte) -1);
              int there = (int) file.at(0).all().read(Memory.of(got));
              byte[] whole = deal.read(rank.number(), Arrays.copyOf(right, right.length * 2));
              byte[] expected = new byte[got.length];
              Arrays.fill(expected, (byte) -1);
              System.arraycopy(whole, 0, expected, 0, there);
              int before = 0;
              for (int slot : deal.slots[rank.number()]) {
                before += Math.clamp(half - (long) slot * SLOT, 0, SLOT);
              }
              assertThat(there).as("%s", strategy).isEqualTo(before);
              assertThat(got).isEqualTo(expected);
              file.closeAll();
            }
          });
    }
  }

  @Test
  void anAggregatorThatHearsNothingFailsTheCallOnAllRanks() {
    Deal deal = Deal.of(MANY, 7, false);
    int[] failed = new int[1];
    boolean[] broken = {true};
    run(
        deal.ranks,
        (_, request) -> {
          if (broken[0] && request instanceof RankRequest.Want want && want.rank() == 9) {
            throw new MillraceException(ErrorCode.NODE, "rank 9 is not heard");
          }
        },
        rank -> {
          try (SharedFile file = rank.open("f", options())) {
            file.setHints(hints(Strategy.TWO_PHASE));
            file.setView(deal.view(rank.number()));
            byte[] mine = deal.written(rank.number());
            Throwable thrown = catchThrowable(() -> file.at(0).all().write(Memory.of(mine)));
            assertThat(thrown)
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("rank 9 is not heard");
            failed[0]++;
            rank.barrier();
            broken[0] = false;
            rank.barrier();
            assertThat(file.at(0).all().write(Memory.of(mine)))
                .isEqualTo(mine.length); // and the next goes on
            file.closeAll();
          }
        });
    assertThat(failed[0]).isEqualTo(MANY);
  }
}
