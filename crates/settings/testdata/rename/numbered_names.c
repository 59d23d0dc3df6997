static int func_0(int var_1) { return var_1; }
int func_7(int var_1, int var_0) { int x = func_0(var_0); return x + var_1; }
