# Multinomial recalibration by nnet::multinom. Reads a table from the file that is the first
# argument: the class of each case, 1 to K, then its K log probabilities. The reference is the last
# class. Prints the intercepts given slopes of 1, then intercepts and slopes of the full fit, class by
# class, then the log-likelihoods: as given, intercepts, full.

suppressPackageStartupMessages(library(nnet))
table <- as.matrix(read.table(commandArgs(trailingOnly = TRUE)))
n_classes <- ncol(table) - 1
y <- relevel(factor(table[, 1]), ref = n_classes)
logs <- table[, -1]
z <- logs[, -n_classes, drop = FALSE] - logs[, n_classes]
tight <- list(trace = FALSE, maxit = 10000, abstol = 1e-12, reltol = 1e-15)
fitted <- function(formula) do.call(multinom, c(list(formula), tight))

given <- cbind(0, z)
held <- if (n_classes == 2) z[, 1] else given  # for two classes multinom takes one offset
with_intercepts <- fitted(y ~ 1 + offset(held))
full <- fitted(y ~ z)
as_given <- sum(given[cbind(seq_along(y), as.integer(y))] - log(rowSums(exp(given))))
numbers <- c(coef(with_intercepts), t(coef(full)),
             as_given, -with_intercepts$value, -full$value)
cat(sprintf("%.17g", numbers), sep = "\n")
