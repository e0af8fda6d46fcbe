/**
 * The coordinator: names, opens, shared pointers, synchronizing calls and locks. {@link
 * org.millrace.coordinator.Coordinator} takes the requests, one lock guards all state, and what
 * must survive goes through the journal. It never sees a byte of file data.
 *
 * <p>In the order in which to read:
 *
 * <ul>
 *   <li><b>Names and journal:</b> {@code NameEntry}, {@code Names}, {@code NameRules} and {@code
 *       Paths} are the tree and who may do what in it; {@code NameRequests} answers, {@code
 *       NameChange}, {@code NameCodec}, {@code Journal}, {@code ChangeLog} and {@code JournalFile}
 *       keep it, {@code ReplicatedLog}, {@code Lease} and {@code NameReplica} for several; {@code
 *       Removals} waits for nodes to remove strands.
 *   <li><b>Opens and pointers:</b> {@code FileOpener}, {@code Opens}, {@code Open}, {@code
 *       Pointers}; {@code CapabilityIssuer} and {@code Revocations} for what opens a file at the
 *       nodes; {@code FlushRounds} for ranks that flush at about the same time.
 *   <li><b>Groups and meetings:</b> {@code Group}, {@code Groups}, {@code GroupMember}, {@code
 *       GroupRequests}, {@code Assemblies} and {@code Regroups} for who belongs together; {@code
 *       MeetingChannel}, {@code Meeting}, {@code MeetingPart}, {@code Meetings}, {@code Agreement},
 *       {@code MeetingEffects} and {@code MeetingOutcome} for synchronizing calls.
 *   <li><b>Locks and transactions:</b> {@code Locks}, {@code LockRequest}, {@code LockName}, {@code
 *       WaitGraph} for circles, {@code WaitDeclarations} for waits that are no requests, {@code
 *       Fences} for sessions that ended with locks, {@code Transactions}.
 *   <li><b>Around them:</b> {@code NodeRegistry}, {@code AdminRequests}, {@code StatusReport},
 *       {@code Health}, {@code Quotas}, {@code Timers}, {@code DeferredReplies}, {@code
 *       CommitCallback}.
 * </ul>
 */
@NullMarked
package org.millrace.coordinator;

import org.jspecify.annotations.NullMarked;
