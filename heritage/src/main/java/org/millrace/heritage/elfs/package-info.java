/**
 * The Extensible File System of the University of Virginia (Grimshaw, Karpovich and others): files
 * are objects, and what a program knows about the structure of a file becomes a class of its own
 * over a basic one. Here are the basic class and the three that were proposed for it: matrices,
 * range searching over keyed records, and files whose consistency the program chooses.
 */
@NullMarked
package org.millrace.heritage.elfs;

import org.jspecify.annotations.NullMarked;
