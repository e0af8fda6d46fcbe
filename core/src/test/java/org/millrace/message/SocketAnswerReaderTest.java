package org.millrace.message;

/** Threads that read their socket themselves. */
class SocketAnswerReaderTest extends AnswerReaderContract {

  SocketAnswerReaderTest() {
    super(false);
  }
}
