struct flags { unsigned ready : 1, : 3, level : 4; };
int level(struct flags flags) { return flags.ready ? flags.level : -1; }
