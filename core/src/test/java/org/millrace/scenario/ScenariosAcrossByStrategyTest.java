package org.millrace.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.millrace.plan.Strategy;
import org.millrace.scenario.ServerHost.Talk;
import org.millrace.testing.Seeds;

/**
 * The scenarios that move data collectively, with every strategy forced in turn, with coordinator
 * and nodes in other processes. What depends little on the strategy is tried with two of them, one
 * in which ranks exchange data and one in which nodes do; in a campaign with all.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the parameters
@Tag("long")
final class ScenariosAcrossByStrategyTest {

  @TempDir static Path directory;

  private static ServerHosts hosts;

  @BeforeAll
  static void start() {
    hosts = new ServerHosts();
  }

  @AfterAll
  static void end() throws IOException {
    hosts.close();
  }

  static Stream<Strategy> few() {
    return Seeds.CAMPAIGN > 1
        ? Stream.of(Strategy.values())
        : Stream.of(Strategy.EXTENDED_TWO_PHASE, Strategy.DISK_DIRECTED);
  }

  private static Worlds by(Strategy strategy) {
    return new ProcessWorlds(
        hosts,
        directory,
        strategy.word().length() % 2 == 0 ? Talk.SHARED_MEMORY : Talk.SOCKETS,
        List.of(new Worlds.Build(3, 61)),
        options -> options.withHints(StrategyWorlds.hints(strategy)));
  }

  @Nested
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossByStrategyTest#few")
  final class Views extends ViewCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossByStrategyTest#few")
  final class MemoryTypes extends MemoryTypeCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class Properties extends PropertyCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }

    @Override
    int seeds() {
      return 2;
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossByStrategyTest#few")
  final class ArrayPieces extends ArrayCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossByStrategyTest#few")
  final class MixedCalls extends MixedCallCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @Tag("long")
  @ParameterizedClass
  @MethodSource("org.millrace.scenario.ScenariosAcrossByStrategyTest#few")
  final class Pointers extends PointerCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }
}
