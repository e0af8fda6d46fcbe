package org.millrace.message;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.millrace.env.Env;
import org.millrace.env.Parker;
import org.millrace.error.DeadlineException;
import org.millrace.error.MillraceException;

/**
 * Both ends of an unanswered request inside one JVM: the sender waits for it, the endpoint
 * completes it.
 *
 * <p>How it works: {@code outcome} is set once. A thread that has to wait puts a {@link Waiter} on
 * the stack {@code waiters} and then looks at {@code outcome} again; the answering thread sets
 * {@code outcome} first and then takes the stack. So either the waiter sees the outcome or the
 * answerer sees the waiter. A waiter whose deadline passed stays on the stack, harmless.
 *
 * <p>Safe for use by several threads, without a lock. Nothing to close.
 */
final class PendingReply implements Pending, ReplyTo {

  private static final VarHandle OUTCOME;
  private static final VarHandle WAITERS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OUTCOME = lookup.findVarHandle(PendingReply.class, "outcome", Object.class);
      WAITERS = lookup.findVarHandle(PendingReply.class, "waiters", Waiter.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Env env;
  private final Object request; // for people

  // a Message or a MillraceException once it is there
  private volatile @Nullable Object outcome;
  private volatile @Nullable Waiter waiters;

  PendingReply(Env env, Object request) {
    this.env = env;
    this.request = request;
  }

  @Override
  public boolean isDone() {
    return outcome != null;
  }

  @Override
  public Message await(long deadlineNanos) throws IOException {
    Object answer = outcome;
    if (answer == null) {
      answer = parkUntilAnswered(deadlineNanos);
    }
    if (answer instanceof MillraceException error) {
      throw error.again();
    }
    return (Message) answer;
  }

  @Override
  public void reply(Message reply) {
    answer(reply);
  }

  @Override
  public void fail(MillraceException error) {
    answer(error);
  }

  @Override
  public boolean tellsWhenDone() {
    return true;
  }

  @Override
  public void whenDone(Runnable then) {
    AtomicBoolean ran = new AtomicBoolean();
    Runnable once =
        () -> {
          if (ran.compareAndSet(false, true)) {
            then.run();
          }
        };
    push(new Waiter(once));
    if (outcome != null) {
      once.run();
    }
  }

  private void push(Waiter waiter) {
    Waiter head;
    do {
      head = waiters;
      waiter.next = head;
    } while (!WAITERS.compareAndSet(this, head, waiter));
  }

  private Object parkUntilAnswered(long deadlineNanos) throws DeadlineException {
    Parker parker = env.parker();
    push(new Waiter(parker::unpark));
    while (true) {
      Object answer = outcome;
      if (answer != null) {
        return answer;
      }
      if (!parker.park(deadlineNanos)) {
        answer = outcome;
        if (answer != null) {
          return answer;
        }
        throw new DeadlineException("no answer in time to " + request);
      }
    }
  }

  private void answer(Object answer) {
    if (!OUTCOME.compareAndSet(this, null, answer)) {
      throw new IllegalStateException("answered twice: " + request);
    }
    Waiter waiter = (Waiter) WAITERS.getAndSet(this, null);
    while (waiter != null) {
      waiter.wake.run();
      waiter = waiter.next;
    }
  }

  /** A waiting thread or a callback; {@code next} is constant on the stack. */
  private static final class Waiter {
    final Runnable wake;
    @Nullable Waiter next;

    Waiter(Runnable wake) {
      this.wake = wake;
    }
  }
}
