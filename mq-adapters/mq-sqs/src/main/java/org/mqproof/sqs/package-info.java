/**
 * Queues on Amazon SQS, or on a server that speaks its protocol, through either version of the AWS
 * SDK. Only {@link org.mqproof.sqs.SqsMqProvider} is public.
 */
@NullMarked
package org.mqproof.sqs;

import org.jspecify.annotations.NullMarked;
