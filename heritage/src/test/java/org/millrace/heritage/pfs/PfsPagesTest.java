package org.millrace.heritage.pfs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.millrace.error.ErrorCode;
import org.millrace.error.MillraceException;

/** Which codes a call may fail with: those that its page of the manual names. */
final class PfsPagesTest {

  private static final String TRANSFER =
      "AUTH BADF BADFH BADID INVAL IOLEN MIXIO MREQUEST NOIOD REMOTE";
  private static final String WAIT = "AUTH BADFH BADID CHLDEXIT CHLDSIG REMOTE";

  /** As the manual lists them, without their prefix. */
  private static final Map<Page, String> MANUAL =
      Map.ofEntries(
          Map.entry(Page.OPEN, "INVAL NDELAY MFILE REMOTE"),
          Map.entry(Page.GOPEN, "INVAL NDELAY MFILE REMOTE"),
          Map.entry(Page.CLOSE, "AUTH BADF BADFH MIXIO REMOTE"),
          Map.entry(Page.CREAD, TRANSFER + " NBYTES"),
          Map.entry(Page.CWRITE, TRANSFER + " NBYTES"),
          Map.entry(Page.IREAD, TRANSFER),
          Map.entry(Page.IWRITE, TRANSFER),
          Map.entry(Page.IODONE, WAIT),
          Map.entry(Page.IOWAIT, WAIT),
          Map.entry(Page.IOMODE, "AUTH BADF BADFH REMOTE"),
          Map.entry(Page.ISEOF, "AUTH BADF BADFH REMOTE"),
          Map.entry(Page.LSEEK, "AUTH BADF BADFH MIXIO REMOTE"),
          Map.entry(Page.LSIZE, "AUTH BADF BADFH INVAL REMOTE"),
          Map.entry(Page.SETIOMODE, "AUTH BADF BADFH INVAL MIXIO REMOTE"),
          Map.entry(Page.PFSLIB_INIT, "INVAL REMOTE"));

  private static List<String> codesOf(Page page) {
    return Arrays.stream(Epfsl.values())
        .filter(page::names)
        .map(Enum::name)
        .filter(name -> name.startsWith("EPFSL"))
        .map(name -> name.substring("EPFSL".length()))
        .toList();
  }

  @ParameterizedTest
  @EnumSource(Page.class)
  void aPageNamesTheCodesOfTheManual(Page page) {
    String manual = requireNonNull(MANUAL.get(page));
    assertThat(codesOf(page)).containsExactlyInAnyOrder(manual.split(" ", -1));
  }

  /** Everything that can go wrong anywhere. */
  private static Stream<Throwable> failures() {
    return Stream.of(
            Arrays.stream(ErrorCode.values())
                .<Throwable>map(code -> MillraceException.of(code, "why")),
            Arrays.stream(Epfsl.values())
                .filter(code -> code != Epfsl.NONE)
                .<Throwable>map(code -> new PfsException(code, "why")),
            Stream.<Throwable>of(
                new IOException("why"),
                new IllegalArgumentException("why"),
                new IllegalStateException("why")))
        .flatMap(all -> all);
  }

  @ParameterizedTest
  @EnumSource(Page.class)
  void whateverFailsHasACodeOfItsPage(Page page) {
    failures()
        .forEach(
            failure -> {
              PfsException told = Errors.ofShared(page, failure);
              assertThat(page.names(told.code())).as("%s: %s", failure, told.code()).isTrue();
              assertThat(told.detail()).contains("why");
            });
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void theSameErrorHasTheNearestCodeThatThePageKnows(ErrorCode code) {
    MillraceException error = MillraceException.of(code, "why");
    Epfsl blocking = Errors.ofShared(Page.CREAD, error).code();
    Epfsl waited = Errors.ofShared(Page.IOWAIT, error).code();
    switch (code) {
      case MIXED_CALL -> assertThat(blocking).isEqualTo(Epfsl.EPFSLMIXIO);
      case CLOSED, RESTARTED -> assertThat(blocking).isEqualTo(Epfsl.EPFSLBADFH);
      case NODE -> assertThat(blocking).isEqualTo(Epfsl.EPFSLNOIOD);
      case DISK_FULL -> assertThat(blocking).isEqualTo(Epfsl.EPFSLNBYTES);
      case INVALID -> assertThat(blocking).isEqualTo(Epfsl.EPFSLINVAL);
      case REFUSED, NOT_PERMITTED -> assertThat(blocking).isEqualTo(Epfsl.EPFSLAUTH);
      case RANK_FAILED, DEADLINE, DEADLOCK, UNKNOWN ->
          assertThat(waited).isEqualTo(Epfsl.EPFSLCHLDSIG);
      default -> assertThat(blocking).isEqualTo(Epfsl.EPFSLREMOTE);
    }
  }
}
