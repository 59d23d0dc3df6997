package shop;

import java.util.List;

/** A cart. */
public class Cart<T extends Item> {
    private int total = 0;
    private final List<T> items;

    /**
     * Makes a cart of items.
     */
    public Cart(List<T> items) {
        this.items = items;
    }

    /** Adds an item, and says how many there are. */
    public int add(T item, Cart<T> other) {
        // inside
        int count = size() + this.total /* between */;
        for (T each : items) {
            count += each.price() + other.size();
        }
        outer:
        while (true) {
            break outer;
        }
        Runnable run = () -> System.out.println(item);
        return count;
    }

    int size() { return items.size(); }

    @Override
    public String toString() { return "cart " + total; }

    enum Kind {
        SMALL, LARGE;

        /** The other kind. */
        Kind other() { return this == SMALL ? LARGE : SMALL; }
    }
}
