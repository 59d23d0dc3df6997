enum color { RED, GREEN = 5, BLUE };
int weight(enum color color) {
  switch (color) {
  case RED: return 1;
  case GREEN: return 2;
  case BLUE: return 3;
  }
  return 0;
}
