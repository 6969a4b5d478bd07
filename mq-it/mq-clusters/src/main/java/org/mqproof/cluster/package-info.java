/**
 * Real replicated clusters on this machine, one child process per node, and the faults that happen
 * to them. Ask {@link org.mqproof.cluster.ClusterProvider} for a system by name.
 */
@NullMarked
package org.mqproof.cluster;

import org.jspecify.annotations.NullMarked;
