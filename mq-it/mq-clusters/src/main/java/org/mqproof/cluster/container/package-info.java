/** Nodes that are containers of this machine's Docker engine. Needs Testcontainers. */
@NullMarked
package org.mqproof.cluster.container;

import org.jspecify.annotations.NullMarked;
