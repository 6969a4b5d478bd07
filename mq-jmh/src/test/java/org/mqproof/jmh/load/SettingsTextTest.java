package org.mqproof.jmh.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SettingsTextTest {

  @Test
  void keysAndValuesAreSplitAtTheFirstEqualsSign() {
    assertThat(SettingsText.parse("settings", "a=1; b = x=y ;;c="))
        .containsExactlyInAnyOrderEntriesOf(Map.of("a", "1", "b", "x=y", "c", ""));
  }

  @Test
  void nothingIsNoSettings() {
    assertThat(SettingsText.parse("settings", "")).isEmpty();
  }

  @Test
  void aPartWithoutAKeyIsRefused() {
    assertThatThrownBy(() -> SettingsText.parse("mode", "acks"))
        .as("the part may be a secret")
        .hasMessage("mode has a part that is no key=value: it takes key=value;key=value");
    assertThatThrownBy(() -> SettingsText.parse("mode", "=all"))
        .hasMessageContaining("key=value;key=value");
  }

  @Test
  void aValueOfSettingsMayHoldCommas() {
    assertThat(SettingsText.values("settings", "addresses=a:1,b:1,c:1;prefetch=7,prefetch=8,"))
        .containsExactly("addresses=a:1,b:1,c:1;prefetch=7", "prefetch=8", "");
    assertThat(SettingsText.values("batch", "1..10,500")).containsExactly("1..10", "500");
    assertThat(SettingsText.values("mode", "")).containsExactly("");
    assertThat(SettingsText.values("settings", "a,b"))
        .as("is told as it was written")
        .containsExactly("a,b");
  }

  @Test
  void aKeyGivenTwiceIsRefused() {
    assertThatThrownBy(() -> SettingsText.parse("settings", "a=1;a=2"))
        .hasMessage("settings has the key a twice");
  }
}
