package org.mqproof.cluster.process;

/** A node that loads one class of a jar and waits. */
final class WaitingMain {

  private WaitingMain() {}

  public static void main(String[] args) throws Exception {
    if (System.in.read() < 0) {
      return;
    }
    System.out.println("loaded " + Class.forName(args[0]).getName());
    Thread.sleep(600_000);
  }
}
