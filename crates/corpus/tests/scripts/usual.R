# Title of a script --------
# by Somebody Else

library(lme4)
library( "dplyr" )

# Load the data
d <- read.csv("d.csv")  # from disk
summary(d)

#### 1. Fit a model ####
#
# with random effects
library(stats)
# and a slope
m <- lmer(y ~ x + (x | g),

          data = d)
# Plot
plot(m)
# Load the data
head(d)
# t-test: a == b
t.test(a, b)
# the end of it
