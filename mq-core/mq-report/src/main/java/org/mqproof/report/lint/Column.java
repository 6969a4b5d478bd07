package org.mqproof.report.lint;

import java.util.ArrayList;
import java.util.List;

/** The columns of a table that this program reads, by the names it knows them by. */
enum Column {
  ROW_ID("row_id"),
  SYSTEM("system"),
  NODES("nodes"),
  THREADS("threads"),
  BATCH("batch"),
  WINDOW("window"),
  SEND_RATE("send_msgs_s"),
  RECEIVE_RATE("receive_msgs_s"),
  IN_FLIGHT("in_flight_msgs"),
  RTT("rtt_ms");

  private final String text;

  Column(String text) {
    this.text = text;
  }

  /** Its name in a table. */
  String text() {
    return text;
  }

  /** Name of a latency column, for example {@code send_latency_p95_ms}. */
  static String latency(Side side, Statistic statistic) {
    return side.text() + "_latency_" + statistic.text() + "_ms";
  }

  /** All latency columns there can be. */
  static List<String> latencies() {
    List<String> names = new ArrayList<>();
    for (Side side : Side.values()) {
      for (Statistic statistic : Statistic.values()) {
        names.add(latency(side, statistic));
      }
    }
    return names;
  }

  /** Whether this program reads a column of that name. */
  static boolean known(String name) {
    for (Column column : values()) {
      if (column.text.equals(name)) {
        return true;
      }
    }
    return latencies().contains(name);
  }

  /** Which latency a table speaks of. */
  enum Side {
    /** From the call of a send to its return, per batch. */
    SEND("send"),
    /** From the call of a send to the return of the receive, per message. */
    PROCESSING("processing");

    private final String text;

    Side(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  /** The rate that a side's latency belongs to. */
  static Column rate(Side side) {
    return side == Side.SEND ? SEND_RATE : RECEIVE_RATE;
  }
}
