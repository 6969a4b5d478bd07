/**
 * Building blocks shared by the adapters: TLS settings, outcomes of sends, claims and acks. For
 * authors of adapters; code that sends and receives does not need it.
 */
@NullMarked
package org.mqproof.support;

import org.jspecify.annotations.NullMarked;
