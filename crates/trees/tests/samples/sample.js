'use strict';

const LIMIT = 10;

/**
 * Adds items.
 */

export function add(cart, { items, count: n = 1 }, ...rest) {
  // inside
  var seen = {};
  for (const item of items) {
    if (item.price > LIMIT) var last = item;
    seen[item.name] = { item, last: helper(last) };
  }
  const [first, second] = rest;
  cart.items = [first, second, n];
  return cart;
}

/** Helps. */
const helper = (value) => value && value.items;

app.use = function use(fn) {
  return this.stack.push(fn);
};

class Cart {
  #total = 0;
  size = 1;

  constructor(items) {
    this.items = items;
  }

  /** The total of all. */
  total(tax) {
    this.#total += this.size * tax;
    return other.size + this.count();
  }

  count() {
    return this.size;
  }
}

var utils = {
  /** Twice. */
  twice: function (x) {
    return x * 2;
  },
};

const View = () => <Cart size={1} onClick={() => helper(2)}><label>text</label></Cart>;

define("shop", {
  /** Three times. */
  thrice(x) {
    return x * 3;
  },
  half: function (x) {
    return x / 2;
  },
});
