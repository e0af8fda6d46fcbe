/**
 * The documentation as a site: {@link org.millrace.output.site.Site} turns the repository's
 * documents into static pages with a search that works without a server. It knows as much Markdown
 * as our documents use.
 */
@NullMarked
package org.millrace.output.site;

import org.jspecify.annotations.NullMarked;
