package org.millrace.transfer;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.millrace.message.Link;

/**
 * Links by number, of which thousands may exist and few are used: memory is taken for
 * neighbourhoods in which there is one.
 *
 * <p>Safe for use by several threads, without a lock.
 */
public final class LinkTable {

  private static final int SHIFT = 6;
  private static final int MASK = (1 << SHIFT) - 1;

  private final AtomicReferenceArray<@Nullable AtomicReferenceArray<@Nullable Link>> parts;

  /** A table for numbers below {@code size}, without a link. */
  public LinkTable(int size) {
    this.parts = new AtomicReferenceArray<>((size + MASK) >>> SHIFT);
  }

  /** The link of a number, or null. */
  public @Nullable Link get(int number) {
    AtomicReferenceArray<@Nullable Link> part = parts.get(number >>> SHIFT);
    return part == null ? null : part.get(number & MASK);
  }

  /** Puts a link in the place of what was there. */
  public void set(int number, Link link) {
    part(number).set(number & MASK, link);
  }

  /** Puts a link where there is none; returns the one that is there then. */
  public Link setIfAbsent(int number, Link link) {
    Link other = part(number).compareAndExchange(number & MASK, null, link);
    return other == null ? link : other;
  }

  /** Passes every link on, by ascending numbers. */
  public void forEach(Consumer<Link> each) {
    for (int i = 0; i < parts.length(); i++) {
      AtomicReferenceArray<@Nullable Link> part = parts.get(i);
      for (int j = 0; part != null && j < part.length(); j++) {
        Link link = part.get(j);
        if (link != null) {
          each.accept(link);
        }
      }
    }
  }

  private AtomicReferenceArray<@Nullable Link> part(int number) {
    int at = number >>> SHIFT;
    AtomicReferenceArray<@Nullable Link> part = parts.get(at);
    if (part == null) {
      AtomicReferenceArray<@Nullable Link> made = new AtomicReferenceArray<>(1 << SHIFT);
      AtomicReferenceArray<@Nullable Link> other = parts.compareAndExchange(at, null, made);
      part = other == null ? made : other;
    }
    return part;
  }
}
