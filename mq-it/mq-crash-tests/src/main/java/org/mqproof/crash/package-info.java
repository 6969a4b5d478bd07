/**
 * The fault matrix as a test library: rules ALO-02, ALO-07, ALO-16, ALO-18, ALO-19, ALO-20 and
 * ALO-21 on real clusters whose nodes and clients are killed, paused and cut off under load.
 *
 * <p>An adapter carries them by a class that extends {@link org.mqproof.crash.CrashTests} and names
 * the adapter and its mode. A {@link org.mqproof.cluster.ClusterProvider} of the same name starts
 * the cluster. A row of one's own is a {@link org.mqproof.crash.Fault}, run by a test that calls
 * {@link org.mqproof.crash.CrashHarness#run}.
 */
@NullMarked
package org.mqproof.crash;

import org.jspecify.annotations.NullMarked;
