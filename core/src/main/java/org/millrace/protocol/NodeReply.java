package org.millrace.protocol;

import java.util.Map;
import org.millrace.message.Message;

/** What a node answers. */
public sealed interface NodeReply extends Message {

  /** It is done. */
  record Done() implements NodeReply {}

  /** A number of bytes. */
  record Count(long bytes) implements NodeReply {}

  /** Counters by name. */
  record Report(Map<String, Long> counters) implements NodeReply {}
}
