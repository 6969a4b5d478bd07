/** What is proven of the adapter without a server, and on a protocol double of one. */
@NullMarked
package org.mqproof.eventstore;

import org.jspecify.annotations.NullMarked;
