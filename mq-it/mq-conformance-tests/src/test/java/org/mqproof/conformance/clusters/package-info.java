/** The conformance kit against real clusters: a class per system, in it a class per mode. */
@NullMarked
package org.mqproof.conformance.clusters;

import org.jspecify.annotations.NullMarked;
