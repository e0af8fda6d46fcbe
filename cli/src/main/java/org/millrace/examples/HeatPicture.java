package org.millrace.examples;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import javax.imageio.stream.MemoryCacheImageOutputStream;

/**
 * The picture of a field: the field with lines of equal temperature, a scale, some snapshots of the
 * way there, and a caption. Where the machine has no fonts the picture has no text. Used by one
 * thread.
 */
public final class HeatPicture {

  private static final int MARGIN = 24;
  private static final int PANEL = 560;
  private static final int SCALE_WIDTH = 16;
  private static final int LABELS = 44;
  private static final int THUMB = 120;
  private static final int CAPTION = 52;
  private static final int COLDEST = 0;
  private static final int HOTTEST = 100;
  private static final int BETWEEN_LINES = 10;
  private static final double LINE_STRENGTH = 0.22;
  private static final int LINE_SHADES = 4;

  private static final Color GROUND = new Color(0x16141d);
  private static final Color TEXT = new Color(0xe9e4dc);
  private static final Color FAINT = new Color(0x9a93a0);

  // constant after construction
  private final HeatColors colors = new HeatColors();
  private final HeatResult.Done done;
  private final String who;

  /**
   * A picture of a result.
   *
   * @param who ranks and nodes, for the caption
   */
  public HeatPicture(HeatResult.Done done, String who) {
    this.done = done;
    this.who = who;
  }

  /**
   * Throws unless a picture can be written there, as far as one can tell before.
   *
   * @throws HeatException if its folder is not there, or it is a folder itself
   */
  public static void checkPlace(Path file) throws HeatException {
    if (!Files.isDirectory(folder(file))) {
      throw new HeatException("no folder " + folder(file) + " for the picture");
    }
    if (Files.isDirectory(file)) {
      throw new HeatException(file + " is a folder; the picture needs the name of a file");
    }
  }

  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null ? file.toAbsolutePath() : folder;
  }

  /** Writes it as a PNG. A reader of the file meanwhile sees the old one or the new one. */
  public void write(Path file) throws IOException {
    System.setProperty("java.awt.headless", "true"); // or a missing display would be an error
    Path fresh = folder(file).resolve("." + file.getFileName() + ".new");
    try {
      encode(draw(), fresh);
      Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
    } catch (FileSystemException e) {
      throw new HeatException("cannot write the picture " + file + ": " + e);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  private static void encode(BufferedImage image, Path file) throws IOException {
    ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next(); // every Java has one
    try (OutputStream out = Files.newOutputStream(file);
        ImageOutputStream stream = new MemoryCacheImageOutputStream(out)) {
      ImageWriteParam how = writer.getDefaultWriteParam();
      how.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
      how.setCompressionQuality(0); // as small as can be; nothing is lost in a PNG
      writer.setOutput(stream);
      writer.write(null, new IIOImage(image, null, null), how);
    } finally {
      writer.dispose();
    }
  }

  /** Draws it. */
  BufferedImage draw() {
    int width = MARGIN + PANEL + MARGIN + SCALE_WIDTH + LABELS + THUMB + MARGIN;
    int height = MARGIN + PANEL + CAPTION + MARGIN;
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setColor(GROUND);
    graphics.fillRect(0, 0, width, height);
    field(image, done.field(), MARGIN, MARGIN, PANEL, true);
    int scaleX = MARGIN + PANEL + MARGIN;
    scale(image, scaleX);
    int thumbX = scaleX + SCALE_WIDTH + LABELS;
    List<HeatResult.Snapshot> snapshots = done.snapshots();
    for (int i = 0; i < snapshots.size(); i++) {
      field(image, snapshots.get(i).raster(), thumbX, thumbY(i), THUMB, false);
    }
    try {
      text(graphics, scaleX + SCALE_WIDTH + 8, thumbX);
    } catch (Error | RuntimeException e) {
      // A Java without fonts says it in many ways, and the picture is good without text.
    }
    graphics.dispose();
    return image;
  }

  /** Four small pictures with their labels are as high as the large one. */
  private static int thumbY(int i) {
    return MARGIN + i * ((PANEL - THUMB - 18) / 3);
  }

  private void field(
      BufferedImage image, Raster raster, int left, int top, int side, boolean lines) {
    double cell = (double) raster.side() / side;
    for (int y = 0; y < side; y++) {
      for (int x = 0; x < side; x++) {
        double row = (y + 0.5) * cell - 0.5;
        double column = (x + 0.5) * cell - 0.5;
        double here = raster.at(row, column);
        int color = colors.at(part(here));
        if (lines) {
          double strength = line(raster, row, column, here, cell);
          color = mix(color, here > 55 ? 0x000000 : 0xffffff, strength * LINE_STRENGTH);
        }
        image.setRGB(left + x, top + y, color);
      }
    }
  }

  /** How much of a line of equal temperature a pixel shows: 1 in its middle, 0 beside it. */
  private static double line(Raster raster, double row, double column, double here, double cell) {
    double down = raster.at(row + cell, column) - raster.at(row - cell, column);
    double over = raster.at(row, column + cell) - raster.at(row, column - cell);
    double slope = Math.hypot(down, over) / 2;
    double off = Math.abs(here - Math.rint(here / BETWEEN_LINES) * BETWEEN_LINES);
    if (slope < 0.02 || slope > BETWEEN_LINES / 4.0) {
      return 0; // flat: a line would be a smudge; steep: lines would touch
    }
    return Math.rint(Math.clamp(1.2 - off / slope, 0.0, 1.0) * LINE_SHADES) / LINE_SHADES;
  }

  private void scale(BufferedImage image, int left) {
    for (int y = 0; y < PANEL; y++) {
      int color = colors.at(1 - y / (PANEL - 1.0));
      for (int x = 0; x < SCALE_WIDTH; x++) {
        image.setRGB(left + x, MARGIN + y, color);
      }
    }
  }

  private void text(Graphics2D graphics, int labelX, int thumbX) {
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, 12));
    graphics.setColor(FAINT);
    for (int degrees = COLDEST; degrees <= HOTTEST; degrees += 20) {
      int y = MARGIN + (int) Math.round((1 - part(degrees)) * (PANEL - 1));
      graphics.drawString(degrees + "°", labelX, Math.clamp(y + 4, MARGIN + 9, MARGIN + PANEL));
    }
    for (int i = 0; i < done.snapshots().size(); i++) {
      int y = thumbY(i) + THUMB + 14;
      graphics.drawString("step " + grouped(done.snapshots().get(i).step()), thumbX, y);
    }
    HeatPlan plan = done.plan();
    int top = MARGIN + PANEL + 28;
    graphics.drawString(
        String.format(
            Locale.ROOT,
            "maximum %.2f°, mean %.2f°, checksum %08x, computed by %s",
            done.maximum(),
            done.mean(),
            done.checksum(),
            who),
        MARGIN,
        top + 20);
    graphics.setColor(TEXT);
    graphics.setFont(new Font(Font.SANS_SERIF, Font.BOLD, 15));
    graphics.drawString(
        "Heat after %s steps on %s x %s cells"
            .formatted(grouped(plan.step()), grouped(plan.size()), grouped(plan.size())),
        MARGIN,
        top);
  }

  private static String grouped(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static double part(double temperature) {
    return (temperature - COLDEST) / (HOTTEST - COLDEST);
  }

  private static int mix(int color, int other, double share) {
    int mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      double channel = (color >> shift & 255) * (1 - share) + (other >> shift & 255) * share;
      mixed |= (int) Math.round(channel) << shift;
    }
    return mixed;
  }
}
