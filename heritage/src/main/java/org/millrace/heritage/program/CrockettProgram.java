package org.millrace.heritage.program;

import java.io.IOException;
import org.millrace.client.Rank;

/** Shows {@code crockett}. Stateless. */
final class CrockettProgram implements HeritageProgram {

  @Override
  public String name() {
    return "crockett";
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
