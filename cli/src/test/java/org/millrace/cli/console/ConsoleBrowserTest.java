package org.millrace.cli.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.millrace.Cluster;
import org.millrace.client.Memory;
import org.millrace.client.OpenOptions;
import org.millrace.env.Env;
import org.millrace.server.HttpConsole;
import org.millrace.server.ServeOptions;
import org.millrace.testing.Eventually;

/**
 * The console in a real browser: what it shows, and what happens when a person clicks. Skipped
 * where there is no Chromium. With {@code -Dmillrace.pictures=DIR} the pictures of it are kept.
 */
final class ConsoleBrowserTest {

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final int RANKS = 6;

  @TempDir private Path folder;

  @BeforeEach
  void thereIsABrowser() {
    assumeTrue(Browser.installed().isPresent(), "no Chromium: the console is not tried in one");
  }

  private static HttpConsole console(ClusterView view, boolean changes) throws IOException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ServeOptions options = ServeOptions.local(any, TOKEN, "miller");
    return HttpConsole.start(Env.real(), view, options, changes);
  }

  private Browser browser() throws IOException {
    return new Browser(Browser.installed().orElseThrow(), folder.resolve("browser"));
  }

  private static String count(String selector) {
    return "document.querySelectorAll('" + selector + "').length";
  }

  private static String text(String id) {
    return "document.getElementById('" + id + "').textContent";
  }

  @Test
  void aPersonSeesTheClusterAndChangesIt() throws Exception {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 3);
        ClusterView view = cluster.view();
        HttpConsole console = console(view, true);
        Browser browser = browser()) {
      cluster.put("field.npy", 1 << 20, OpenOptions.create());
      cluster.put("results-of-may", 3 << 20, OpenOptions.create().withCopies(2));
      browser.look(1280, 900, false);
      browser.open(console.link());
      browser.await(count(".card") + " === 3");
      browser.await(text("badge") + " === 'all is well'");
      assertThat(browser.value("location.search")).isEmpty(); // the link's secret is gone
      CountDownLatch late = new CountDownLatch(1);
      CompletableFuture<Void> program = CompletableFuture.runAsync(() -> program(cluster, late));
      try {
        Eventually.holds(
            "ranks wait",
            () -> {
              assertThat(program).isNotDone();
              return browser.value(count("#groups g .rank.waits")).equals("" + (RANKS - 1));
            });
        browser.await(count("#groups .arrow") + " >= " + (RANKS - 1));
        assertThat(browser.value(text("waits"))).contains("barrier");
        browser.await(count("#calls svg text") + " >= " + RANKS); // a row for each rank
        browser.await(text("calls") + ".includes('running')");
        removeAFile(browser);
        browser.click("#scrub");
        assertThat(browser.value(text("confirm-text"))).contains("Scrub the disks");
        browser.click("#confirm-yes");
        browser.await(text("nodes") + ".includes('Scrub')");
        drain(browser);
        pictures(browser);
      } finally {
        late.countDown();
        program.join();
      }
      browser.await(text("groups") + ".includes('No program runs')");
      assertThat(browser.errors()).isEmpty();
    }
  }

  /** Ranks that write together; then all wait for the last one. */
  private static void program(LiveCluster live, CountDownLatch late) {
    try (Cluster cluster = live.connect()) {
      cluster.run(
          RANKS,
          rank -> {
            try (var file = rank.open("running", OpenOptions.create())) {
              file.at(rank.number() * 100_000L).all().write(Memory.of(new byte[100_000]));
              if (rank.number() == RANKS - 1) {
                late.await();
              }
              rank.barrier();
            } catch (InterruptedException e) {
              throw new IOException(e);
            }
          });
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static void removeAFile(Browser browser) throws IOException {
    browser.click("#crumbs button"); // lists anew
    browser.await(text("files") + ".includes('running')"); // which the first listing had not
    browser.click("#files tbody tr:first-child button");
    browser.await(text("file") + ".includes('/field.npy')");
    assertThat(Integer.parseInt(browser.value(count("#file svg rect")))).isEqualTo(16);
    browser.click("#file button.danger");
    browser.click("#confirm-no");
    browser.await("document.getElementById('confirm').open === false");
    assertThat(browser.value(text("files"))).contains("field.npy");
    browser.click("#file button.danger");
    browser.click("#confirm-yes");
    browser.await("!" + text("files") + ".includes('field.npy')");
    browser.click("#files tbody tr:first-child button");
    browser.await(text("file") + ".includes('2 copies')");
    assertThat(browser.value(count("#file .pill.good"))).isEqualTo("6");
  }

  private static void drain(Browser browser) throws IOException {
    browser.click("#drain-2");
    browser.click("#confirm-yes");
    browser.await("document.getElementById('use-2') !== null");
    browser.click("#use-2");
    browser.click("#confirm-yes");
    browser.await("document.getElementById('drain-2') !== null");
  }

  private void pictures(Browser browser) throws IOException {
    browser.await("document.getElementById('toast').hidden");
    picture(browser, "light", 1280, 1700, false);
    picture(browser, "dark", 1280, 1700, true);
    picture(browser, "small", 390, 1400, false);
  }

  private void picture(Browser browser, String name, int width, int height, boolean dark)
      throws IOException {
    browser.look(width, height, dark);
    browser.value("window.scrollTo(0, 0)");
    browser.await("document.documentElement.clientWidth <= " + width);
    browser.await("document.querySelector('#calls svg').clientWidth < " + width); // drawn for it
    browser.await("document.documentElement.scrollWidth <= " + width); // nothing sticks out
    byte[] png = browser.picture();
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(png));
    Set<Integer> colours = new HashSet<>();
    for (int x = 0; x < image.getWidth(); x += 3) {
      for (int y = 0; y < image.getHeight(); y += 3) {
        colours.add(image.getRGB(x, y));
      }
    }
    assertThat(colours).as(name).hasSizeGreaterThan(20); // it is not blank
    String kept = System.getProperty("millrace.pictures", "");
    if (!kept.isEmpty()) {
      Files.write(Path.of(kept).resolve("console-" + name + ".png"), png);
    }
  }

  @Test
  void aStrangerSeesTheFormAndGetsInWithTheToken() throws Exception {
    try (LiveCluster cluster = new LiveCluster(folder.resolve("c"), 1);
        ClusterView view = cluster.view();
        HttpConsole console = console(view, false);
        Browser browser = browser()) {
      browser.open(console.url());
      browser.await("document.querySelector('form') !== null");
      assertThat(browser.value("document.body.textContent")).doesNotContain("Node 0");
      browser.value("document.getElementById('token').value = '" + TOKEN + "'");
      browser.click("form button");
      browser.await(count(".card") + " === 1");
      browser.await(text("mode") + " === 'read-only'");
      assertThat(browser.value(count(".card button"))).isEqualTo("0");
      assertThat(browser.value("document.getElementById('scrub').hidden")).isEqualTo("true");
    }
  }
}
