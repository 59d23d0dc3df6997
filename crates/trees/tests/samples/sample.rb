# frozen_string_literal: true

module Shop
  LIMIT = 10

  # A cart.
  class Cart < Base
    attr_reader :items

    # Makes a cart.
    def initialize(items, limit: LIMIT)
      @items = items
      @@count ||= 0
    end

    # Adds an item, and says how many there are.
    #
    # @param item [Item] what to add
    # @return [Integer]
    def add!(item, *rest, key: 1, **options, &block)
      # inside
      total = @items.size + key # behind
      rest.each do |other|
        total += price(other)
        block.call(other, total: total)
      end
      first, (second, *) = rest
      send(:log, first, second)
      self.total = total
      valid? ? total : nil
    rescue StandardError => error
      puts "failed: #{error.message} #{total}"
    end

    def valid? = @items.any?

    private

    def price(item)
      item.price
    end

    def log(*) end
  end
end
