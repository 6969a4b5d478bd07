package org.mqproof.rocketmq;

import java.util.Set;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.remoting.exception.RemotingConnectException;
import org.apache.rocketmq.remoting.exception.RemotingTooMuchRequestException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.mqproof.support.Causes;

/** What RocketMQ or its library says, for our sentences and outcomes. Thread-safe: no state. */
final class Errors {

  /** What a broker says that did not store anything, and may do so a moment later. */
  private static final Set<Integer> NOT_NOW =
      Set.of(ResponseCode.SYSTEM_BUSY, ResponseCode.SERVICE_NOT_AVAILABLE);

  private static final Set<Integer> REFUSED =
      Set.of(
          ResponseCode.TOPIC_NOT_EXIST,
          ResponseCode.MESSAGE_ILLEGAL,
          ResponseCode.NO_PERMISSION,
          ResponseCode.INVALID_PARAMETER);

  /** Said before anything is stored, with a code that is also used for what is not known. */
  private static final String TOO_FEW_REPLICAS = "in-sync replicas not enough";

  private Errors() {}

  static String reason(Throwable failure) {
    Throwable first = Causes.first(failure);
    if (isMissing(first)) {
      return "there is no such queue";
    }
    if (first instanceof MQBrokerException e) {
      return "the broker says: " + e.getErrorMessage();
    }
    return Causes.reason(first);
  }

  /** Whether the topic does not exist. */
  static boolean isMissing(Throwable failure) {
    return code(failure) == ResponseCode.TOPIC_NOT_EXIST;
  }

  /** Whether nobody took the request, and the same or another broker may do so soon. */
  static boolean isNobody(Throwable failure) {
    return failure instanceof RemotingConnectException
        || failure instanceof RemotingTooMuchRequestException
        || failure instanceof Brokers.NoLeader
        || NOT_NOW.contains(code(failure))
        || (code(failure) == ResponseCode.SYSTEM_ERROR
            && TOO_FEW_REPLICAS.equals(((MQBrokerException) failure).getErrorMessage()));
  }

  /** Whether a message whose send failed so was certainly not stored. */
  static boolean isNotStored(Throwable failure) {
    return isNobody(failure) || REFUSED.contains(code(failure));
  }

  private static int code(Throwable failure) {
    if (failure instanceof MQBrokerException e) {
      return e.getResponseCode();
    }
    return failure instanceof MQClientException e ? e.getResponseCode() : -1;
  }
}
