package org.millrace.protocol;

/**
 * The coordinator's knowledge of a node.
 *
 * @param number the node
 * @param address where it listens, as it said; empty if it never came
 * @param up whether its session lives
 * @param state for people: "up", "never came", or why and since when it is down
 */
public record NodeFact(int number, String address, boolean up, String state) {}
