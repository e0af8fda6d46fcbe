package org.millrace.testing.bad.exports;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.millrace.testing.bad.layers.env.PlantedEnv;

/** One violation per nested class, and one without any. Nothing here is ever run. */
@SuppressWarnings("unused")
public final class Leaking {

  private Leaking() {}

  static final class Hidden {}

  /** A return type. */
  public interface Returns {
    /** The sin. */
    PlantedEnv sin();
  }

  /** A parameter, deep inside a generic type. */
  public interface Takes {
    /** The sin. */
    void sin(Map<String, List<? super PlantedEnv[]>> all);
  }

  /** A field. */
  public static class HasField {
    /** The sin. */
    protected Optional<PlantedEnv> sin = Optional.empty();
  }

  /** A constructor. */
  public record Component(PlantedEnv sin) {}

  /** A bound. */
  public interface Bounded<T extends PlantedEnv> {}

  /** A type of an exported package that programs cannot see. */
  public static final class NamesHidden {
    private NamesHidden() {}

    /** The sin. */
    public static void sin(Hidden hidden) {}
  }

  /** Names what is not exported where programs do not see it. */
  public static final class Innocent {
    private final Optional<PlantedEnv> kept = Optional.empty();

    private Innocent() {}

    /** All well. */
    public List<String> fine(Optional<Returns> returns) {
      return List.of();
    }

    void within(PlantedEnv env, Hidden hidden) {}
  }
}
