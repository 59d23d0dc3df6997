static int parse(const char *text) { return text[0] - '0'; }
int main(int argc, char **argv) { return argc > 1 ? parse(argv[1]) : 0; }
