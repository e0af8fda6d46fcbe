package org.millrace.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.millrace.access.Access;
import org.millrace.access.Geometry;

/**
 * The meeting requests of consecutive ranks of a group, combined by one of them, without
 * repetitions. Immutable.
 *
 * @param first the lowest of the ranks; there are as many as values
 * @param call as in {@link CoordinatorRequest.Meet}; they agree on it, as on the next two
 * @param argument what they agree on
 * @param detail what they agree on
 * @param values what each contributes, by rank
 * @param effect what happens; of an exchange all that can be said for all of them at once, and no
 *     access
 * @param accesses what each wants, by rank, if the effect is an exchange; else empty
 * @param failure the failure of the lowest rank whose part failed
 * @param failedRank that rank; any if there is no failure
 */
public record GatheredParts(
    int first,
    String call,
    long argument,
    String detail,
    @ByRank List<Long> values,
    Effect effect,
    List<Access> accesses,
    Failure failure,
    int failedRank) {

  /** What one rank brings. */
  public static GatheredParts of(CoordinatorRequest.Meet meet) {
    boolean exchanges = meet.effect() instanceof Effect.Exchange;
    return new GatheredParts(
        meet.rank(),
        meet.call(),
        meet.argument(),
        meet.detail(),
        List.of(meet.value()),
        meet.effect() instanceof Effect.Exchange own ? with(own, Access.NOTHING) : meet.effect(),
        exchanges ? List.of(((Effect.Exchange) meet.effect()).access()) : List.of(),
        meet.failure(),
        meet.rank());
  }

  /** Whether ranks can gather for this: all are answered alike, and nothing of theirs ends. */
  public static boolean mayGather(Effect effect) {
    return switch (effect) {
      case Effect.None _, Effect.Take _, Effect.Set _, Effect.Exchange _ -> true;
      case Effect.Open _, Effect.Close _, Effect.Split _ -> false;
    };
  }

  /** One beyond the highest of the ranks. */
  public int end() {
    return first + values.size();
  }

  /** Whether its lists are as long as they say, and it is of a kind that ranks gather for. */
  public boolean isSound() {
    return first >= 0
        && !values.isEmpty()
        && end() > first
        && mayGather(effect)
        && accesses.size() == (effect instanceof Effect.Exchange ? values.size() : 0)
        && (failure.code() == null || failedRank >= first && failedRank < end());
  }

  /** What all of them bring, each beginning where the one before ends; empty if they disagree. */
  public static Optional<GatheredParts> join(List<GatheredParts> inOrder) {
    GatheredParts lead = inOrder.getFirst();
    List<Long> values = new ArrayList<>();
    List<Access> accesses = new ArrayList<>();
    Effect effect = lead.effect;
    Failure failure = Failure.NONE;
    int failedRank = lead.first;
    for (GatheredParts one : inOrder) {
      if (!one.agrees(lead)) {
        return Optional.empty();
      }
      effect =
          one == lead ? effect : both(effect, wants(accesses), one.effect, wants(one.accesses));
      values.addAll(one.values);
      accesses.addAll(one.accesses);
      if (failure.code() == null && one.failure.code() != null) {
        failure = one.failure;
        failedRank = one.failedRank;
      }
    }
    return Optional.of(
        new GatheredParts(
            lead.first,
            lead.call,
            lead.argument,
            lead.detail,
            values,
            effect,
            accesses,
            failure,
            failedRank));
  }

  private boolean agrees(GatheredParts other) {
    return argument == other.argument
        && call.equals(other.call)
        && detail.equals(other.detail)
        && effect.agrees(other.effect);
  }

  private static boolean wants(List<Access> accesses) {
    return accesses.stream().anyMatch(access -> !access.isEmpty());
  }

  /** What two that agree say together; {@code aWants} and {@code bWants}: in an exchange. */
  private static Effect both(Effect a, boolean aWants, Effect b, boolean bWants) {
    if (a instanceof Effect.Take x && b instanceof Effect.Take y) {
      return new Effect.Take(
          x.pointer(),
          x.once(),
          Math.max(x.floor(), y.floor()),
          Math.max(x.limit(), y.limit()),
          x.follower());
    }
    if (a instanceof Effect.Exchange x && b instanceof Effect.Exchange y) {
      return new Effect.Exchange(
          Access.NOTHING,
          x.reachable() && y.reachable(),
          x.remote() || y.remote(),
          x.reach().and(y.reach()),
          Math.max(x.size(), y.size()),
          commonArray(x.array(), aWants, y.array(), bWants));
    }
    return a;
  }

  /**
   * The array that all ranks with an access name alike, as {@link CoordinatorReply.Exchanged} has
   * it.
   */
  private static Optional<Geometry> commonArray(
      Optional<Geometry> a, boolean aWants, Optional<Geometry> b, boolean bWants) {
    if (!aWants || !bWants) {
      return aWants ? a : b;
    }
    return a.equals(b) ? a : Optional.empty();
  }

  /** What one of the ranks said, as far as others need to know it. */
  public CoordinatorRequest.Meet of(int rank, long group, long channel, long sequence) {
    int at = rank - first;
    return new CoordinatorRequest.Meet(
        group,
        rank,
        channel,
        sequence,
        call,
        argument,
        detail,
        values.get(at),
        effect instanceof Effect.Exchange all ? with(all, accesses.get(at)) : effect,
        rank == failedRank ? failure : Failure.NONE,
        false);
  }

  private static Effect.Exchange with(Effect.Exchange exchange, Access access) {
    return new Effect.Exchange(
        access,
        exchange.reachable(),
        exchange.remote(),
        exchange.reach(),
        exchange.size(),
        exchange.array());
  }
}
