/**
 * What was attempted, confirmed, delivered and acked, and the {@link org.mqproof.ledger.Verdict} on
 * it: nothing confirmed was lost, nothing was invented or altered.
 *
 * <p>A {@link org.mqproof.ledger.Ledger} stamps every body on its way out and checks every body on
 * its way in. It costs about a bit per message and event.
 */
@NullMarked
package org.mqproof.ledger;

import org.jspecify.annotations.NullMarked;
