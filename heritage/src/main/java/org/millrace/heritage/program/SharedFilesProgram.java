package org.millrace.heritage.program;

import java.io.IOException;
import org.millrace.client.Rank;

/** Shows {@code sharedfiles}. Stateless. */
final class SharedFilesProgram implements HeritageProgram {

  @Override
  public String name() {
    return "sharedfiles";
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
