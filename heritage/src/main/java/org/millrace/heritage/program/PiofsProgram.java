package org.millrace.heritage.program;

import java.io.IOException;
import org.millrace.client.Rank;

/** Shows {@code piofs}. Stateless. */
final class PiofsProgram implements HeritageProgram {

  @Override
  public String name() {
    return "piofs";
  }

  @Override
  public String about() {
    return "not yet";
  }

  @Override
  public void run(Rank rank, Stage stage) throws IOException {
    stage.check("there is a program", false);
  }
}
