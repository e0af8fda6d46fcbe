/**
 * The files of a cluster over HTTP, on the JDK's own server: {@link org.millrace.server.HttpFiles}.
 * Requests become calls of {@code files}; {@code docs/http.md} is the interface. From low to high:
 * what a request asks for ({@code Target}, {@code Ranges}, {@code Conditions}), the exchange with
 * one client, the answers, the server.
 */
@NullMarked
package org.millrace.server;

import org.jspecify.annotations.NullMarked;
