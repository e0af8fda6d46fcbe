package org.millrace.heritage.program;

import java.io.IOException;
import org.millrace.client.Rank;

/** Shows {@code passion}. Stateless. */
final class PassionProgram implements HeritageProgram {

  @Override
  public String name() {
    return "passion";
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
