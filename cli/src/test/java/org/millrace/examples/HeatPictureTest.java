package org.millrace.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HeatPictureTest {

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 50, 1200})
  void everySizeOfFieldGivesAPicture(int n) throws IOException {
    Path file = folder.resolve("a.png");
    new HeatPicture(done(n), "4 ranks over 4 nodes").write(file);
    BufferedImage image = ImageIO.read(file.toFile());
    assertThat(image.getWidth()).isBetween(600, 1000);
    assertThat(folder.toFile().list()).containsExactly("a.png");
  }

  @Test
  void hotterIsLighter() {
    HeatColors colors = new HeatColors();
    double before = -1;
    for (int i = 0; i <= 100; i++) {
      int color = colors.at(i / 100.0);
      double light =
          0.2126 * linear(color >> 16) + 0.7152 * linear(color >> 8) + 0.0722 * linear(color);
      assertThat(light).as("at " + i).isGreaterThan(before);
      before = light;
    }
  }

  private static double linear(int channel) {
    return Math.pow((channel & 255) / 255.0, 2.2);
  }

  @Test
  void placeThatCannotBeIsRefusedBeforehand() {
    assertThatThrownBy(() -> HeatPicture.checkPlace(folder.resolve("no/heat.png")))
        .hasMessageContaining("no folder " + folder.resolve("no"));
    assertThatThrownBy(() -> HeatPicture.checkPlace(folder)).hasMessageContaining("is a folder");
  }

  private static HeatResult.Done done(int n) {
    Raster raster = new Raster(n, 1120);
    double[] row = new double[n];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) {
        row[j] = Scene.temperature(n, i, j);
      }
      raster.add(i, row, 0);
    }
    HeatPlan plan = new HeatPlan(n, 0, 0, 1);
    return new HeatResult.Done(
        plan, 100, 20, 0, raster, List.of(new HeatResult.Snapshot(0, raster)));
  }
}
