/**
 * What every cluster is built from: child processes that never outlive this JVM, its directory and
 * its ports, and the verbs that are the same for all systems.
 *
 * <p>To add a cluster of a system of your own, extend {@link
 * org.mqproof.cluster.process.ProcessCluster} and register a {@link
 * org.mqproof.cluster.ClusterProvider} that starts it.
 */
@NullMarked
package org.mqproof.cluster.process;

import org.jspecify.annotations.NullMarked;
