struct Node {
  Node* next;
  static int alive;
  ~Node();
};

Node::~Node() {
  --alive;
  delete next;
}
