/** Certificates and passwords of clusters that encrypt and ask clients who they are. */
@NullMarked
package org.mqproof.cluster.security;

import org.jspecify.annotations.NullMarked;
