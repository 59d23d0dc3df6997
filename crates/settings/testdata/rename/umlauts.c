static int größe(int länge) { return länge * 2; }
int maß(int länge) { return größe(länge) + 1; }
