package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page as a reader sees it: in a real browser, from a file, with no network. */
final class ReportInBrowserIT {

  /** Elements that stick out of the page and are not inside a box that scrolls. */
  private static final String STICKS_OUT =
      "[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll')"
          + " && !e.closest('.unseen') && !e.closest('details:not([open])')"
          + " && e.getClientRects().length > 0"
          + " && e.getBoundingClientRect().right > document.documentElement.clientWidth + 1)"
          + ".map(e => e.tagName + '.' + (e.getAttribute('class') || '') + ' '"
          + " + Math.round(e.getBoundingClientRect().right)).slice(0, 5).join(', ')";

  @TempDir
  @SuppressWarnings("NullAway.Init") // JUnit sets it before each test
  static Path directory;

  @SuppressWarnings("NullAway.Init")
  private static Chromium browser;

  @BeforeAll
  static void start() throws Exception {
    Optional<Path> chromium = Chromium.onPath();
    assumeTrue(chromium.isPresent(), "no chromium on the PATH: the report is not looked at");
    browser = new Chromium(chromium.get(), Files.createDirectories(directory.resolve("profile")));
  }

  @AfterAll
  @SuppressWarnings("NullAway") // null where the browser could not be started
  static void end() throws InterruptedException {
    if (browser != null) {
      browser.close();
    }
  }

  @Test
  void nothingLeavesThePageAndNothingIsWrongWithIt() throws Exception {
    for (Results results :
        List.of(SampleResults.kafka(), SampleResults.many(), SampleResults.nasty())) {
      Path page = report(results);
      browser.look(1200, 900, "light", "screen");
      browser.open(page);

      assertThat(browser.requests()).containsExactly(page.toUri().toString());
      assertThat(browser.complaints()).isEmpty();
    }
  }

  @Test
  void aRequestOrAnErrorWouldBeSeen() throws Exception {
    Path page =
        Files.writeString(
            directory.resolve("planted.html"),
            "<img src='http://report.example/x.png'><script>throw new Error('planted')</script>");
    browser.open(page);

    assertThat(browser.requests())
        .containsExactly(page.toUri().toString(), "http://report.example/x.png");
    assertThat(browser.complaints()).anyMatch(complaint -> complaint.contains("planted"));
  }

  @ParameterizedTest
  @CsvSource({"1200, 900", "820, 1100", "360, 740"})
  void nothingSticksOutAtAnyWidth(int width, int height) throws Exception {
    for (Results results : List.of(SampleResults.many(), SampleResults.nasty())) {
      browser.look(width, height, "light", "screen");
      browser.open(report(results));

      assertThat(browser.value(STICKS_OUT).asText()).isEmpty();
      assertThat(browser.value("document.documentElement.scrollWidth").asInt())
          .isLessThanOrEqualTo(width);
    }
  }

  /** Who is fastest, is it safe, how sure are we: without scrolling. */
  @Test
  void theThreeAnswersAreOnTheFirstScreen() throws Exception {
    browser.look(1200, 900, "light", "screen");
    browser.open(report(SampleResults.kafka()));

    assertThat(
            browser
                .value("document.querySelector('.answers').getBoundingClientRect().bottom")
                .asDouble())
        .isLessThan(900);
  }

  @Test
  void darkIsDarkAndLightIsLight() throws Exception {
    browser.look(800, 600, "light", "screen");
    browser.open(report(SampleResults.kafka()));
    int light = brightness(browser.picture(false));
    browser.look(800, 600, "dark", "screen");
    int dark = brightness(browser.picture(false));

    assertThat(light).isGreaterThan(200);
    assertThat(dark).isLessThan(60);
  }

  @Test
  void paperIsWhiteAndEverythingThatFoldsIsOpen() throws Exception {
    String unfolded = "[...document.querySelectorAll('.inside')].every(e => e.checkVisibility())";
    browser.look(1200, 900, "dark", "screen");
    browser.open(report(SampleResults.kafka()));
    assertThat(browser.value(unfolded).asBoolean()).isFalse();

    browser.look(1200, 900, "dark", "print");

    assertThat(browser.value(unfolded).asBoolean()).isTrue();
    assertThat(brightness(browser.picture(false))).isGreaterThan(200);
    assertThat(new String(browser.pdf(), 0, 5, StandardCharsets.US_ASCII)).isEqualTo("%PDF-");
  }

  @Test
  void theDataOfEveryChartCanBeTaken() throws Exception {
    browser.look(1200, 900, "light", "screen");
    browser.open(report(SampleResults.kafka()));

    String firstLines =
        "[...document.querySelectorAll('a[download]')]"
            + ".map(a => a.download + ' ' + atob(a.href.split('base64,')[1]).split('\\n')[0])"
            + ".join(' ; ')";
    assertThat(browser.value(firstLines).asText())
        .startsWith("results.json { ; rates.csv row,label,verdict,rate,fork,msgs_per_s ; ")
        .contains("percentiles.csv row,label,latency,percentile,nanos ; timeline.csv row,label,");
  }

  private static Path report(Results results) throws IOException {
    Path page = directory.resolve("report.html");
    HtmlReport.write(page, results);
    return page;
  }

  /** Of most of the page: the median of its points, 0 to 255. */
  private static int brightness(byte[] png) throws IOException {
    var image = ImageIO.read(new ByteArrayInputStream(png));
    int[] points = new int[image.getWidth() * image.getHeight()];
    for (int i = 0; i < points.length; i++) {
      int rgb = image.getRGB(i % image.getWidth(), i / image.getWidth());
      points[i] = ((rgb >> 16 & 255) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
    }
    Arrays.sort(points);
    return points[points.length / 2];
  }
}
