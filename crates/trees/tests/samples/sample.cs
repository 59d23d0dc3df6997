using System;

namespace Shop
{
    /// <summary>A cart.</summary>
    public class Cart<T> : Base where T : Item
    {
        private int total = 0;
        public int Size { get; set; }

        public Cart(int size) { Size = size; }

        /// <summary>
        /// Adds an item to the <see cref="Cart{T}"/>.
        /// </summary>
        /// <param name="item">What to add.</param>
        public int Add(T item, Cart other, string name = "x")
        {
            // inside
            var count = this.total + Count(item, times: 2); // behind
            foreach (var each in other.Items)
            {
                count += each is Item found ? found.Price : other.Size;
            }
            Func<int, int> twice = x => x * count;
            return twice(Size) + nameof(name).Length;
        }

        private int Count(T item, int times) => times;

        public override string ToString() => $"cart {total}";
    }
}
