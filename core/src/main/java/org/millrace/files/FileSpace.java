package org.millrace.files;

/**
 * Room on the nodes' disks together.
 *
 * @param totalBytes of all disks
 * @param freeBytes of these
 * @param files how many files and directories there are
 */
public record FileSpace(long totalBytes, long freeBytes, long files) {}
