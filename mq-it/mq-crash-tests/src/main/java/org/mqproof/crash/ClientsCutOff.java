package org.mqproof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;

/** No client reaches any node until every call has run into its bound; the nodes go on. */
final class ClientsCutOff extends Fault {

  ClientsCutOff() {
    super("clients cut off", "ALO-18, ALO-20", Harms.CLIENT);
  }

  @Override
  protected void strike(Cell cell) {
    cell.cluster().cutAll();
    cell.struck("clients cut off");
  }

  @Override
  protected String tookEffect(Cell cell) {
    return cell.assertNothingIsConfirmed("the clients were cut off");
  }

  @Override
  protected void whileItLasts(Cell cell) {
    assertThat(IntStream.rangeClosed(1, cell.cluster().nodes()).mapToObj(cell.cluster()::process))
        .as("the nodes live")
        .allMatch(ProcessHandle::isAlive);
  }
}
