package org.mqproof.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FormatTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0             | 0 ns
          999           | 999 ns
          999.6         | 1.00 µs
          1234          | 1.23 µs
          12345         | 12.3 µs
          999499        | 999 µs
          999500        | 1.00 ms
          5e9           | 5.00 s
          1234e9        | 1,234 s
          -183000       | -183 µs
          """)
  void timesHaveThreeDigitsAndAUnit(double nanos, String text) {
    assertThat(Format.nanos(nanos).replace(Format.NBSP, " ")).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0         | 0.00
          0.123     | 0.12
          9.996     | 10.0
          99.94     | 99.9
          99.96     | 100
          805233.4  | 805,233
          """)
  void ratesHaveSeparators(double rate, String text) {
    assertThat(Format.rate(rate)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"512,512 B", "1536,1.50 KiB", "25769803776,24 GiB", "0,0 B"})
  void bytesAreBinary(double bytes, String text) {
    assertThat(Format.bytes(bytes).replace(Format.NBSP, " ")).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0",
        "600 | 600",
        "5000 | 5,000",
        "15000 | 15 k",
        "1500000 | 1.5 M",
        "0.25 | 0.25"
      })
  void axesAreShort(double count, String text) {
    assertThat(Format.shortCount(count).replace(Format.NBSP, " ")).isEqualTo(text);
  }
}
