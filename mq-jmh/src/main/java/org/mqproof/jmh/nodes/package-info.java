/**
 * One run on several machines: each node sends or receives, and their files are merged.
 *
 * <p>{@link org.mqproof.jmh.nodes.NodeRun} is one node, {@link org.mqproof.jmh.nodes.Merge} judges
 * all of them.
 */
@NullMarked
package org.mqproof.jmh.nodes;

import org.jspecify.annotations.NullMarked;
