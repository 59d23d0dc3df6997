struct box {
    int weight;
};

template <class Shelf> int unit(const Shelf &shelf, box *one)
{
    return shelf.depth + shelf.at(0).leaf->extra() + Shelf::size() + one->weight;
}
