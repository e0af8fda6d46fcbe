package org.millrace.examples;

/**
 * From dark violet over red to pale yellow: a path through the colour space Oklab on which
 * lightness grows evenly, so that equal differences of temperature look equally large, in grey as
 * well. Immutable once made; safe for any number of threads.
 */
final class HeatColors {

  private static final int STEPS = 256;

  private final int[] colors = new int[STEPS];

  HeatColors() {
    for (int i = 0; i < STEPS; i++) {
      colors[i] = oklch(i / (STEPS - 1.0));
    }
  }

  /** The colour, as 0xRRGGBB, of a part of the way from coldest (0) to hottest (1). */
  int at(double part) {
    return colors[Math.clamp(Math.round(part * (STEPS - 1)), 0, STEPS - 1)];
  }

  private static int oklch(double t) {
    double lightness = 0.16 + 0.80 * t;
    double hue = Math.toRadians(285 + 180 * Math.pow(t, 0.85)); // violet 285, red 25, yellow 105
    double chroma = 0.055 + 0.135 * Math.sin(Math.PI * Math.pow(t, 0.9)) + 0.02 * t;
    while (!isVisible(lightness, chroma, hue)) {
      chroma -= 0.002; // less colourful, but as light as it must be
    }
    return pack(linear(lightness, chroma, hue));
  }

  private static boolean isVisible(double lightness, double chroma, double hue) {
    if (chroma <= 0) {
      return true;
    }
    for (double channel : linear(lightness, chroma, hue)) {
      if (channel < 0 || channel > 1) {
        return false;
      }
    }
    return true;
  }

  /** Linear red, green and blue, by Ottosson's matrices. */
  private static double[] linear(double lightness, double chroma, double hue) {
    double a = chroma * Math.cos(hue);
    double b = chroma * Math.sin(hue);
    double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    return new double[] {
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s
    };
  }

  private static double cube(double x) {
    return x * x * x;
  }

  private static int pack(double[] linear) {
    int color = 0;
    for (double channel : linear) {
      double clamped = Math.clamp(channel, 0.0, 1.0);
      double gamma =
          clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * Math.pow(clamped, 1 / 2.4) - 0.055;
      color = color << 8 | (int) Math.round(gamma * 255);
    }
    return color;
  }
}
