/** Tests of the registry of rules; the kit itself is tested with broken queues in mq-memory. */
@NullMarked
package org.mqproof.conformance;

import org.jspecify.annotations.NullMarked;
