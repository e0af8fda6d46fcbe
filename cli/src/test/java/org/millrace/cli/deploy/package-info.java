/** Tests of the files in {@code deploy/}, with stand-ins for the systems that they are made for. */
@NullMarked
package org.millrace.cli.deploy;

import org.jspecify.annotations.NullMarked;
