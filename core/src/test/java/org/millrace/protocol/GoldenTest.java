package org.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The protocol on paper: the bytes of one message of each kind, and the page that describes them.
 * Run with {@code -Dmillrace.golden=write} to write both anew after a deliberate change; what it
 * changes then is a change of the protocol.
 */
final class GoldenTest {

  private static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
  private static final Path BYTES = MODULE.resolve("src/test/resources/protocol/messages.golden");
  private static final Path PAGE = MODULE.resolve("../docs/protocol.md").normalize();

  private static boolean isToWrite() {
    return "write".equals(System.getProperty("millrace.golden"));
  }

  @Test
  void bytesOfMessagesStayWhatTheyWere() throws IOException {
    String now =
        ProtocolPage.golden().entrySet().stream()
            .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
            .collect(Collectors.joining());
    if (isToWrite()) {
      Files.createDirectories(BYTES.getParent());
      Files.writeString(BYTES, now);
    }
    assertThat(Files.readString(BYTES)).isEqualTo(now);
  }

  @Test
  void keptBytesAreReadAsTheMessagesTheyWereMadeFrom() throws IOException {
    Map<String, String> kept = new LinkedHashMap<>();
    for (String line : Files.readAllLines(BYTES)) {
      int colon = line.indexOf(": ");
      kept.put(line.substring(0, colon), line.substring(colon + 2));
    }
    for (PlainMessages.Named sample : PlainMessages.all()) {
      byte[] bytes = HexFormat.of().parseHex(kept.get(sample.name()));
      assertThat(WireCodecTest.decode(bytes)).isEqualTo(sample.message());
    }
  }

  @Test
  void thePageSaysWhatTheCodeDoes() throws IOException {
    String page = Files.readString(PAGE);
    String right = page;
    for (Map.Entry<String, String> part : ProtocolPage.parts().entrySet()) {
      String begin = "<!-- " + part.getKey() + ": made by GoldenTest -->\n";
      String end = "<!-- end of " + part.getKey() + " -->";
      int from = right.indexOf(begin);
      int to = right.indexOf(end);
      assertThat(from).as("place of %s", part.getKey()).isNotNegative().isLessThan(to);
      right =
          right.substring(0, from + begin.length())
              + "\n"
              + part.getValue()
              + "\n"
              + right.substring(to);
    }
    if (isToWrite()) {
      Files.writeString(PAGE, right);
      return;
    }
    assertThat(page).isEqualTo(right);
  }
}
