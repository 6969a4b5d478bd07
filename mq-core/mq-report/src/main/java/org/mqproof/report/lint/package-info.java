/**
 * Finds the figures of a table that cannot all be true. {@code docs/lint.md} states the laws.
 *
 * <p>{@link org.mqproof.report.lint.LintCommand} is the way in.
 */
@NullMarked
package org.mqproof.report.lint;

import org.jspecify.annotations.NullMarked;
