package org.millrace.launch.process;

import java.util.Queue;
import org.millrace.message.Link;
import org.millrace.message.Message;
import org.millrace.message.Payload;
import org.millrace.message.Pending;

/** A rank's link to the coordinator, of which a test hears every request. */
record HeardLink(Link link, Queue<Message> heard) implements PassingLink {

  @Override
  public Pending start(Message request, Payload payload) {
    heard.add(request);
    return link.start(request, payload);
  }
}
