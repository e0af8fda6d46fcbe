package org.millrace.scenario;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.plan.Strategy;

/** The scenarios that move data collectively, with every strategy forced in turn. */
@SuppressWarnings("NullAway.Init") // JUnit sets the parameters
final class ScenariosByStrategyTest {

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class Views extends ViewCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class MemoryTypes extends MemoryTypeCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class Properties extends PropertyCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }

    @Override
    int seeds() {
      return 4;
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class ArrayPieces extends ArrayCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class MixedCalls extends MixedCallCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(names = "AUTO", mode = EnumSource.Mode.EXCLUDE) // the other scenarios take it
  final class Pointers extends PointerCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }
}
