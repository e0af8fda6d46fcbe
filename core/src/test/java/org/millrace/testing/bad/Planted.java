package org.millrace.testing.bad;

import java.io.FileInputStream;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.Socket;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;

/** One violation per nested class. Nothing here is ever run. */
@SuppressWarnings({
  "CatchAndPrintStackTrace",
  "FutureReturnValueIgnored",
  "JavaUtilDate",
  "NonFinalStaticField",
  "NullAway",
  "ThreadJoinLoop",
  "UnusedMethod",
  "UnusedVariable",
  "WaitNotInLoop",
  "NakedNotify",
  "try"
})
public final class Planted {

  private Planted() {}

  static final class NewThread {
    Thread sin() {
      return new Thread(() -> {});
    }
  }

  static final class ThreadByReference {
    Function<Runnable, Thread> sin() {
      return Thread::new;
    }
  }

  static final class IsThread extends Thread {}

  static final class VirtualThread {
    Thread sin() {
      return Thread.startVirtualThread(() -> {});
    }
  }

  static final class ThreadBuilder {
    Object sin() {
      return Thread.ofPlatform();
    }
  }

  static final class MakesExecutor {
    Object sin() {
      return Executors.newVirtualThreadPerTaskExecutor();
    }
  }

  static final class CommonPool {
    Object sin() {
      return ForkJoinPool.commonPool();
    }
  }

  static final class AsyncWithoutExecutor {
    Object sin() {
      return CompletableFuture.supplyAsync(() -> 1);
    }
  }

  static final class ThenAsyncWithoutExecutor {
    Object sin(CompletableFuture<Integer> future) {
      return future.thenApplyAsync(x -> x);
    }
  }

  static final class ParallelCollection {
    long sin(List<String> list) {
      return list.parallelStream().count();
    }
  }

  static final class ParallelStream {
    int sin() {
      return IntStream.range(0, 9).parallel().sum();
    }
  }

  static final class ParallelSort {
    void sin(long[] values) {
      Arrays.parallelSort(values);
    }
  }

  static final class ThreadNumber {
    long sin() {
      return Thread.currentThread().threadId();
    }
  }

  static final class CleanerThread {
    Object sin() {
      return Cleaner.create();
    }
  }

  static final class NanoTime {
    long sin() {
      return System.nanoTime();
    }
  }

  static final class CurrentTime {
    long sin() {
      return System.currentTimeMillis();
    }
  }

  static final class InstantNow {
    Object sin() {
      return Instant.now();
    }
  }

  static final class Sleeps {
    void sin() throws InterruptedException {
      Thread.sleep(1);
    }
  }

  static final class SleepsByUnit {
    void sin() throws InterruptedException {
      TimeUnit.DAYS.sleep(1);
    }
  }

  static final class ParksNanos {
    void sin() {
      LockSupport.parkNanos(1);
    }
  }

  static final class AwaitsNanos {
    long sin(Condition condition) throws InterruptedException {
      return condition.awaitNanos(1);
    }
  }

  static final class AwaitsByUnit {
    boolean sin(Condition condition) throws InterruptedException {
      return condition.await(1, TimeUnit.DAYS);
    }
  }

  static final class PollsWithTimeout {
    Object sin(BlockingQueue<String> queue) throws InterruptedException {
      return queue.poll(1, TimeUnit.DAYS);
    }
  }

  static final class TriesLockWithTimeout {
    boolean sin(ReentrantLock lock) throws InterruptedException {
      return lock.tryLock(1, TimeUnit.DAYS);
    }
  }

  static final class WaitsOnMonitor {
    void sin() throws InterruptedException {
      wait(1);
    }
  }

  static final class RecordsEvent extends jdk.jfr.Event {
    void sin() {
      commit();
    }
  }

  static final class HasRandom {
    int sin() {
      return new Random(7).nextInt();
    }
  }

  static final class HasThreadLocalRandom {
    int sin() {
      return ThreadLocalRandom.current().nextInt();
    }
  }

  static final class MathRandom {
    double sin() {
      return Math.random();
    }
  }

  static final class RandomId {
    Object sin() {
      return UUID.randomUUID();
    }
  }

  static final class DefaultGenerator {
    Object sin() {
      return RandomGenerator.getDefault();
    }
  }

  static final class Shuffles {
    void sin(List<String> list) {
      Collections.shuffle(list);
    }
  }

  static final class ReadsFile {
    String sin(Path path) throws IOException {
      return Files.readString(path);
    }
  }

  static final class OpensChannel {
    Object sin(Path path) throws IOException {
      return FileChannel.open(path);
    }
  }

  static final class OpensStream {
    Object sin() throws IOException {
      return new FileInputStream("name");
    }
  }

  static final class FollowsPath {
    Path sin(Path path) throws IOException {
      return path.toRealPath();
    }
  }

  static final class OpensSocket {
    Object sin() {
      return new Socket();
    }
  }

  static final class OpensSocketChannel {
    Object sin() throws IOException {
      return SocketChannel.open();
    }
  }

  static final class SynchronizedMethod {
    synchronized void sin() {}
  }

  static final class SynchronizedBlock {
    int sin() {
      synchronized (this) {
        return 1;
      }
    }
  }

  static final class MutableStatic {
    static int sin;
  }

  static final class ForeignLibrary {
    Object sin() {
      return Assertions.assertThat(1);
    }
  }

  /** Does what the rules allow, close to what they forbid. Must pass them all. */
  static final class Innocent {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<Path> paths = new ArrayList<>();

    long allowed(RandomGenerator random, Path path, CompletableFuture<Integer> future) {
      lock.lock();
      try {
        paths.add(path.resolve("x").normalize());
        future.thenApplyAsync(x -> x, Runnable::run);
        return random.nextLong() + TimeUnit.SECONDS.toNanos(1) + paths.stream().count();
      } finally {
        lock.unlock();
      }
    }

    void allowed(Condition condition) {
      condition.awaitUninterruptibly();
    }
  }
}
