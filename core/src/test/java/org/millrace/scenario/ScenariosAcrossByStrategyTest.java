package org.millrace.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.plan.Strategy;
import org.millrace.scenario.ServerHost.Talk;

/**
 * The scenarios that move data collectively, with every strategy forced in turn, with coordinator
 * and nodes in other processes. What depends little on the strategy is tried with two of them: one
 * in which ranks exchange data, and one in which nodes do.
 */
@SuppressWarnings("NullAway.Init") // JUnit sets the parameters
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

  private static Worlds by(Strategy strategy) {
    return new ProcessWorlds(
        hosts,
        directory,
        strategy.word().length() % 2 == 0 ? Talk.SHARED_MEMORY : Talk.SOCKETS,
        List.of(new Worlds.Build(3, 7)),
        options -> options.withHints(StrategyWorlds.hints(strategy)));
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class Views extends ViewCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
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
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class ArrayPieces extends ArrayCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = {"EXTENDED_TWO_PHASE", "DISK_DIRECTED"})
  final class MixedCalls extends MixedCallCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = {"EXTENDED_TWO_PHASE", "DISK_DIRECTED"})
  final class Pointers extends PointerCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return by(strategy);
    }
  }
}
