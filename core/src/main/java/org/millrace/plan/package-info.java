/**
 * How accesses of all ranks together are carried out.
 *
 * <p>In a collective access the ranks may want many small pieces all over a file. There are five
 * {@linkplain org.millrace.plan.Strategy strategies} to turn them into a few large transfers, and
 * Millrace takes the cheapest by its cost model. {@link org.millrace.plan.Hints} name a strategy
 * instead, and set buffers, aggregators and striping. A {@link org.millrace.plan.StrategyChoice}
 * says before anything moves which strategy is taken, with an {@link org.millrace.plan.Estimate} of
 * each.
 *
 * {@snippet :
 * import java.io.IOException;
 * import org.millrace.Millrace;
 * import org.millrace.client.OpenOptions;
 * import org.millrace.plan.Hints;
 * import org.millrace.plan.Strategy;
 *
 * public final class Chosen {
 *   public static void main(String[] args) throws IOException {
 *     Millrace.run(rank -> {
 *       try (var file = rank.open("file", OpenOptions.create())) {
 *         file.setHints(Hints.DEFAULT.withStrategy(Strategy.TWO_PHASE));
 *         var choice = file.at(1000L * rank.number()).all().planWrite(1000);
 *         if (rank.number() == 0) {
 *           System.out.println(choice.strategy()); // prints TWO_PHASE
 *           System.out.println(choice.taken().nanos() > 0); // prints true
 *         }
 *       }
 *     });
 *   }
 * }
 * }
 *
 * <p>Pure values: nothing here does I/O. The planner itself is not part of the API; {@code
 * docs/collective.md} explains it.
 */
@NullMarked
package org.millrace.plan;

import org.jspecify.annotations.NullMarked;
