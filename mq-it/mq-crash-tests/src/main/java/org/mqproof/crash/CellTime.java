package org.mqproof.crash;

/** The times that a {@link Cell} tells. They count from the fault's last blow, but for the gaps. */
enum CellTime {
  /** Until another receiver got the first message of the dead one. */
  REDELIVERED_FIRST("first redelivery after"),
  /** Until it got the last one. */
  REDELIVERED_LAST("last redelivery after"),
  /** The longest time between two confirms, of all senders, from the first blow on. */
  SEND_GAP("send gap"),
  /** The longest time between two deliveries, to all receivers, from the first blow on. */
  RECEIVE_GAP("receive gap"),
  /** Until every sender had a batch confirmed that it had begun since. */
  SENDERS_BACK("every sender back after"),
  /** Until the first second began in which 95 % of what the second before the fault saw. */
  RATE_BACK("95 % of the rate after"),
  /** From the end of sending until every confirmed message was delivered. */
  BACKLOG("backlog cleared in");

  private final String words;

  CellTime(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }
}
