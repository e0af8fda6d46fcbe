/**
 * What can go wrong.
 *
 * <p>A {@link org.millrace.error.MillraceException} is an {@link java.io.IOException} with one
 * {@link org.millrace.error.ErrorCode} of a closed list; the same code travels between processes.
 * Codes that programs handle have classes of their own, such as {@link
 * org.millrace.error.NoSuchNameException}. A call of all ranks that fails for one rank fails for
 * all: no rank waits for ever.
 *
 * {@snippet :
 * import java.io.IOException;
 * import org.millrace.Millrace;
 * import org.millrace.client.OpenOptions;
 * import org.millrace.error.MillraceException;
 * import org.millrace.error.NoSuchNameException;
 *
 * public final class Missing {
 *   public static void main(String[] args) throws IOException {
 *     Millrace.run(rank -> {
 *       try (var file = rank.open("missing", OpenOptions.read())) {
 *         System.out.println(file.size());
 *       } catch (NoSuchNameException e) { // on all ranks
 *         if (rank.number() == 0) {
 *           System.out.println(e.code()); // prints NO_SUCH_NAME
 *         }
 *       } catch (MillraceException e) {
 *         System.out.println("something else: " + e.code());
 *       }
 *     });
 *   }
 * }
 * }
 *
 * <p>Wrong use, such as a negative position, is not in the list. It throws an unchecked exception
 * at once, with the bound and the value in its message.
 */
@NullMarked
package org.millrace.error;

import org.jspecify.annotations.NullMarked;
