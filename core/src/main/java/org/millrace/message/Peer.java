package org.millrace.message;

/**
 * Who sends: the session that a link belongs to and the user that the transport vouches for.
 *
 * @param session number of the sender's session, unique while the receiver lives
 * @param user the user's name as the transport knows it, never as the sender claims it
 */
public record Peer(long session, String user) {}
