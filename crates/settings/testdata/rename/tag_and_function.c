struct node { int node; };
enum kind { kind_a, kind_b };
union pick { int pick; float real; };
int node(struct node node, enum kind kind, union pick pick) { return kind == kind_a ? node.node : pick.pick; }
int nodes(struct node first) { return node(first, kind_b, (union pick){ .pick = 3 }); }
