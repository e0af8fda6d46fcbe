package org.millrace.examples;

/**
 * What the field looks like at the beginning: a hot mill wheel above a cold stream, between edges
 * that are held at their temperatures, some of them warm. The same for every size of grid, and only
 * of operations that give the same bits on every machine. Stateless.
 */
final class Scene {

  private static final double GROUND = 24;
  private static final double STREAM = 0;
  private static final double WHEEL = 100;

  // The wheel: its middle and its radii, as parts of the side.
  private static final double MIDDLE_X = 0.5;
  private static final double MIDDLE_Y = 0.45;
  private static final double HUB = 0.062;
  private static final double RIM_INSIDE = 0.235;
  private static final double RIM_OUTSIDE = 0.285;
  private static final double PADDLES_OUTSIDE = 0.365;
  private static final double HALF_SPOKE = 0.0165;

  private Scene() {}

  /** The temperature at the beginning of a cell in a grid of {@code n} rows and columns. */
  static double temperature(int n, int row, int column) {
    double y = n == 1 ? 0 : (double) row / (n - 1);
    double x = n == 1 ? 0 : (double) column / (n - 1);
    if (row == 0 || column == 0 || row == n - 1 || column == n - 1) {
      return edge(x, y);
    }
    if (isWheel(x - MIDDLE_X, y - MIDDLE_Y)) {
      return WHEEL;
    }
    return isStream(x, y) ? STREAM : GROUND;
  }

  /** The edges: hot spots above and at the sides, the stream where it comes in and goes out. */
  private static double edge(double x, double y) {
    if (y == 0) {
      return spot(x, 0.14, 0.11, 98);
    }
    if (y == 1) {
      return spot(x, 0.78, 0.13, 90);
    }
    if (isStream(x, y)) {
      return STREAM;
    }
    return x == 0 ? spot(y, 0.55, 0.09, 75) : spot(y, 0.22, 0.11, 85);
  }

  /** A spot on an edge, hottest in its middle, as warm as the ground where it ends. */
  private static double spot(double along, double middle, double halfWidth, double hottest) {
    double off = (along - middle) / halfWidth;
    double height = 1 - off * off;
    return height <= 0 ? GROUND : GROUND + (hottest - GROUND) * height;
  }

  /** A band across the plate that dips under the wheel. */
  private static boolean isStream(double x, double y) {
    double off = x - MIDDLE_X;
    double top = 0.83 - 0.35 * off * off + 0.06 * off;
    return y > top && y < top + 0.075;
  }

  private static boolean isWheel(double x, double y) {
    double square = x * x + y * y;
    boolean inHub = square < HUB * HUB;
    boolean inRim = square > RIM_INSIDE * RIM_INSIDE && square < RIM_OUTSIDE * RIM_OUTSIDE;
    boolean inReach = square < PADDLES_OUTSIDE * PADDLES_OUTSIDE;
    return inHub || inRim || (inReach && isSpoke(x, y));
  }

  /** Eight spokes, which end in paddles. */
  private static boolean isSpoke(double x, double y) {
    double diagonal = 0.7071067811865476;
    return StrictMath.abs(x) < HALF_SPOKE
        || StrictMath.abs(y) < HALF_SPOKE
        || StrictMath.abs(x - y) * diagonal < HALF_SPOKE
        || StrictMath.abs(x + y) * diagonal < HALF_SPOKE;
  }
}
