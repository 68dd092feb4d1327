# Answers questions about ROC curves by pROC, one after the other, over a socket whose port is the
# first argument. Doubles travel as they are, so that ties here are ties there.
#
# A question is a count of numbers, the first of which names a function below, the others being
# what that function takes. An answer is a count and numbers too; a negative count announces the
# characters of an error. R is started once: an answer takes a hundredth of the start.

suppressPackageStartupMessages(library(pROC))
link <- socketConnection("localhost", as.integer(commandArgs(trailingOnly = TRUE)),
                         blocking = TRUE, open = "a+b", timeout = 86400)

receive <- function(n = 1) readBin(link, "double", n)
waiting <- numeric()

take <- function(n = 1) {
  taken <- waiting[seq_len(n)]
  waiting <<- waiting[-seq_len(n)]
  taken
}

curve_of <- function(y, score, direction = "<") {
  roc(y, score, levels = c(0, 1), direction = direction, quiet = TRUE)
}

take_curve <- function() {
  n <- take()
  y <- take(n)
  curve_of(y, take(n))
}

take_table <- function() {
  n <- take()
  n_columns <- take()
  y <- take(n)
  list(y = y, scores = matrix(take(n * n_columns), n, n_columns))
}

# AUC, DeLong's variance and 95 % interval
delong <- function() {
  curve <- take_curve()
  limits <- ci.auc(curve, method = "delong")
  c(auc(curve), var(curve, method = "delong"), limits[1], limits[3])
}

# Z, p and the limits of the difference for two markers of the same cases
paired_test <- function() {
  table <- take_table()
  found <- roc.test(curve_of(table$y, table$scores[, 1]), curve_of(table$y, table$scores[, 2]),
                    method = "delong", paired = TRUE)
  c(found$statistic, found$p.value, found$conf.int)
}

# D, Welch's degrees of freedom and p for two samples
unpaired_test <- function() {
  found <- roc.test(take_curve(), take_curve(), method = "delong", paired = FALSE)
  c(found$statistic, found$parameter, found$p.value)
}

# False and true positive rates, from the lowest threshold to the highest
points_of_a_curve <- function() {
  points <- coords(take_curve(), "all", ret = c("1-specificity", "sensitivity"), transpose = FALSE)
  c(points[, 1], points[, 2])
}

# Hand & Till's M of a table with a column for each class
hand_till <- function() {
  direction <- if (take() > 0) ">" else "<"
  table <- take_table()
  colnames(table$scores) <- seq_len(ncol(table$scores)) - 1
  multiclass.roc(table$y, table$scores, direction = direction)$auc
}

# One marker of several classes: direction given both ways, and by the medians of each pair
one_marker <- function() {
  table <- take_table()
  sapply(c("<", ">", "auto"), function(direction) {
    multiclass.roc(table$y, table$scores[, 1], direction = direction, quiet = TRUE)$auc
  })
}

# AUC with the direction that pROC takes by itself
directed <- function() {
  table <- take_table()
  auc(roc(table$y, table$scores[, 1], levels = c(0, 1), quiet = TRUE))
}

answer_to <- function(question) {
  suppressWarnings(tryCatch(
    { found <- as.numeric(questions[[question]]()); c(length(found), found) },
    error = function(e) { said <- utf8ToInt(conditionMessage(e)); c(-length(said), said) }
  ))
}

questions <- list(delong, paired_test, unpaired_test, points_of_a_curve, hand_till, one_marker,
                  directed)

while (length(count <- receive()) == 1) {
  waiting <- receive(count)
  writeBin(as.numeric(answer_to(take())), link)
}
