<?php
namespace Shop;

/** A cart. */
class Cart extends Base
{
    private int $total = 0;
    const LIMIT = 10;

    public function __construct(private array $items)
    {
    }

    /**
     * Adds an item.
     *
     * @param Item $item what to add
     */
    public function add(Item $item, Cart $other, int ...$rest): int
    {
        // inside
        $count = count($this->items) + self::LIMIT; # behind
        foreach ($rest as $key => $value) {
            $count += $value * $other->total;
        }
        $names = compact('count');
        $each = function ($x) use ($count) { return $x + $count; };
        helper(value: $count);
        return $this->size($count) + static::make()->total;
    }

    private function size($n) { return "$n of {$this->total}"; }

    public static function make(): self { return new Cart([]); }
}

/** Helps. */
function helper(int $value): void { echo $_GET['x']; }
