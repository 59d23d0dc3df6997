#define CELL(n) cell##n
#define STEP(n) CELL(n) += n
int steps(int cell1, int cell2) { STEP(1); STEP(2); return cell1 * CELL(2); }
