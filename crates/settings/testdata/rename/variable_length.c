int trace(int n, int matrix[n][n], int (*rows)[n]) {
  int copy[n], sum = 0;
  for (int i = 0; i < n; i++) copy[i] = matrix[i][i] + rows[0][i];
  for (int i = 0; i < n; i++) sum += copy[i] + (int)(sizeof copy / sizeof *copy);
  return sum;
}
