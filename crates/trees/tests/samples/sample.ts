import { Base } from './base';

/** What a cart needs. */
interface Options<T> {
  name: string;
  each(item: T): void;
}

type Item = { price: number };

enum Kind { Small, Large = 'large' }

/** A cart. */
export class Cart<T extends Item> extends Base {
  private total = 0;

  constructor(private readonly name: string, options?: Options<T>) {
    super();
  }

  /** Adds an item. */
  add(item: T, other: Cart<T>, again: Cart): number {
    const before: number = this.total;
    this.total += item.price;
    again.add(item, other, again);
    return other.total - before + (Kind.Small as number) + this.name.length;
  }

  override close(): void {
    this.total = 0;
  }
}

/** Finds one. */
export const find = async <T,>(items: T[], test: (item: T) => boolean): Promise<T | undefined> => {
  for (const item of items) if (test(item)) return item;
  return undefined;
};
