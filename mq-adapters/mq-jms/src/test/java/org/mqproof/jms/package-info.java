/** Tests against a broker that does what each test says. */
@NullMarked
package org.mqproof.jms;

import org.jspecify.annotations.NullMarked;
