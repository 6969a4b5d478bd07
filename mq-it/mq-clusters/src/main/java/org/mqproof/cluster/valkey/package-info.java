/** Valkey nodes, a primary and its replicas. */
@NullMarked
package org.mqproof.cluster.valkey;

import org.jspecify.annotations.NullMarked;
