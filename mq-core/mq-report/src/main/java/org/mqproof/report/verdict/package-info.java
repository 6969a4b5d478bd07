/** The command {@code verdict}: what a run proved, found again from its histories. */
@NullMarked
package org.mqproof.report.verdict;

import org.jspecify.annotations.NullMarked;
