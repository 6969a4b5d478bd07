/** Tests of the Valkey adapter; the kit and the crash tests run it on a real cluster. */
@NullMarked
package org.mqproof.valkey;

import org.jspecify.annotations.NullMarked;
