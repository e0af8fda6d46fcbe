package org.millrace.message;

/** Threads that look at their ring, and then sleep until its bell rings. */
class RingAnswerReaderTest extends AnswerReaderContract {

  RingAnswerReaderTest() {
    super(true);
  }
}
