/**
 * Several coordinators that keep one log of names together, on Apache Ratis. {@link
 * org.millrace.raft.RaftMember} is one of them; {@code NameStateMachine} applies what most of them
 * have, {@code RaftChangeLog} appends while this one leads.
 */
@NullMarked
package org.millrace.raft;

import org.jspecify.annotations.NullMarked;
