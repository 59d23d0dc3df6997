template <class Item>
int heaviest(const Item *items, int count) {
    int best = 0;
    for (int i = 0; i < count; i++) {
        if (items[i].weight > best) best = items[i].weight;
        best += Item::margin();
    }
    return best;
}
