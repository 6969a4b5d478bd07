package org.mqproof.cluster.container;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ImageTest {

  private static final String OWN = "mqproof.rarity.image";

  @AfterEach
  void forget() {
    System.clearProperty(Image.PROPERTY);
    System.clearProperty(OWN);
  }

  @Test
  void isTheOfficialOneUnlessAskedOtherwise() {
    System.clearProperty(Image.PROPERTY);
    assertThat(image()).isEqualTo("vendor/rarity:1.2.3");

    System.setProperty(Image.PROPERTY, Image.LOCAL);
    assertThat(image()).isEqualTo("mqproof/rarity:1.2");

    System.setProperty(OWN, "mirror:5000/rarity:4");
    assertThat(image()).isEqualTo("mirror:5000/rarity:4");
    assertThat(Image.tag(image())).isEqualTo("4");
  }

  private static String image() {
    return Image.of("rarity", "vendor/rarity:1.2.3", "1.2");
  }
}
