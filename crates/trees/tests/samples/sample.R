library(stats)

limit <- 10

#' Adds items.
#'
#' @param items What to add.
#' @export
add_items <- function(items, weight = limit, ...) {
  # inside
  total <- sum(items, na.rm = TRUE) # behind
  for (item in items) {
    total <- total + helper(item, scale = weight)
  }
  result <- list(total = total, weight = weight)
  result$total
}

helper <- function(item, scale) item * scale

`%+%` <- function(a, b) paste0(a, b)

print.cart = function(x, ...) {
  stats::sd(x$items)
  UseMethod("print")
}
