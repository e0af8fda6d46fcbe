package org.millrace.scenario;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.plan.Strategy;

/** The scenarios that move data collectively, with every strategy forced in turn. */
final class ScenariosByStrategyTest {

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class Views extends ViewCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class MemoryTypes extends MemoryTypeCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class Properties extends PropertyCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }

    @Override
    int seeds() {
      return 8;
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class ArrayPieces extends ArrayCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class MixedCalls extends MixedCallCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }

  @Nested
  @ParameterizedClass
  @EnumSource(Strategy.class)
  final class Pointers extends PointerCases {

    @Parameter Strategy strategy;

    @Override
    Worlds worlds() {
      return new StrategyWorlds(strategy);
    }
  }
}
