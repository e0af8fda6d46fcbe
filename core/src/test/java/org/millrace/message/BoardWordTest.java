package org.millrace.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.millrace.message.BoardWord.Fate;

/**
 * All courses of two calls of two or three ranks in one cell of a board, step by step: ranks come,
 * are the last, time out, pass by, read, leave, and die at any place. In no course does one rank
 * meet a call that another brings to the coordinator, and who has met reads what was said.
 */
final class BoardWordTest {

  private static final long[] CALLS = {3, 7}; // in the same cell

  /** How the word is changed: the way of the board, or a wrong one. */
  private enum Way {
    RIGHT,
    MEET_WITHOUT_COMPARING,
    BEGIN_BEFORE_ALL_HAVE_LEFT,
    GO_WITHOUT_PARTING
  }

  // what a rank does next; from READ on it reads the slot of rank step - READ
  private static final int OPEN = 0;
  private static final int WRITE = 1;
  private static final int COME = 2;
  private static final int DECIDE = 3;
  private static final int STORE = 4;
  private static final int WAIT = 5;
  private static final int READ = 6;
  private static final int LEAVE = 20;
  private static final int END = 30;

  // what has become of a call for a rank
  private static final int UNKNOWN = 0;
  private static final int MET = 1;
  private static final int IN_PERSON = 2;

  /** One moment. */
  private record State(long word, List<Integer> slots, List<Rank> ranks) {

    State with(int rank, Rank now) {
      return with(word, rank, now);
    }

    State with(long changed, int rank, Rank now) {
      Rank[] all = ranks.toArray(Rank[]::new);
      all[rank] = now;
      return new State(changed, slots, List.of(all));
    }

    State write(int rank, int contribution) {
      Integer[] all = slots.toArray(Integer[]::new);
      all[rank] = contribution;
      return new State(word, List.of(all), ranks);
    }
  }

  /** One rank: which call it is at, what it does next, and what came of its calls. */
  private record Rank(int call, int step, int first, int second) {

    Rank at(int next) {
      return new Rank(call, next, first, second);
    }

    Rank ended(int how) {
      return call == 0 ? new Rank(1, OPEN, how, second) : new Rank(1, END, first, how);
    }

    Rank met(int next) {
      return call == 0 ? new Rank(call, next, MET, second) : new Rank(call, next, first, MET);
    }

    Rank next() {
      return call == 0 ? new Rank(1, OPEN, first, second) : at(END);
    }

    int outcome(int of) {
      return of == 0 ? first : second;
    }
  }

  private final Set<State> seen = new HashSet<>();
  private final Deque<State> open = new ArrayDeque<>();
  private boolean broken;
  private int metByAll;

  private void explore(int ranks, Way way) {
    Integer[] empty = new Integer[ranks];
    Arrays.fill(empty, -1);
    Rank[] first = new Rank[ranks];
    Arrays.fill(first, new Rank(0, OPEN, UNKNOWN, UNKNOWN));
    add(new State(0, List.of(empty), List.of(first)));
    while (!open.isEmpty() && !broken) {
      State state = open.pop();
      check(state);
      for (int rank = 0; rank < ranks; rank++) {
        step(state, rank, way);
      }
    }
  }

  private void add(State state) {
    if (seen.add(state)) {
      open.push(state);
    }
  }

  private void check(State state) {
    for (int call = 0; call < CALLS.length; call++) {
      int of = call;
      boolean met = state.ranks.stream().anyMatch(one -> one.outcome(of) == MET);
      boolean person = state.ranks.stream().anyMatch(one -> one.outcome(of) == IN_PERSON);
      broken |= met && person;
      metByAll += state.ranks.stream().allMatch(one -> one.outcome(of) == MET) ? 1 : 0;
    }
  }

  /** All that a rank may do next; to do nothing for ever is to die. */
  private void step(State state, int r, Way way) {
    Rank rank = state.ranks.get(r);
    long call = CALLS[rank.call];
    int ranks = state.ranks.size();
    long word = state.word;
    if (rank.step >= READ && rank.step < READ + ranks) {
      broken |= state.slots.get(rank.step - READ) != rank.call;
      int next = rank.step + 1;
      add(state.with(r, rank.at(next < READ + ranks ? next : LEAVE)));
      return;
    }
    switch (rank.step) {
      case OPEN -> {
        long opened =
            way == Way.BEGIN_BEFORE_ALL_HAVE_LEFT && BoardWord.call(word) < call
                ? BoardWord.of(call, 0, Fate.OPEN)
                : BoardWord.open(word, call);
        goOrCome(state, r, opened, WRITE);
        long parted = BoardWord.part(word, call); // it passes by
        add(state.with(parted == BoardWord.NO ? word : parted, r, rank.ended(IN_PERSON)));
      }
      case WRITE -> add(state.write(r, rank.call).with(r, rank.at(COME)));
      case COME -> {
        long come = BoardWord.arrive(word, call);
        boolean last = come != BoardWord.NO && BoardWord.count(come) == ranks;
        goOrCome(state, r, come, last ? DECIDE : WAIT);
      }
      case DECIDE -> decide(state, r, way);
      case STORE -> add(state.with(BoardWord.of(call, ranks, Fate.MET), r, rank.at(WAIT)));
      case WAIT -> await(state, r, way);
      case LEAVE -> {
        long left = BoardWord.leave(word, call);
        broken |= left == BoardWord.NO;
        add(state.with(left, r, rank.next()));
      }
      default -> {}
    }
  }

  private void goOrCome(State state, int r, long changed, int next) {
    Rank rank = state.ranks.get(r);
    add(
        changed == BoardWord.NO
            ? state.with(r, rank.ended(IN_PERSON))
            : state.with(changed, r, rank.at(next)));
  }

  private void decide(State state, int r, Way way) {
    Rank rank = state.ranks.get(r);
    long call = CALLS[rank.call];
    if (way == Way.MEET_WITHOUT_COMPARING) { // looks, and sets it later
      boolean is = BoardWord.meet(state.word, call, state.ranks.size()) != BoardWord.NO;
      add(state.with(r, rank.at(is ? STORE : WAIT)));
      return;
    }
    long met = BoardWord.meet(state.word, call, state.ranks.size());
    add(state.with(met == BoardWord.NO ? state.word : met, r, rank.at(WAIT)));
    long parted = BoardWord.part(state.word, call); // they do not agree
    add(state.with(parted == BoardWord.NO ? state.word : parted, r, rank.at(WAIT)));
  }

  private void await(State state, int r, Way way) {
    Rank rank = state.ranks.get(r);
    long call = CALLS[rank.call];
    switch (BoardWord.fate(state.word, call)) {
      case MET -> add(state.with(r, rank.met(READ)));
      case APART -> add(state.with(r, rank.ended(IN_PERSON)));
      case OPEN -> { // it times out
        if (way == Way.GO_WITHOUT_PARTING) {
          add(state.with(r, rank.ended(IN_PERSON)));
        } else {
          add(state.with(BoardWord.part(state.word, call), r, rank));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void inNoCourseDoesARankMeetWhatAnotherBringsToTheCoordinator(int ranks) {
    explore(ranks, Way.RIGHT);
    assertThat(broken).isFalse();
    assertThat(metByAll).isPositive();
    assertThat(seen.size()).isGreaterThan(ranks == 2 ? 200 : 3_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"MEET_WITHOUT_COMPARING", "BEGIN_BEFORE_ALL_HAVE_LEFT", "GO_WITHOUT_PARTING"})
  void aWrongWayIsFound(String way) {
    explore(2, Way.valueOf(way));
    assertThat(broken).isTrue();
  }
}
