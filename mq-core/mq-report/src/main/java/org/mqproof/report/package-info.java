/**
 * What a run measured, as a file and as a page. {@link org.mqproof.report.Results} is the model,
 * {@link org.mqproof.report.ResultsFile} reads and writes it as {@code results.json}, {@link
 * org.mqproof.report.HtmlReport} draws it.
 *
 * <p>A number here travels with its unit (in its name), its settings, its machine and its verdict.
 * What was not measured is {@code null}, never zero.
 */
@NullMarked
package org.mqproof.report;

import org.jspecify.annotations.NullMarked;
