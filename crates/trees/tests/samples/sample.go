package shop

import "fmt"

const limit = 10

// Cart holds items.
type Cart struct {
	items []Item
	total int
}

type Item struct{ name string }

// Add puts an item in, and says how many there are.
//
//go:noinline
func (c *Cart) Add(item Item, other *Cart) (count int, err error) {
	// inside
	if len(c.items) > limit { // behind
		return 0, fmt.Errorf("full: %d", limit)
	}
	err = check(item.name)
	c.items = append(c.items, item)
	other.total++
	for i, item := range c.items {
		count := count + i
		_ = Item{name: item.name}
		go func(n int) { c.log(n + count) }(i)
	}
Outer:
	for {
		break Outer
	}
	return len(c.items), err
}

func (c *Cart) log(n int) { fmt.Println(n) }

func check(name string) error { return nil }
