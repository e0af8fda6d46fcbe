package org.millrace.env;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A span as an event of the JDK's flight recorder, which reads its own clock at the begin and the
 * end: so it is here, and only the real environment makes it. Used by one thread at a time.
 *
 * <p>The names of events and fields are an interface: {@code millrace trace} and others' tools read
 * them. Fields are not read here.
 */
abstract class RecordedSpan extends Event implements Span {

  @Label("Group")
  long group;

  @Label("Rank")
  int rank;

  @Label("Call")
  String call = "";

  @Label("File")
  String file = "";

  @Label("Strategy")
  String strategy = "";

  @Label("Plan")
  String plan = "";

  @Label("Bytes")
  @DataAmount
  long bytes;

  @Name("millrace.Collective")
  @Label("Collective Call")
  @Category("Millrace")
  @StackTrace(false)
  static final class Collective extends RecordedSpan {}

  @Name("millrace.Meeting")
  @Label("Wait for Other Ranks")
  @Category("Millrace")
  @StackTrace(false)
  static final class Meeting extends RecordedSpan {}

  @Name("millrace.Transfer")
  @Label("Transfer")
  @Category("Millrace")
  @StackTrace(false)
  static final class Transfer extends RecordedSpan {}

  @Override
  public void end(Facts facts) {
    end();
    group = facts.group();
    rank = facts.rank();
    call = facts.call();
    file = facts.file();
    strategy = facts.strategy();
    plan = facts.plan();
    bytes = facts.bytes();
    commit();
  }
}
